package pool_test

import (
	"slices"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

func TestTheRolesOfANodeDecideItsPool(t *testing.T) {
	windows := func(n *corev1.Node) { n.Labels[corev1.LabelOSStable] = "windows" }
	empty := newPool("empty", func(p *mcfgv1.MachineConfigPool) { p.Spec.NodeSelector = &metav1.LabelSelector{} })
	none := newPool("none", func(p *mcfgv1.MachineConfigPool) { p.Spec.NodeSelector = nil })
	pools := []*mcfgv1.MachineConfigPool{empty, nil, none, newPool("worker"), newPool("infra"), newPool("gpu"), newPool("arbiter"), newPool("master")}

	for _, test := range []struct {
		name string
		node *corev1.Node
		want string
		both []string
	}{
		{"worker", newNode("n"), "worker", nil},
		{"no role", newNode("n", roles()), "", nil},
		{"a role that no pool has", newNode("n", roles("edge")), "", nil},
		{"master", newNode("n", roles("master")), "master", nil},
		{"master and worker", newNode("n", roles("master", "worker")), "master", nil},
		{"arbiter and worker", newNode("n", roles("arbiter", "worker")), "arbiter", nil},
		{"master and arbiter", newNode("n", roles("master", "arbiter")), "master", nil},
		{"one custom pool", newNode("n", roles("infra")), "infra", nil},
		{"a custom pool and worker", newNode("n", roles("infra", "worker")), "infra", nil},
		{"master and a custom pool", newNode("n", roles("master", "infra")), "master", nil},
		{"two custom pools", newNode("n", roles("infra", "gpu")), "", []string{"gpu", "infra"}},
		{"two custom pools and master", newNode("n", roles("infra", "gpu", "master")), "", []string{"gpu", "infra"}},
		{"arbiter and a custom pool", newNode("n", roles("arbiter", "infra")), "", []string{"arbiter", "infra"}},
		{"arbiter, two custom pools and master", newNode("n", roles("gpu", "master", "infra", "arbiter")), "", []string{"arbiter", "gpu", "infra"}},
		{"windows", newNode("n", windows), "", nil},
		{"linux", newNode("n", func(n *corev1.Node) { n.Labels[corev1.LabelOSStable] = "linux" }), "worker", nil},
		{"windows in two custom pools", newNode("n", roles("infra", "gpu"), windows), "", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			for range 2 { // the order of the pools does not matter
				got, err := pool.Primary(test.node, pools)
				if test.both != nil {
					var conflict *pool.ConflictError
					require.ErrorAs(t, err, &conflict)
					assert.Equal(t, &pool.ConflictError{NodeName: "n", Pools: test.both}, conflict)
					assert.Nil(t, got)
				} else {
					require.NoError(t, err)
					assert.Equal(t, test.want, nameOf(got))
				}
				slices.Reverse(pools)
			}
		})
	}
}

func TestAnInvalidSelectorIsAnErrorUnlessTheNodeHasNoPool(t *testing.T) {
	bad := newPool("bad", invalidSelector)
	got, err := pool.Primary(newNode("n"), []*mcfgv1.MachineConfigPool{newPool("worker"), bad})
	var selector *pool.SelectorError
	require.ErrorAs(t, err, &selector)
	assert.Equal(t, "bad", selector.Pool)
	assert.ErrorContains(t, err, selector.Unwrap().Error())
	assert.Nil(t, got)

	windows := newNode("n", func(n *corev1.Node) { n.Status.NodeInfo.OperatingSystem = "windows" })
	got, err = pool.Primary(windows, []*mcfgv1.MachineConfigPool{bad})
	require.NoError(t, err, "a Windows node has no pool, so an invalid selector does not matter")
	assert.Nil(t, got)
}

func nameOf(p *mcfgv1.MachineConfigPool) string {
	if p == nil {
		return ""
	}
	return p.Name
}
