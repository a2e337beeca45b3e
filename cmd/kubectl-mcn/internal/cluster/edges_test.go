package cluster_test

import (
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
)

// If a dump lacks the pool of a role, or the pool's selector, the node is not shown in a wrong pool.
func TestAnIncompleteDumpPutsNoNodeIntoAWrongPool(t *testing.T) {
	zone := &metav1.LabelSelector{MatchLabels: map[string]string{"zone": "a"}}
	changed := func(name string, selector *metav1.LabelSelector) *mcfgv1.MachineConfigPool {
		p := selecting(name)
		p.Spec.NodeSelector = selector
		return p
	}
	for name, tc := range map[string]struct {
		node  *corev1.Node
		pools []*mcfgv1.MachineConfigPool
		want  string
	}{
		"the selector of the node's pool is missing":                          {kube(configB, "worker"), []*mcfgv1.MachineConfigPool{changed("worker", &metav1.LabelSelector{}), selecting("infra")}, ""},
		"the node's custom pool is missing":                                   {kube("rendered-infra-b", "worker", "infra"), []*mcfgv1.MachineConfigPool{selecting("worker")}, "infra"},
		"the node's custom pool selects other Nodes":                          {kube("rendered-infra-b", "worker", "infra"), []*mcfgv1.MachineConfigPool{selecting("worker"), changed("infra", zone)}, "worker"},
		"the node has one custom role, and the config of another custom pool": {kube("rendered-gpu-b", "worker", "infra"), []*mcfgv1.MachineConfigPool{selecting("worker")}, "worker"},
		"the pool of a control-plane node is missing":                         {kube(configB, "control-plane"), []*mcfgv1.MachineConfigPool{selecting("worker")}, ""},
		"the pool of an arbiter is missing":                                   {kube(configB, "arbiter"), []*mcfgv1.MachineConfigPool{selecting("worker")}, ""},
		"the selectors of all pools are missing":                              {kube(configB, "other"), []*mcfgv1.MachineConfigPool{changed("worker", &metav1.LabelSelector{})}, ""},
	} {
		c := cluster.Of(cluster.Objects{Pools: tc.pools, Nodes: []cluster.Node{cluster.NewNode(tc.node, nil)}}, at(60))
		got := ""
		for _, p := range c.Pools {
			if len(p.Nodes) > 0 {
				got = p.Name
			}
		}
		if len(c.Unselected) > 0 {
			got = "unselected"
		}
		assert.Equal(t, tc.want, got, name)
	}
}

// The names of nodes that no pool or several pools select, and of objects without a Node, are sorted.
func TestNamesAreSorted(t *testing.T) {
	var nodes []cluster.Node
	for _, name := range []string{"b", "a"} {
		node, twice, left := kube(configB, "other"), kube(configB, "gpu", "infra"), object("worker", configB)
		node.Name, twice.Name, left.Name = name, "twice-"+name, "left-"+name
		nodes = append(nodes, cluster.NewNode(node, nil), cluster.NewNode(twice, nil), cluster.NewNode(nil, left))
	}
	pools := []*mcfgv1.MachineConfigPool{selecting("worker"), selecting("gpu"), selecting("infra")}
	c := cluster.Of(cluster.Objects{Pools: pools, Nodes: nodes, HasNodes: true}, at(60))
	require.Len(t, c.Conflicts, 2)
	assert.Equal(t, []string{"twice-a", "twice-b"}, []string{c.Conflicts[0].Node, c.Conflicts[1].Node})
	assert.Equal(t, []string{"a", "b"}, c.Unselected)
	assert.Equal(t, []string{"left-a", "left-b"}, c.Leftover)
}

func TestAPoolHasTheErrorOfANodeWithoutAMessage(t *testing.T) {
	a, b, c := degradedNode(finishedNode("a", 0, 9), 9), degradedNode(finishedNode("b", 0, 9), 9), finishedNode("c", 0, 9)
	b.Message = "its own"
	says := withCondition("NodeDegraded", `Node a is reporting: "disk full", Node b is reporting: "no network", Node c is reporting: "over", Node d is reporting: "gone"`)
	var got []string
	for _, n := range one(t, worker("", says), 60, a, b, c).Nodes {
		got = append(got, n.Message)
	}
	assert.Equal(t, []string{"disk full", "its own", ""}, got)
}

func TestACertificateWithoutASubjectIsNamedAfterItsBundle(t *testing.T) {
	p := worker("", paused)
	p.Status.CertExpirys = []mcfgv1.CertExpiry{{Subject: "a", Expiry: &metav1.Time{Time: at(1)}}, {Bundle: "KubeAPIServerServingCAData", Expiry: &metav1.Time{Time: at(1)}}}
	assert.Equal(t, []cluster.Certificate{{Subject: "KubeAPIServerServingCAData", Expires: at(1)}, {Subject: "a", Expires: at(1)}}, one(t, p, 0).Certificates)
}

// The duration of an update begins with its request, unless the request came after its start.
func TestAnUpdateBeginsWithItsRequest(t *testing.T) {
	for name, tc := range map[string]struct{ requested, started, want time.Time }{
		"not started":                          {at(1), time.Time{}, at(1)},
		"requested, and started later":         {at(1), at(2), at(1)},
		"requested again after the start":      {at(3), at(2), at(2)},
		"the time of the request is not known": {time.Time{}, at(2), at(2)},
	} {
		assert.Equal(t, tc.want, cluster.Node{Node: mco.Node{Requested: tc.requested, Started: tc.started}}.Begin(), name)
	}
}

