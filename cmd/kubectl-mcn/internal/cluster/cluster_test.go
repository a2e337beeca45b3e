package cluster_test

import (
	"math"
	"strings"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
	"github.com/openshift/upgrademonitor/internal/mcntest"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// role is the label of a role of Nodes.
func role(name string) string { return "node-role.kubernetes.io/" + name }

// selecting makes a pool that selects the Nodes of its role.
func selecting(name string, changes ...func(*mcfgv1.MachineConfigPool)) *mcfgv1.MachineConfigPool {
	p := worker("", changes...)
	p.Name = name
	p.Spec.NodeSelector = &metav1.LabelSelector{MatchLabels: map[string]string{role(name): ""}}
	return p
}

// kube returns a Node that is Ready, runs a config, and has roles.
func kube(config string, roles ...string) *corev1.Node {
	n := mcntest.Node("currentConfig", config, "desiredConfig", config, "state", "Done")
	n.UID, n.Labels = "1", map[string]string{corev1.LabelOSStable: "linux"}
	for _, name := range roles {
		n.Labels[role(name)] = ""
	}
	return n
}

// object returns the object of a node that runs a config of a pool.
func object(pool, config string, changes ...func(*mcfgv1.MachineConfigNode)) *mcfgv1.MachineConfigNode {
	return mcn(append([]func(*mcfgv1.MachineConfigNode){withDesired(config), is(phases.Updated, yes, 1), func(m *mcfgv1.MachineConfigNode) {
		m.Spec.Pool.Name, m.Status.ConfigVersion.Current, m.Status.ConfigVersion.Desired = pool, config, config
		m.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: m.Name, UID: "1"}}
	}}, changes...)...)
}

func counts(p cluster.Pool) [6]int {
	return [6]int{p.Done, p.Updating, p.Stuck, p.Waiting, p.Idle, p.Unreported}
}

// The Nodes decide which nodes exist. The selectors of the pools decide to which pool a node belongs.
func TestNodesAndSelectorsDecideThePool(t *testing.T) {
	gone := object("worker", configB)
	gone.Name = "gone"
	windows := kube(configB, "worker")
	windows.Labels[corev1.LabelOSStable] = "windows"
	unlabeled := kube(configB, "worker")
	unlabeled.Status.NodeInfo.OperatingSystem = "windows"
	noRole := kube(configB)
	noRole.Status.NodeInfo.OperatingSystem = "windows"
	noLabels := kube(configB)
	noLabels.Labels = nil
	type nodes = []cluster.Node
	for name, tc := range map[string]struct {
		nodes    nodes
		hasNodes bool
		want     string // the pool of the node, or another list that has the node
	}{
		"a Node and its object":                               {nodes{cluster.NewNode(kube(configB, "worker"), object("worker", configB))}, true, "worker"},
		"the role labels of the Node have changed":            {nodes{cluster.NewNode(kube(configB, "worker", "infra"), object("worker", configB))}, true, "infra"},
		"a Node without labels, as in a dump":                 {nodes{cluster.NewNode(noLabels, object("infra", configB))}, true, "infra"},
		"no pool":                                             {nodes{cluster.NewNode(kube(configB, "other"), object("not-yet-set", configB))}, true, "unselected"},
		"no pool selects the Node now":                        {nodes{cluster.NewNode(kube(configB, "other"), object("worker", configB))}, true, "unselected"},
		"the pool master is missing, but the object names it": {nodes{cluster.NewNode(kube(configB, "master"), object("master", configB))}, true, "master"},
		"the pool master is missing, no object":               {nodes{cluster.NewNode(kube(configB, "master"), nil)}, true, ""},
		"Windows":                                             {nodes{cluster.NewNode(windows, object("worker", configB))}, true, "Windows"},
		"Windows, without its label":                          {nodes{cluster.NewNode(unlabeled, nil)}, true, "Windows"},
		"Windows, without a role":                             {nodes{cluster.NewNode(noRole, nil)}, true, "Windows"},
		"an object without a Node, Nodes may not be listed":   {nodes{cluster.NewNode(nil, gone)}, true, "worker"},
		"an object of no pool":                                {nodes{cluster.NewNode(nil, object("not-yet-set", configB))}, false, "unselected"},
		"a v1alpha1 object of no pool":                        {nodes{cluster.NewNode(nil, object("NotYetSet", configB))}, false, "unselected"},
		"a Node of a custom pool that was deleted":            {nodes{cluster.NewNode(kube("rendered-web-b", "worker", "web"), nil)}, true, "worker"},
		"a pool that is not known, all others are complete":   {nodes{cluster.NewNode(kube(configB, "worker"), nil), cluster.NewNode(nil, object("web", configB))}, false, "workerleft over"},
		"a pool that is not known, and one is not complete":   {nodes{cluster.NewNode(kube(configA, "infra"), nil), cluster.NewNode(nil, object("web", configB))}, false, "infraweb"},
	} {
		pools := []*mcfgv1.MachineConfigPool{selecting("infra"), selecting("gpu"), selecting("worker")}
		if !tc.hasNodes {
			pools[2].Status.MachineCount = 1
		}
		c := cluster.Of(cluster.Objects{Pools: pools, Nodes: tc.nodes, HasNodes: tc.hasNodes}, at(60))
		got := ""
		for _, p := range c.Pools {
			for _, n := range p.Nodes {
				assert.Equal(t, p.Name, n.Pool)
				got += p.Name
			}
		}
		switch {
		case tc.want == "Windows":
			assert.Empty(t, append(c.Leftover, c.Unselected...))
			got += "Windows"
		case len(c.Leftover) > 0:
			got += "left over"
		case len(c.Unselected) > 0:
			got += "unselected"
		}
		assert.Equal(t, tc.want, got, name)
	}
}

