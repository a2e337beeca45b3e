package screen

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// While the controller drains a node, its log explains a message of the step. Another error is one of the daemon.
func TestTheControllersLogExplainsMessagesOfItsSteps(t *testing.T) {
	n := cluster.Node{State: cluster.Stuck}
	n.Name, n.Step, n.Degraded, n.Message, n.IsOfStep = "a", phases.Drained, true, "no such host", true
	assert.Equal(t, []string{mco.ControllerLog}, Next(n, Options{}))
	n.Steps = []mco.Step{{Phase: phases.Drained, State: mco.ToDo}, {Phase: phases.Uncordoned, State: mco.ToDo}}
	assert.Equal(t, []string{mco.ControllerLog}, Next(n, Options{}), "without the Node, nobody knows that the daemon has not asked for the drain")
	for request, step := range map[string]phases.Phase{"drain-": phases.Drained, "uncordon-": phases.Uncordoned, "drain-another": ""} {
		n.DesiredDrain = request
		for _, n.Step = range []phases.Phase{phases.Drained, phases.Uncordoned} {
			assert.Equal(t, n.Step == step, slices.Contains(Next(n, Options{}), mco.ControllerLog), request)
		}
	}
	n.Steps, n.IsOfStep = nil, false
	assert.NotContains(t, Next(n, Options{}), mco.ControllerLog)
	n.Step, n.Degraded = phases.AppliedFiles, false
	assert.Equal(t, nextFor("a", daemonLog), Next(n, Options{}))
}

// A build that is not named is one of all builds. The waiting nodes wait for it, and for no other condition.
func TestABuildConcernsTheWaitingNodes(t *testing.T) {
	p := cluster.Pool{Name: "worker", Nodes: []cluster.Node{{State: cluster.Waiting}}}
	for kind, next := range map[string]string{"BuildFailed": "oc describe machineosbuilds", "RenderDegraded": byAge} {
		problem := ofCondition(p, cluster.PoolCondition{Type: kind, Message: "x"}, Alarm, Options{})
		assert.Equal(t, []string{next}, problem.Next)
		assert.Equal(t, kind == "BuildFailed", len(problem.About) == 1, kind)
	}
	p.Build = &cluster.PoolCondition{Type: "Building"}
	assert.Empty(t, Failures(p, Options{}), "a build has no time limit")
	p.Build.Type = cluster.BuildSucceeded
	assert.Len(t, Failures(p, Options{}), 1)
	assert.Equal(t, []string{mco.ControllerLog}, nextForPool(p, *p.Build, Options{}))
	p.Full = true
	assert.Empty(t, nextForPool(p, *p.Build, Options{}), "the entry of the unavailable nodes has the command")
	p.Full, p.WaitsFor = false, &cluster.Pool{Name: "master"}
	assert.Empty(t, Failures(p, Options{}), "the nodes get the image after those of the other pool")
	assert.Empty(t, nextForPool(p, *p.Build, Options{}), "it is the other pool that delays them")
}

// One command shows the budgets of all refused pods of a namespace, so it comes before the commands for single pods. A pod
// that is known to be terminating or not Ready comes first, wherever the error names it.
func TestThePodsOfWhichMoreIsKnownComeFirst(t *testing.T) {
	shop := func(name string) mco.Pod { return mco.Pod{Namespace: "shop", Name: name} }
	n := cluster.Node{Node: mco.Node{Pods: []mco.Pod{shop("a"), {Namespace: "db", Name: "b", Refused: true}, {Namespace: "db", Name: "c", Refused: true}}}}
	since := time.Date(2026, 3, 4, 14, 0, 0, 0, time.UTC)
	nextWith := func(known map[string]cluster.Pod) []string {
		o := Options{Facts: cluster.Facts{Pods: map[types.NamespacedName]cluster.Pod{}}, Now: since}
		for name, pod := range known {
			n.Pods = append(n.Pods, shop(name))
			o.Pods[nameOf(shop(name))] = pod
		}
		texts, next := o.ofPods(n)
		assert.Equal(t, len(known) > 0, slices.Contains(texts, "shop/e is not Ready since 14:00:00 (0s): CrashLoopBackOff"))
		return next
	}
	assert.Equal(t, []string{"oc get pdb -n db", "oc get pod a -n shop"}, nextWith(nil))
	known := map[string]cluster.Pod{"d": {Deleted: since, Finalizers: []string{"x"}}, "e": {NotReady: since, Why: "CrashLoopBackOff"}}
	assert.Equal(t, []string{"oc get pod d -n shop", "oc get pod e -n shop", "oc get pdb -n db", "oc get pods -n shop"}, nextWith(known))
	known["f"] = cluster.Pod{Deleted: since}
	assert.Equal(t, []string{"oc get pod d -n shop", "oc get pods -n shop", "oc get pdb -n db"}, nextWith(known), "of two pods, as much is known")
}

// A node that goes on to a withdrawn target needs nothing, unless its daemon does not report.
func TestADaemonThatDoesNotReportAfterARebootIsNextForAWithdrawnTargetToo(t *testing.T) {
	n := cluster.Node{State: cluster.Updating, OffTarget: true, Node: mco.Node{Node: progress.Node{Name: "w-1", HasNode: true, Update: progress.Started}, Step: phases.RebootedNode}}
	assert.Empty(t, Next(n, Options{}))
	n.Back = time.Date(2026, 3, 4, 14, 0, 0, 0, time.UTC)
	assert.Equal(t, nextFor("w-1", daemonPods, daemonLog), Next(n, Options{}))
	n.OffTarget = false
	assert.Empty(t, Next(n, Options{}), "it may report in a moment")
	n.OffTarget = true
	n.Unavailable = []progress.Unavailable{{Reason: progress.NotReady}}
	assert.Equal(t, nextFor("w-1", describeNode, daemonPods, daemonLog), Next(n, Options{}), "the Node may be NotReady for another cause")
}