// While an arbiter updates, the waiting masters do not delay the pool arbiter.
func TestMastersDoNotDelayAnUpdatingArbiter(t *testing.T) {
	pools, nodes := []*mcfgv1.MachineConfigPool{selecting("arbiter"), selecting("master")}, []cluster.Node{drainingNode("a", 29), waitingNode("b"), waitingNode("m")}
	nodes[0].Pool, nodes[1].Pool, nodes[2].Pool = "arbiter", "arbiter", "master"
	all := poolsOf(pools, nodes, at(30))
	assert.Equal(t, []string{"arbiter", ""}, []string{waitsFor(all[0]), waitsFor(all[1])})
	nodes[2] = finishedNode("m", 1, 5)
	nodes[2].Pool = "master"
	assert.Empty(t, waitsFor(poolsOf(pools, nodes, at(30))[0]), "masters that are done wait for nothing")
}

// A target that was set two seconds after a change of a MachineConfig has the change. If the change leads to no new target
// within five minutes, it does not change the rendered config, so the target has it.
func TestATargetSetAfterAChangeHasIt(t *testing.T) {
	changed := time.Date(2026, 3, 4, 14, 0, 0, 0, time.UTC)
	for _, tc := range []struct {
		set, seen time.Duration
		want      bool
	}{
		{2 * time.Second, 0, true},
		{time.Second, 5*time.Minute - 1, false},
		{-time.Second, 5 * time.Minute, true},
	} {
		p := cluster.Pool{TargetSet: changed.Add(tc.set)}
		assert.Equal(t, tc.want, p.HasChange(cluster.MachineConfig{Changed: changed}, tc.seen), "%v", tc)
	}
	assert.True(t, cluster.Pool{}.HasChange(cluster.MachineConfig{Changed: changed}, 0), "the time of the target is not known")
}

// A target does not have the writes of MachineConfigs after it was set.
func TestAWriteAfterTheTargetWasSetIsNoChange(t *testing.T) {
	sources := func(names ...string) (all []corev1.ObjectReference) {
		for _, name := range names {
			all = append(all, corev1.ObjectReference{Name: name})
		}
		return all
	}
	p := worker("")
	p.Spec.Configuration.Source, p.Status.Configuration.Source = sources("a", "b"), sources("a")
	p.Status.Configuration.Name = configA
	written := func(minutes float64) cluster.MachineConfig {
		return cluster.MachineConfig{By: "kubectl-edit", Changed: at(minutes)}
	}
	for _, tc := range []struct {
		a, b float64
		want []cluster.Change
		text string
	}{
		{5, 5, []cluster.Change{{Name: "a", Write: mco.Write{By: "kubectl-edit", At: at(5)}}, {Sign: "+", Name: "b", Write: mco.Write{By: "kubectl-edit", At: at(5)}}}, ""},
		{20, 20, []cluster.Change{{Sign: "+", Name: "b"}}, ""},
	} {
		configs := map[string]cluster.MachineConfig{"a": written(tc.a), "b": written(tc.b), configA: {Release: "4.20", Created: at(0)}, configB: {Release: "4.21"}}
		pool := one(t, p, 30)
		pool.TargetSet = at(10)
		got, text := pool.Changes(configs)
		assert.Equal(t, tc.want, got)
		assert.Equal(t, tc.text, text)
	}
	pool := one(t, p, 30)
	pool.TargetSet = at(10)
	_, text := pool.Changes(map[string]cluster.MachineConfig{"a": written(20), configA: {Release: "4.20", Created: at(0)}})
	assert.Equal(t, "same MachineConfigs, changed contents", text, "nobody knows whether the target has another version")
	p.Status.Configuration.Name = configB
	_, text = one(t, p, 30).Changes(nil)
	assert.Empty(t, text, "the target is not new")
	_, text = one(t, p, 30, waitingNode("w")).Changes(map[string]cluster.MachineConfig{configA: {Created: at(20)}, configB: {Created: at(0)}})
	assert.Empty(t, text, "nobody knows the MachineConfigs of a config that was withdrawn")
	for isUpdated, want := range []int{1, 0} {
		if isUpdated == 1 { // the node has come from another pool
			updated(p)
		}
		pool = one(t, p, 30, waitingNode("w"))
		pool.TargetSet = at(10)
		all, _ := pool.Changes(map[string]cluster.MachineConfig{"a": written(5), configA: {Created: at(2)}, configB: {Created: at(0)}})
		assert.Len(t, all, want)
	}
	p.Status.Configuration.Name, p.Status.Configuration.Source = configA, nil
	all, _ := one(t, p, 30).Changes(nil)
	assert.Empty(t, all, "the MachineConfigs of the last target are not known")
}

// A pool whose selector of MachineConfigs is empty or invalid selects each MachineConfig.
func TestAnUnknownSelectorSelectsEachMachineConfig(t *testing.T) {
	invalid := &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "role", Operator: "Likes"}}}
	other := &metav1.LabelSelector{MatchLabels: map[string]string{"role": "worker"}}
	for selector, want := range map[*metav1.LabelSelector]bool{{}: true, invalid: true, other: false} {
		p := worker("")
		p.Spec.MachineConfigSelector = selector
		assert.Equal(t, want, one(t, p, 60).Selects(cluster.MachineConfig{Name: "99-a"}), "%v", selector)
	}
}
