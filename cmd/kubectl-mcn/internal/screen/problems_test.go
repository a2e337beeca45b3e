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

// A node whose cordon is lifted, or that is back from its reboot, needs another command than a node with the same error.
func TestALiftedCordonAndANodeThatIsBackAreCausesOfTheirOwn(t *testing.T) {
	n := cluster.Node{State: cluster.Updating, Slow: true, Node: mco.Node{Node: progress.Node{Name: "w-1", Pool: "worker", Update: progress.Started}, Step: phases.Drained, Failing: true, Message: "an error"}}
	n.Started, n.Ended = time.Unix(1, 0), time.Unix(2, 0) // of steps, which say nothing about the Node
	lifted, back := n, n
	lifted.IsLifted, back.Back = true, time.Unix(1, 0)
	for _, other := range []cluster.Node{lifted, back} {
		assert.NotEqual(t, ofNode(cluster.Pool{}, n, Options{}).cause, ofNode(cluster.Pool{}, other, Options{}).cause)
	}
	assert.Equal(t, "Draining, failing, no longer cordoned, so pods come back", howStuck(cluster.Pool{}, lifted, Options{}))
	assert.Equal(t, nextFor("w-1", cordon), Next(lifted, Options{})[:1])
	lifted.Unavailable = []progress.Unavailable{{Reason: progress.NotReady}}
	assert.Equal(t, "Draining, failing, NotReady, no longer cordoned", howStuck(cluster.Pool{}, lifted, Options{}), "no pod comes back to such a node")
	assert.Equal(t, nextFor("w-1", describeNode, cordon), Next(lifted, Options{}))
	assert.Equal(t, "Rebooted and back since Jan 1 00:00:01, at this step, the daemon has not reported the reboot, failing", howStuck(cluster.Pool{}, back, Options{}), "it may have reported something else")
	back.Unavailable = lifted.Unavailable
	assert.Equal(t, "Rebooted, at this step, the daemon has not reported the reboot, failing, NotReady", howStuck(cluster.Pool{}, back, Options{}))
}

// Without a MachineConfigNode, the Node of a machine that has come back says since when.
func TestANodeIsReadyAgainIfThatIsAfterTheStartOfItsUpdate(t *testing.T) {
	n := cluster.Node{Node: mco.Node{Node: progress.Node{Update: progress.Started}, Started: time.Unix(1, 0), Ended: time.Unix(2, 0)}}
	done, down, same := n, n, n
	done.Update, same.Ended = progress.NoUpdate, same.Started
	down.Unavailable = []progress.Unavailable{{Reason: progress.NotReady}}
	assert.True(t, isReadyAgain(n))
	for _, n := range []cluster.Node{done, down, same} {
		assert.False(t, isReadyAgain(n))
	}
}

// In JSON, too, the message of a Node that is NotReady is the cause, unless there is an error.
func TestTheMessageOfAnUnavailableNodeIsTheCause(t *testing.T) {
	n := cluster.Node{Slow: true, Node: mco.Node{Step: phases.RebootedNode, Messages: map[progress.UnavailableReason]string{progress.NotReady: "no status"}}}
	n.Unavailable = []progress.Unavailable{{Reason: progress.NotReady}}
	assert.Equal(t, "no status", ofNode(cluster.Pool{}, n, Options{}).Message)
	n.Failing, n.Message = true, "an error"
	assert.Equal(t, []string{"no status"}, ofNode(cluster.Pool{}, n, Options{}).Details)
}

// If nobody knows since when a node is degraded, the entry says since when its pool is, if that is known.
func TestThePoolSaysSinceWhenANodeIsDegraded(t *testing.T) {
	n := cluster.Node{Node: mco.Node{Node: progress.Node{Degraded: true}}}
	since := time.Date(2026, 3, 4, 14, 0, 0, 0, time.UTC)
	assert.Equal(t, "degraded, the pool since 14:00:00", howStuck(cluster.Pool{DegradedSince: since}, n, Options{Now: since}))
	assert.Equal(t, "degraded", howStuck(cluster.Pool{}, n, Options{Now: since}))
}

