package e2e

import (
	"context"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/util/retry"
)

// The rules, implemented independently of the library.
var (
	singletons   = map[string]bool{"NodeDegraded": true, "PinnedImageSetsProgressing": true, "PinnedImageSetsDegraded": true}
	standardMode = []string{
		"UpdatePrepared", "UpdateExecuted", "Cordoned", "Drained", "AppliedFilesAndOS", "UpdatePostActionComplete", "RebootedNode",
		"Resumed", "UpdateComplete", "Uncordoned", "NodeDegraded", "Updated", "PinnedImageSetsProgressing", "PinnedImageSetsDegraded",
	}
	imageMode = []string{
		"UpdatePrepared", "UpdateExecuted", "Cordoned", "Drained", "AppliedFiles", "AppliedOSImage", "ImagePulledFromRegistry",
		"UpdatePostActionComplete", "RebootedNode", "Resumed", "UpdateComplete", "Uncordoned", "NodeDegraded", "Updated",
		"PinnedImageSetsProgressing", "PinnedImageSetsDegraded",
	}
	arrows = map[[2]metav1.ConditionStatus]bool{
		{"False", "Unknown"}: true, {"Unknown", "True"}: true, {"True", "False"}: true,
	}
)

// history holds the events of a watch of one object.
type history struct {
	t        *testing.T
	name     string
	node     *testNode
	watch    watch.Interface
	received chan watch.Event // by the watch, which must not wait for the test
	events   []*mcfgv1.MachineConfigNode
	first    int // index of the first event after the initial ones
}

// watchFrom starts a watch before anything is reported.
func watchFrom(t *testing.T, w *testNode) *history {
	t.Helper()
	h := &history{t: t, name: w.name, node: w}
	h.resume()
	h.first = len(h.events)
	t.Cleanup(func() { h.watch.Stop() })
	return h
}

// resume starts the watch, or starts it again after a server has stopped.
func (h *history) resume() {
	h.t.Helper()
	client := h.node.admin.MachineconfigurationV1().MachineConfigNodes()
	selector := fields.OneTermEqualSelector("metadata.name", h.name).String()
	list, err := client.List(h.t.Context(), metav1.ListOptions{FieldSelector: selector})
	require.NoError(h.t, err)
	for i := range list.Items {
		if len(h.events) == 0 || h.last().ResourceVersion != list.Items[i].ResourceVersion {
			h.events = append(h.events, &list.Items[i])
		}
	}
	h.watch, err = client.Watch(context.WithoutCancel(h.t.Context()), metav1.ListOptions{FieldSelector: selector, ResourceVersion: list.ResourceVersion})
	require.NoError(h.t, err)
	h.received = make(chan watch.Event, 1<<14)
	go func(from watch.Interface, to chan<- watch.Event) {
		for event := range from.ResultChan() {
			to <- event
		}
	}(h.watch, h.received)
}

// catchUp waits until the watch has received the object's current version, and returns the
// events since the last call.
func (h *history) catchUp() []*mcfgv1.MachineConfigNode {
	h.t.Helper()
	before := len(h.events)
	var now *mcfgv1.MachineConfigNode
	require.NoError(h.t, retry.OnError(retry.DefaultBackoff, func(error) bool { return true }, func() (err error) {
		now, err = h.node.admin.MachineconfigurationV1().MachineConfigNodes().Get(h.t.Context(), h.name, metav1.GetOptions{})
		return err
	}))
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
	return h.events[before:]
}

func (h *history) last() *mcfgv1.MachineConfigNode {
	return h.events[len(h.events)-1]
}

// check compares every step of the history with the rules.
func (h *history) check() {
	h.t.Helper()
	for i, after := range h.events {
		if i < h.first {
			continue
		}
		var before []metav1.Condition
		if i > 0 {
			before = h.events[i-1].Status.Conditions
		}
		h.checkStep(i, before, after.Status.Conditions)
	}
}

func (h *history) checkStep(i int, before, after []metav1.Condition) {
	h.t.Helper()
	for _, c := range after {
		was, existed := statusOf(before, c.Type)
		from := was.Status
		if !existed {
			from = metav1.ConditionFalse
		}
		switch {
		case !contains(standardMode, c.Type) && !contains(imageMode, c.Type): // of others
		case from == c.Status:
			if existed {
				assert.Equal(h.t, was.LastTransitionTime, c.LastTransitionTime, "event %d: %s: the time changed without the status", i, c.Type)
			}
		case singletons[c.Type] || c.Type == "Updated" && c.Status != metav1.ConditionUnknown:
		case from == metav1.ConditionUnknown && c.Status == metav1.ConditionFalse:
			assert.True(h.t, isReset(after), "event %d: %s reset outside a begin or end of an update", i, c.Type)
		default:
			assert.True(h.t, arrows[[2]metav1.ConditionStatus{from, c.Status}], "event %d: %s jumped from %s to %s", i, c.Type, from, c.Status)
		}
	}
	for _, c := range before {
		_, still := statusOf(after, c.Type)
		changesMode := contains(standardMode, c.Type) != contains(imageMode, c.Type)
		assert.True(h.t, still || changesMode, "event %d: %s is gone", i, c.Type)
	}
}

// isReset reports whether the list is as after the beginning or the end of an update.
func isReset(list []metav1.Condition) bool {
	for _, c := range list {
		switch {
		case singletons[c.Type], c.Type == "Updated", c.Status == metav1.ConditionFalse, !contains(standardMode, c.Type) && !contains(imageMode, c.Type):
		case c.Type == "UpdatePrepared" && c.Status == metav1.ConditionUnknown:
		default:
			return false
		}
	}
	return true
}

// checkTimes checks that the transitions in the events have a time between start and end.
func (h *history) checkTimes(before []metav1.Condition, events []*mcfgv1.MachineConfigNode, start, end time.Time) {
	h.t.Helper()
	for _, event := range events {
		for _, c := range event.Status.Conditions {
			was, existed := statusOf(before, c.Type)
			if existed && was.Status == c.Status {
				continue
			}
			at := c.LastTransitionTime.Time
			assert.False(h.t, at.Before(start.Truncate(time.Second)) || at.After(end), "%s changed between %v and %v, but its time is %v", c.Type, start, end, at)
		}
		before = event.Status.Conditions
	}
}

// checkEnded checks that the object is as between two updates.
func (h *history) checkEnded() {
	h.t.Helper()
	list := h.last().Status.Conditions
	all := standardMode
	if h.node.imageMode {
		all = imageMode
	}
	for _, p := range all {
		c, ok := statusOf(list, p)
		require.True(h.t, ok, "%s is missing", p)
		switch {
		case singletons[p]:
		case p == "Updated":
			assert.Equal(h.t, metav1.ConditionTrue, c.Status, p)
		default:
			assert.Equal(h.t, metav1.ConditionFalse, c.Status, p)
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

func contains(names []string, name string) bool {
	for _, n := range names {
		if n == name {
			return true
		}
	}
	return false
}