// Nobody knows what the machines do whose Nodes a dump does not have. So a pool with such machines is not stalled, has no estimate,
// and may not be Updated because of them.
func TestAPoolWithoutSomeOfItsNodesIsNotJudgedByTheOthers(t *testing.T) {
	in := func(all ...cluster.Node) (nodes []cluster.Node) {
		for _, n := range all {
			nodes = append(nodes, n.In(kube(configB, "worker")))
		}
		return nodes
	}
	done := in(finishedNode("a", 0, 8), finishedNode("b", 0, 6), finishedNode("c", 6, 13))
	waiting := append(in(waitingNode("d")), done...)
	for machines, isPartial := range map[int32]bool{0: false, 1: true} {
		of := func(minutes float64, nodes []cluster.Node) cluster.Pool {
			p := selecting("worker", retargeted(20), func(p *mcfgv1.MachineConfigPool) { p.Status.MachineCount = int32(len(nodes)) + machines })
			return one(t, p, minutes, nodes...)
		}
		assert.Equal(t, isPartial, of(60, waiting).Partial)
		assert.Equal(t, !isPartial, of(60, waiting).Stalled)
		assert.Equal(t, isPartial, of(21, waiting).Remaining == nil)
		assert.Equal(t, isPartial, of(60, done).NotUpdated == nil)
		assert.Equal(t, 3, of(60, done).Total())
	}
}

// A node of another pool that runs a config of a pool, or is told to, has left this pool. It is not missing, and takes no place.
func TestANodeThatHasLeftAPoolIsNotMissing(t *testing.T) {
	const ofInfra, before = "rendered-infra-1", "rendered-worker-0"
	for name, tc := range map[string]struct {
		current, desired string
		machines         int32
		moved            []string
		missing          int
	}{
		"it updates to the target":           {before, configB, 2, []string{"d"}, 0},
		"it runs the config of the status":   {configA, ofInfra, 2, []string{"d"}, 0},
		"another machine is missing":         {configB, ofInfra, 3, []string{"d"}, 1},
		"it runs the config of the new pool": {ofInfra, ofInfra, 2, nil, 1},
		"the status no longer counts it":     {configB, ofInfra, 1, nil, 0},
		"it and the status have no config":   {"", "", 2, nil, 1},
	} {
		p := selecting("worker", retargeted(20), unavailable(1), func(p *mcfgv1.MachineConfigPool) {
			p.Status.MachineCount = tc.machines
			if tc.current != "" { // the status of a new pool has no config
				p.Status.Configuration.Name = configA
			}
		})
		moved := waitingNode("d").In(kube(configA, "infra"))
		moved.Current, moved.Desired = target(tc.current), target(tc.desired)
		pools := poolsOf([]*mcfgv1.MachineConfigPool{selecting("infra"), p}, []cluster.Node{waitingNode("c").In(kube(configA, "worker")), moved}, at(60))
		got := pools[1]
		assert.Equal(t, tc.moved, got.Moved, name)
		assert.Equal(t, [3]any{tc.missing, tc.missing > 0, tc.missing > 0}, [3]any{got.Missing, got.Partial, got.Blocked}, name)
		assert.Equal(t, 1, got.Total(), name)
	}
}

