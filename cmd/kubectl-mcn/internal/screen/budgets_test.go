package screen

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// If the disruption controller has not counted the pods of a budget, the screen shows the cause instead of the counts.
func TestTheHealthOfABudgetIsItsCountOrTheFailureToCount(t *testing.T) {
	for _, tc := range []struct {
		reason     string
		generation int64
		want       string
	}{
		{policyv1.SyncFailedReason, 0, "no controller"}, {policyv1.SyncFailedReason, 2, "no controller"},
		{policyv1.InsufficientPodsReason, 0, "1 of 2 healthy"},
		{policyv1.SufficientPodsReason, 1, "1 of 2 healthy"}, {policyv1.SufficientPodsReason, 2, "its last change is not processed yet"},
	} {
		o := &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Generation: tc.generation}}
		o.Status.CurrentHealthy, o.Status.ExpectedPods, o.Status.ObservedGeneration = 1, 2, 1
		o.Status.Conditions = []metav1.Condition{{Type: policyv1.DisruptionAllowedCondition, Reason: tc.reason, Message: "no controller"}}
		assert.Equal(t, tc.want, healthOf(cluster.NewBudget(o)), tc)
	}
	assert.True(t, isFull(cluster.Budget{Failure: "no controller"}), "the number of its pods is not known")
	assert.False(t, isFull(cluster.Budget{}), "it has no pods")
}

// A budget waits for the pods that it selects and that are not Ready, and for the end of a pod that has no successor.
func TestThePodsOfABudgetThatAreNotReadyAreNamed(t *testing.T) {
	since := time.Date(2026, 5, 1, 8, 0, 0, 0, time.UTC)
	app := labels.Set{"app": "db"}
	budget := types.NamespacedName{Namespace: "shop", Name: "db"}
	waits := cluster.Budget{Selector: app.AsSelector()}
	waits.ExpectedPods = 3
	o := Options{Facts: cluster.Facts{Budgets: map[types.NamespacedName]cluster.Budget{budget: waits}, Pods: map[types.NamespacedName]cluster.Pod{
		{Namespace: "shop", Name: "db-0"}: {Labels: app, NotReady: since}, {Namespace: "shop", Name: "db-1"}: {Labels: app},
		{Namespace: "shop", Name: "web"}: {NotReady: since}, {Namespace: "test", Name: "db-0"}: {Labels: app, NotReady: since},
		{Namespace: "shop", Name: "db-2"}: {Labels: app, NotReady: since, Deleted: since},
	}}}
	assert.Equal(t, []types.NamespacedName{{Namespace: "shop", Name: "db-0"}, {Namespace: "shop", Name: "db-2"}}, o.unhealthy(budget))
	replaced := waits
	replaced.ExpectedPods = 2
	o.Budgets[budget] = replaced
	assert.Equal(t, []types.NamespacedName{{Namespace: "shop", Name: "db-0"}}, o.unhealthy(budget), "a pod is in the place of the terminating one")
	allows, healthy, uncounted := waits, waits, waits
	allows.DisruptionsAllowed, healthy.CurrentHealthy, uncounted.Failure = 1, 3, "no controller"
	for _, o.Budgets[budget] = range []cluster.Budget{allows, healthy, uncounted} {
		assert.Empty(t, o.unhealthy(budget), "the budget waits for no pod, or nobody knows for which")
	}
	o.BudgetsOf = map[string]bool{"shop": true}
	for _, name := range []string{"db-3", "db-4", "db-5"} {
		o.Pods[types.NamespacedName{Namespace: "shop", Name: name}] = cluster.Pod{Labels: app, NotReady: since}
	}
	o.Budgets[budget] = waits
	texts, _ := o.ofPods(cluster.Node{Node: mco.Node{Pods: []mco.Pod{{Namespace: "shop", Name: "db-1", Refused: true}}}})
	require.Len(t, texts, 5, "the budget, and the first three of four pods")
	assert.Equal(t, "1 more not healthy: kubectl mcn -o wide", texts[4])
}

// A pod of another node was created again. If its node is not known, a pod that is younger than the drain is on another node.
// If the time of the drain is not known either, each pod is the one of the error.
func TestAPodThatWasCreatedAgainOnAnotherNodeIsGoneFromThisOne(t *testing.T) {
	pod := mco.Pod{Namespace: "shop", Name: "db-0"}
	began := time.Date(2026, 5, 1, 8, 0, 0, 0, time.UTC)
	for _, tc := range []struct {
		node   string
		since  time.Time
		isGone bool
	}{
		{"", began.Add(-time.Second), true}, {"", began, false}, {"", time.Time{}, false},
		{"w-1", began.Add(-time.Second), false}, {"w-2", began, true}, {"w-2", time.Time{}, true},
	} {
		o := Options{Facts: cluster.Facts{Pods: map[types.NamespacedName]cluster.Pod{nameOf(pod): {Created: began, Node: tc.node}}}}
		state, isRead := o.stateOf(cluster.Node{Node: mco.Node{Node: progress.Node{Name: "w-1"}, Since: tc.since}}, pod)
		assert.True(t, isRead)
		assert.Equal(t, tc.isGone, state.IsGone, tc)
	}
}

// A drain may wait for many pods. The screen has the state of the first ones, and counts the others.
func TestTheFourthTerminatingPodIsCounted(t *testing.T) {
	began := time.Date(2026, 5, 1, 8, 0, 0, 0, time.UTC)
	n, pods := cluster.Node{}, map[types.NamespacedName]cluster.Pod{}
	for _, name := range []string{"a", "b", "c", "d"} {
		n.Pods = append(n.Pods, mco.Pod{Namespace: "shop", Name: name})
		pods[types.NamespacedName{Namespace: "shop", Name: name}] = cluster.Pod{Deleted: began, Ends: began}
	}
	n.Pods = append(n.Pods, mco.Pod{Namespace: "shop", Name: "f"})
	pods[types.NamespacedName{Namespace: "shop", Name: "f"}] = cluster.Pod{NotReady: began, Why: "CrashLoopBackOff"}
	n.Pods = append(n.Pods, mco.Pod{Namespace: "shop", Name: "g"})
	pods[types.NamespacedName{Namespace: "shop", Name: "g"}] = cluster.Pod{NotReady: began}
	o := Options{Facts: cluster.Facts{Pods: pods}, Now: began}
	texts, _ := o.ofPods(n)
	require.Len(t, texts, 6)
	assert.Equal(t, []string{"1 more terminating: kubectl mcn -o wide", "shop/f is not Ready since 08:00:00 (0s): CrashLoopBackOff", "shop/g is not Ready since 08:00:00 (0s)"}, texts[3:])
	o.Whole = true
	texts, _ = o.ofPods(n)
	assert.Len(t, texts, 6)
	o.Whole, n.Pods = false, n.Pods[1:]
	texts, _ = o.ofPods(n)
	assert.Len(t, texts, 5, "three pods have no count")
}
