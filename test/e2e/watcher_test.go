package e2e

import (
	"context"
	"fmt"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/upgrademonitortest"
)

const (
	no      = metav1.ConditionFalse
	running = metav1.ConditionUnknown
	done    = metav1.ConditionTrue
)

// history has the events of a watch of one object.
type history struct {
	t        *testing.T
	node     *testNode
	received chan watch.Event // so large that the watch never waits for the test
	events   []*mcfgv1.MachineConfigNode
}

// watchFrom starts a watch. Its first event is the object, if the object exists.
func watchFrom(t *testing.T, w *testNode) *history {
	t.Helper()
	h := &history{t: t, node: w, received: make(chan watch.Event, 1<<14)}
	list, err := w.admin.List(t.Context(), only(w.name))
	require.NoError(t, err)
	for i := range list.Items {
		h.events = append(h.events, &list.Items[i])
	}
	from := only(w.name)
	from.ResourceVersion = list.ResourceVersion
	events, err := w.admin.Watch(context.WithoutCancel(t.Context()), from)
	require.NoError(t, err)
	t.Cleanup(events.Stop)
	go func() {
		for event := range events.ResultChan() {
			h.received <- event
		}
	}()
	return h
}

// catchUp waits until the watch has received the object's current version.
func (h *history) catchUp() {
	h.t.Helper()
	now := h.node.object()
	for len(h.events) == 0 || h.last().ResourceVersion != now.ResourceVersion {
		select {
		case event := <-h.received:
			object, ok := event.Object.(*mcfgv1.MachineConfigNode)
			require.True(h.t, ok, "watch: %v", event)
			h.events = append(h.events, object)
		case <-time.After(30 * time.Second):
			require.FailNow(h.t, "the watch has not received the object's current version")
		}
	}
}

func (h *history) last() *mcfgv1.MachineConfigNode { return h.events[len(h.events)-1] }

// check asserts that no transition in the history is illegal.
func (h *history) check() {
	h.t.Helper()
	assert.Empty(h.t, h.jumps(0))
}

// jumps waits until the watch has caught up, and returns the illegal transitions in the events, beginning with index from. It
// replays the events on a client of package upgrademonitortest, which checks each write.
func (h *history) jumps(from int) []string {
	h.t.Helper()
	h.catchUp()
	r := &recorder{TB: h.t}
	stored := bareObject(h.node.name)
	stored.Status.Conditions = h.events[from].Status.Conditions
	client := upgrademonitortest.NewClientset(r, stored).MachineconfigurationV1().MachineConfigNodes()
	stored, err := client.Get(h.t.Context(), stored.Name, metav1.GetOptions{})
	for _, event := range h.events[from:] {
		require.NoError(h.t, err)
		stored.Status.Conditions = event.Status.Conditions
		stored, err = client.UpdateStatus(h.t.Context(), stored, metav1.UpdateOptions{})
	}
	require.NoError(h.t, err)
	return r.errors
}

// recorder is a test that records its errors, and does not fail.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

// checkEnded catches up, and asserts that the object shows no update: Updated is True, and each step is False.
func (h *history) checkEnded() {
	h.t.Helper()
	h.catchUp()
	for _, p := range phases.All(h.node.imageMode) {
		c, ok := statusOf(h.last().Status.Conditions, string(p))
		require.True(h.t, ok, "%s is missing", p)
		switch {
		case p == phases.Updated:
			assert.Equal(h.t, done, c.Status, p)
		case phases.KindOf(p) != phases.Singleton:
			assert.Equal(h.t, no, c.Status, p)
		}
	}
	version := h.last().Status.ConfigVersion
	require.NotNil(h.t, version)
	assert.Equal(h.t, version.Desired, version.Current)
}

func statusOf(list []metav1.Condition, name string) (metav1.Condition, bool) {
	for _, c := range list {
		if c.Type == name {
			return c, true
		}
	}
	return metav1.Condition{}, false
}