// Without a report in a MachineConfigNode, the annotations of the Node decide what the node runs.
func TestAnnotationsDecideWithoutAReport(t *testing.T) {
	state := func(n *corev1.Node, state string) *corev1.Node {
		n.Annotations["machineconfiguration.openshift.io/state"] = state
		return n
	}
	for name, tc := range map[string]struct {
		node    *corev1.Node
		updated bool
		want    [6]int
	}{
		"runs the target":                   {kube(configB, "worker"), false, [6]int{1, 0, 0, 0, 0, 0}},
		"joins":                             {state(kube(configB, "worker"), "Working"), false, [6]int{0, 0, 0, 0, 0, 1}},
		"a joining node in an Updated pool": {state(kube(configB, "worker"), "Working"), true, [6]int{1, 0, 0, 0, 0, 0}},
		"a joining node with another config in an Updated pool": {state(kube(configA, "worker"), "Working"), true, [6]int{0, 0, 0, 0, 0, 1}},
		"no annotations":                    {state(kube("", "worker"), ""), false, [6]int{0, 0, 0, 0, 0, 1}},
		"no annotations in an Updated pool": {state(kube("", "worker"), ""), true, [6]int{1, 0, 0, 0, 0, 0}},
	} {
		p := selecting("worker")
		p.Status.MachineCount = 3 // two Nodes were deleted since
		if tc.updated {
			updated(p)
		}
		isNew := mcn(withDesired(""))
		isNew.Status.ConfigVersion = nil
		for _, mcn := range []*mcfgv1.MachineConfigNode{nil, isNew} {
			nodes := []cluster.Node{cluster.NewNode(tc.node, mcn)}
			got := cluster.Of(cluster.Objects{Pools: []*mcfgv1.MachineConfigPool{p}, Nodes: nodes, HasNodes: true}, at(60))
			assert.Equal(t, tc.want, counts(got.Pools[0]), name)
			assert.False(t, got.Pools[0].Partial, name)
			assert.Equal(t, tc.updated && tc.want[0] == 1, got.Pools[0].IsDone(), name)
		}
	}
}

// A config that is only in the spec of an object is not the target if the pool has withdrawn it.
func TestAWithdrawnConfigIsNotTheTarget(t *testing.T) {
	m := object("worker", configB, withDesired(configA))
	p := one(t, worker("", updated), 6000, cluster.NewNode(nil, m))
	assert.True(t, p.IsDone())
	assert.False(t, p.Nodes[0].InUpdate())
	p = one(t, selecting("worker", updated), 6000, cluster.NewNode(kube(configB, "worker"), m))
	assert.True(t, p.IsDone())
	told := kube(configB, "worker")
	told.Annotations["machineconfiguration.openshift.io/desiredConfig"] = configA
	p = one(t, selecting("worker", updated), 6000, cluster.NewNode(told, m))
	assert.False(t, p.IsDone(), "the annotations of the Node desire the withdrawn config")
	assert.True(t, p.Nodes[0].OffTarget)
	assert.False(t, one(t, worker(""), 100, drainingNode("a", 99)).Nodes[0].OffTarget)

	requested := managed(entry(`{"f:spec":{}}`, at(50)))
	never, withdrawn := object("worker", configB), object("worker", configB, withDesired(configA), requested)
	want := one(t, worker("", updated), 6000, cluster.NewNode(nil, never)).Nodes
	assert.Equal(t, want, one(t, worker("", updated), 6000, cluster.NewNode(nil, withdrawn)).Nodes, "a withdrawn request without a start is ignored")
	started := object("worker", configB, withDesired(configA), is(phases.Updated, no, 51), is(phases.Drained, running, 52))
	assert.True(t, one(t, worker("", updated), 6000, cluster.NewNode(nil, started)).Nodes[0].OffTarget)
	started.Status.ConfigVersion.Desired = configA
	p = one(t, selecting("worker", updated), 6000, cluster.NewNode(kube(configB, "worker"), started))
	assert.True(t, p.Nodes[0].OffTarget, "the daemon goes on with the update that it has prepared")
	assert.Equal(t, configA, p.Nodes[0].Towards().Config)
	again := object("worker", configB, withDesired(configB), is(phases.Updated, no, 51), is(phases.UpdatePrepared, running, 52))
	again.Status.ConfigVersion.Desired = configA
	assert.Equal(t, configB, cluster.NewNode(kube(configB, "worker"), again).Towards().Config, "the next update is not prepared yet")
	started.Status.ConfigVersion = nil
	assert.Equal(t, configB, cluster.NewNode(kube(configB, "worker"), started).Towards().Config)
}

