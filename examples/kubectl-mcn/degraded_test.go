package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/openshift/upgrademonitor/phases"
)

func TestDegradedWithoutATime(t *testing.T) {
	n := newNode("worker-0", "worker", newConfig, now)
	for i := range n.Status.Conditions {
		if n.Status.Conditions[i].Type == string(phases.NodeDegraded) {
			n.Status.Conditions[i].Status, n.Status.Conditions[i].LastTransitionTime = metav1.ConditionTrue, metav1.Time{}
		}
	}
	list := asList(t, []runtime.Object{newPool("worker", newConfig), n}...)
	assert.Contains(t, execute(t, list, "-f", "-", "-o", "json").stdout, `"degraded": true`)
}
