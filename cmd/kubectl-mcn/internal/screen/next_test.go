package screen

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// While the controller drains a node, its log explains a message of the step. Another error is one of the daemon.
func TestTheControllersLogExplainsMessagesOfItsSteps(t *testing.T) {
	n := cluster.Node{State: cluster.Stuck}
	n.Name, n.Step, n.Degraded, n.Message, n.IsOfStep = "a", phases.Drained, true, "no such host", true
	assert.Equal(t, []string{controllerLog}, Next(n, Options{}))
	n.IsOfStep = false
	assert.NotContains(t, Next(n, Options{}), controllerLog)
}

// One command shows the budgets of all refused pods of a namespace, so it comes before the commands for single pods.
func TestTheBudgetsComeBeforeTheOtherPods(t *testing.T) {
	n := cluster.Node{Node: mco.Node{Pods: []mco.Pod{{Namespace: "shop", Name: "a"}, {Namespace: "db", Name: "b", Refused: true}, {Namespace: "db", Name: "c", Refused: true}}}}
	_, next := Options{}.ofPods(n)
	assert.Equal(t, []string{"oc get pdb -n db", "oc get pod a -n shop"}, next)
}

// A node that goes on to a withdrawn target needs nothing, unless its daemon does not report.
func TestADaemonThatDoesNotReportAfterARebootIsNextForAWithdrawnTargetToo(t *testing.T) {
	n := cluster.Node{State: cluster.Updating, OffTarget: true, Node: mco.Node{Node: progress.Node{Name: "w-1", HasNode: true, Update: progress.Started}, Step: phases.RebootedNode}}
	assert.Empty(t, Next(n, Options{}))
	n.Back = time.Date(2026, 3, 4, 14, 0, 0, 0, time.UTC)
	assert.Equal(t, nextFor("w-1", daemonPods, daemonLog), Next(n, Options{}))
	n.Unavailable = []progress.Unavailable{{Reason: progress.NotReady}}
	assert.Equal(t, nextFor("w-1", describeNode, daemonLog), Next(n, Options{}), "the Node may be NotReady for another cause")
}