// If all nodes have the target, and the pool is not Updated, the screen gives the reason.
func TestAPoolThatIsNotUpdatedGivesTheReason(t *testing.T) {
	says := func(change func(*mcfgv1.MachineConfigPool)) *mcfgv1.MachineConfigPool {
		return worker("", updated, change)
	}
	for name, tc := range map[string]struct {
		pool *mcfgv1.MachineConfigPool
		want string
	}{
		"Updated is False": {says(func(p *mcfgv1.MachineConfigPool) {
			p.Status.Conditions[0].Status, p.Status.Conditions[0].Message = "False", "a node is not ready"
			withCondition("Updating", "All nodes are updating")(p)
		}), "a node is not ready"},
		"Updating is True":                               {worker("", retargeted(20), withCondition("Updating", "All nodes are updating")), "All nodes are updating"},
		"no condition Updated":                           {worker(""), "the status of the pool has no condition Updated"},
		"the status has no config":                       {says(func(p *mcfgv1.MachineConfigPool) { p.Status.Configuration.Name = "" }), "the status of the pool still has no config"},
		"the status has an earlier generation":           {says(func(p *mcfgv1.MachineConfigPool) { p.Generation, p.Status.ObservedGeneration = 3, 2 }), "the controller has not yet read the last change of the pool"},
		"the status has the current generation":          {says(func(p *mcfgv1.MachineConfigPool) { p.Generation, p.Status.ObservedGeneration = 3, 3 }), ""},
		"the status has no generation, as in some dumps": {says(func(p *mcfgv1.MachineConfigPool) { p.Generation = 3 }), ""},
	} {
		tc.pool.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "oc", Time: &metav1.Time{Time: at(50)}, FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:paused":{}}}`)}}
		p := one(t, tc.pool, 60, finishedNode("a", 0, 40))
		assert.Equal(t, tc.want == "", p.IsDone(), name)
		if tc.want == "" {
			assert.Nil(t, p.NotUpdated, name)
			continue
		}
		require.NotNil(t, p.NotUpdated, name)
		assert.Equal(t, tc.want, p.NotUpdated.Message, name)
		since := at(40) // the last node has the target
		if strings.Contains(name, "generation") {
			since = at(50) // somebody has changed the spec
		}
		assert.Equal(t, since, p.NotUpdated.Since, name)
		assert.Nil(t, one(t, tc.pool, 60, waitingNode("a")).NotUpdated, "a node that is not done is reason enough")
	}
	assert.Nil(t, one(t, worker("", retargeted(20), building), 60).NotUpdated, "a build is reason enough")
	empty := worker("", updated, func(p *mcfgv1.MachineConfigPool) {
		p.CreationTimestamp, p.Status.Configuration.Name = metav1.NewTime(at(1)), configA
	})
	assert.Zero(t, one(t, empty, 60).NotUpdated.Since, "a pool without nodes was Updated until it got its target, and nobody knows when")
}

