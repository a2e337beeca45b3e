package simulation

import (
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

func TestOutagesCountNodesOnce(t *testing.T) {
	o := newOutages()
	node := func(name string, unschedulable bool) *corev1.Node {
		n := newNode(name, pool.Worker)
		n.Spec.Unschedulable = unschedulable
		return n
	}
	o.observe(node("worker-0", true))
	o.observe(node("worker-0", true))
	assert.Equal(t, 1, o.most[pool.Worker])
	o.observe(node("worker-0", false))
	o.observe(node("worker-1", true))
	assert.Equal(t, 1, o.most[pool.Worker])
	o.observe(node("worker-0", true))
	assert.Equal(t, 2, o.most[pool.Worker])
	assert.Zero(t, o.most[pool.Master])
}