// An entry names only the pods of its first node. So nodes that wait for different pods have an entry each.
func TestPodsThatNoBudgetRefusesAreACauseOfTheirOwn(t *testing.T) {
	causeOf := func(pods ...mco.Pod) any {
		return ofNode(cluster.Pool{}, cluster.Node{Slow: true, Node: mco.Node{Step: phases.Drained, Failing: true, Pods: pods}}, Options{}).cause
	}
	a, b, c := mco.Pod{Namespace: "shop", Name: "a"}, mco.Pod{Namespace: "shop", Name: "b"}, mco.Pod{Namespace: "shop", Name: "c"}
	assert.Equal(t, causeOf(a, b), causeOf(b, a))
	assert.NotEqual(t, causeOf(a, b), causeOf(a, c))
}

// The error of a degraded node says more than its step, if there is one.
func TestTheStepOfADegradedNodeMattersWithoutAnError(t *testing.T) {
	causeOf := func(step phases.Phase, message string) any {
		return ofNode(cluster.Pool{}, cluster.Node{Node: mco.Node{Node: progress.Node{Degraded: true}, Step: step, Message: message}}, Options{}).cause
	}
	assert.Equal(t, causeOf(phases.Drained, "disk full"), causeOf(phases.RebootedNode, "disk full"))
	assert.NotEqual(t, causeOf(phases.Drained, ""), causeOf(phases.RebootedNode, ""))
}

// Nodes that have not reported share an entry, although they were not created at the same time.
func TestANodeThatHasNotReportedExistsSinceItsCreation(t *testing.T) {
	created := time.Date(2026, 3, 4, 14, 0, 0, 0, time.UTC)
	n := cluster.Node{State: cluster.Unreported, Created: created, Node: mco.Node{Node: progress.Node{Name: "w-1", HasNode: true}}}
	later := n
	later.Created = created.Add(time.Minute)
	all := ofHeldNodes(cluster.Pool{Nodes: []cluster.Node{n, later}}, Options{Now: later.Created})
	assert.Equal(t, "has not reported: its Node exists since 14:00:00 (60s)", all[0].What)
	assert.Equal(t, all[0].cause, all[1].cause)
	assert.Equal(t, later.Created, all[1].Began())
}

// The text of a ClusterOperator is left out if it is about pools that have entries.
func TestATextIsAnEchoIfItIsAboutPoolsWithEntries(t *testing.T) {
	const text = "One or more machine config pools are degraded, please see `oc get mcp`"
	degraded := cluster.Pool{Name: "infra", Problems: []cluster.PoolCondition{{Type: "Degraded"}}}
	assert.True(t, isEcho(text, []cluster.Pool{{Name: "worker"}, degraded}, Options{}))
	assert.False(t, isEcho(text, []cluster.Pool{{Name: "worker"}}, Options{}))
	assert.False(t, isEcho("another text", []cluster.Pool{degraded}, Options{}))
}

// If no set is named, the sets that the daemon pulls are not known.
func TestTheEntryOfPinnedImageSetsNamesThem(t *testing.T) {
	assert.Equal(t, "the daemon checks the pinned image sets", ofSets([]string{""}, false))
	assert.Equal(t, "a pinned image set has failed", ofSets([]string{""}, true))
	assert.Equal(t, "pinned image set a is being pulled", ofSets([]string{"a"}, false))
	assert.Equal(t, "pinned image sets a, b have failed", ofSets([]string{"a", "b"}, true))
	for want, sets := range map[string][]mco.PinnedImageSet{
		"a pinned image set has failed":           {{Name: "a", Failed: true}, {Name: "b"}},
		"a pinned image set is being pulled":      {{Name: "a"}},
		"the daemon checks the pinned image sets": {{}},
	} {
		p := cluster.Pool{Name: "worker", Known: true, Nodes: []cluster.Node{{Node: mco.Node{PinnedImageSets: sets}}}}
		assert.Equal(t, "worker 0/0, "+want, Standing(p))
	}
}