// A pool is stalled if nodes wait, fewer than maxUnavailable are unavailable, and no node updates, or if maxUnavailable is invalid.
func TestAPoolWithRoomForWaitingNodesIsStalled(t *testing.T) {
	done := finishedNode("a", 0, 90)
	for name, tc := range map[string]struct {
		pool  *mcfgv1.MachineConfigPool
		nodes []cluster.Node
		now   float64
		want  bool
	}{
		"one waits":                       {worker("2", retargeted(20)), []cluster.Node{done, waitingNode("b")}, 100, true},
		"longer than between two updates": {worker("2", retargeted(20)), []cluster.Node{done, waitingNode("b")}, 92, true},
		"one updates, an invalid limit":   {worker("two", retargeted(20)), []cluster.Node{drainingNode("a", 99), waitingNode("b")}, 100, true},
		"paused":                          {worker("2", retargeted(20), paused), []cluster.Node{done, waitingNode("b")}, 100, false},
		"the times are not known":         {worker("2", retargeted(math.Inf(-1))), []cluster.Node{{Node: mco.Node{Node: progress.Node{Name: "b", Pool: "worker", Done: true, Desired: target(configA), Current: target(configA)}}}}, 100, true},
		"a pool that is not known":        {nil, []cluster.Node{waitingNode("b")}, 100, false},
	} {
		assert.Equal(t, tc.want, one(t, tc.pool, tc.now, tc.nodes...).Stalled, name)
	}
	p := one(t, worker("2", retargeted(20)), 100, done, waitingNode("b"))
	assert.Equal(t, at(90), p.StalledSince)
	p = one(t, worker("2", retargeted(math.Inf(-1))), 100, done, waitingNode("b"))
	assert.True(t, p.Stalled && p.StalledSince.IsZero(), "the target may have changed after the last update")
	written := worker("2", retargeted(math.Inf(-1)))
	written.ManagedFields = []metav1.ManagedFieldsEntry{entry(`{"f:spec":{"f:configuration":{}}}`, at(80))}
	assert.Equal(t, at(90), one(t, written, 100, done, waitingNode("b")).StalledSince, "the target was written before the end of the last update")
	ended := waitingNode("c")
	ended.Ended = at(99)
	assert.False(t, one(t, worker("2", retargeted(20)), 100, done, waitingNode("b"), ended).Stalled, "a node has just finished its update")
}

// If the controller has not read the target yet, the pool is not stalled. After two minutes, the screen
// says that the controller has not read it.
func TestAnUnobservedPoolIsNotStalled(t *testing.T) {
	set := func(minutes float64) func(*mcfgv1.MachineConfigPool) {
		return func(p *mcfgv1.MachineConfigPool) {
			p.ManagedFields = []metav1.ManagedFieldsEntry{entry(`{"f:spec":{"f:configuration":{}}}`, at(minutes))}
		}
	}
	created := func(minutes float64) func(*mcfgv1.MachineConfigPool) {
		return func(p *mcfgv1.MachineConfigPool) { p.CreationTimestamp = metav1.NewTime(at(minutes)) }
	}
	ofLast := func(p *mcfgv1.MachineConfigPool) { p.Status.Configuration.Name = configA }
	behind := func(p *mcfgv1.MachineConfigPool) { p.Generation, p.Status.ObservedGeneration = 3, 2 }
	other := withCondition("Updating", "All nodes are updating to MachineConfig rendered-worker-ccc")
	for name, tc := range map[string]struct {
		changes []func(*mcfgv1.MachineConfigPool)
		isSaid  bool
		since   time.Time
	}{
		"one second after the target was set":        {changes: []func(*mcfgv1.MachineConfigPool){updated, ofLast, set(99.9)}},
		"three minutes after the target was set":     {[]func(*mcfgv1.MachineConfigPool){updated, ofLast, set(97)}, true, at(97)},
		"the time of the target is not known":        {[]func(*mcfgv1.MachineConfigPool){updated, ofLast}, true, time.Time{}},
		"a rollback at an unknown time":              {[]func(*mcfgv1.MachineConfigPool){retargeted(20), other, created(1), func(p *mcfgv1.MachineConfigPool) { p.Status.Configuration.Name = configB }}, true, time.Time{}},
		"the controller has not read the generation": {changes: []func(*mcfgv1.MachineConfigPool){retargeted(20), behind, set(99.9)}},
		"a new pool with a later target":             {[]func(*mcfgv1.MachineConfigPool){created(90), set(97)}, true, at(97)},
	} {
		p := one(t, worker("2", tc.changes...), 100, waitingNode("b"))
		assert.False(t, p.Stalled || p.Observed, name)
		if assert.Equal(t, tc.isSaid, p.Unobserved != nil, name) && tc.isSaid {
			assert.Equal(t, tc.since, p.Unobserved.Since, name)
		}
	}
	sentence := withCondition("Updating", "All nodes are updating to MachineConfig "+configB+". 1 of 6 nodes have it.")
	assert.True(t, one(t, worker("2", retargeted(20), ofLast, sentence), 100, waitingNode("b")).Observed, "a full stop after the name of the target is not part of the name")
	counted := func(p *mcfgv1.MachineConfigPool) { p.Status.MachineCount, p.Status.UpdatedMachineCount = 1, 1 }
	moved := one(t, selecting("worker", updated, counted), 100, waitingNode("b").In(kube(configA, "worker")))
	assert.True(t, !moved.Stalled && moved.Unobserved != nil, "the status counts the node as updated")
	assert.Nil(t, one(t, worker("2", updated, ofLast, set(90)), 100, drainingNode("a", 99), waitingNode("b")).Unobserved, "an updating node shows that the controller has read the target")
}

// While a node lacks the image of its pool, the node is not done, even if it has the config.
func TestANodeWithoutTheImageIsNotDone(t *testing.T) {
	updating := func(message string) func(*mcfgv1.MachineConfigPool) { return withCondition("Updating", message) }
	const applying = "Pool is waiting for nodes to apply OS image (mosb: b)"
	old, applied := imaged("a", "x", "x", 0, 1), imaged("b", "x", "x", 30, 35)
	for name, tc := range map[string]struct {
		pool  *mcfgv1.MachineConfigPool
		nodes []cluster.Node
		build string
		want  [6]int
	}{
		"the image is not applied yet":                      {worker("", retargeted(20), updating(applying)), []cluster.Node{old}, "BuildSucceeded", [6]int{0, 0, 0, 1}},
		"the node failed to apply the image":                {worker("", retargeted(20), updating(applying)), []cluster.Node{degradedNode(old, 30)}, "", [6]int{0, 0, 1}},
		"the image is applied, the pool's status is behind": {worker("", retargeted(20), updating(applying)), []cluster.Node{applied}, "", [6]int{1}},
		"the message of a build that has ended":             {worker("", updated, paused, updating("Pool is paused; OS image build completed successfully (mosb: b)")), []cluster.Node{old}, "", [6]int{1}},
	} {
		p := one(t, tc.pool, 60, tc.nodes...)
		assert.Equal(t, tc.want, counts(p), name)
		got := ""
		if p.Build != nil {
			got = p.Build.Type
		}
		assert.Equal(t, tc.build, got, name)
		assert.Equal(t, name == "the message of a build that has ended", p.IsDone(), name)
		assert.Equal(t, name == "interrupted", len(p.Problems) == 1, name)
	}
}

func waitsFor(p cluster.Pool) string {
	if p.WaitsFor == nil {
		return ""
	}
	return p.WaitsFor.Name
}

// While masters are unavailable or wait for their update, the pool arbiter is not stalled.
func TestAnArbiterThatWaitsForMastersIsNotStalled(t *testing.T) {
	named := func(name string, changes ...func(*mcfgv1.MachineConfigPool)) *mcfgv1.MachineConfigPool {
		p := worker("", append(changes, retargeted(0))...)
		p.Name = name
		return p
	}
	in := func(pool string, n cluster.Node) cluster.Node {
		n.Pool = pool
		return n
	}
	waiting := in("master", waitingNode("m-0"))
	failed := waiting
	failed.Degraded = true
	toDo := waitingNode("a-0")
	done := in("master", finishedNode("m-0", 1, 5))
	for name, tc := range map[string]struct {
		master   *mcfgv1.MachineConfigPool
		node     cluster.Node
		pool     *mcfgv1.MachineConfigPool
		arbiter  cluster.Node
		waitsFor string
		stalled  bool
	}{
		"a master waits":                  {named("master"), waiting, named("arbiter"), toDo, "master", false},
		"no place is free for the master": {named("master", unavailable(1)), waiting, named("arbiter"), toDo, "", true},
		"a master is done":                {named("master"), done, named("arbiter"), toDo, "", true},
		"the pool arbiter is paused":      {named("master"), waiting, named("arbiter", paused), toDo, "", false},
		"another pool":                    {named("masters"), in("masters", waiting), named("arbiter"), toDo, "", true},
	} {
		arbiter := in("arbiter", tc.arbiter)
		for _, p := range poolsOf([]*mcfgv1.MachineConfigPool{tc.pool, tc.master}, []cluster.Node{arbiter, tc.node}, at(30)) {
			if p.Name == "arbiter" {
				assert.Equal(t, tc.waitsFor, waitsFor(p), name)
				assert.Equal(t, tc.stalled, p.Stalled, name)
			}
		}
	}
}
