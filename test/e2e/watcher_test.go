package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/openshift/upgrademonitor/phases"
)

// history holds the events of a watch of one object.
type history struct {
	t        *testing.T
	node     *testNode
	watch    watch.Interface
	received chan watch.Event // by the watch, which must not wait for the test
	events   []*mcfgv1.MachineConfigNode
	first    int // index of the first event after the initial ones
}

// watchFrom starts a watch before anything is reported.
func watchFrom(t *testing.T, w *testNode) *history {
	t.Helper()
	h := &history{t: t, node: w}
	h.resume()
	h.first = len(h.events)
	t.Cleanup(func() { h.watch.Stop() })
	return h
}

// resume starts the watch, or starts it again after a server has stopped.
func (h *history) resume() {
	h.t.Helper()
	list, err := h.node.admin.List(h.t.Context(), only(h.node.name))
	require.NoError(h.t, err)
	for i := range list.Items {
		if len(h.events) == 0 || h.last().ResourceVersion != list.Items[i].ResourceVersion {
			h.events = append(h.events, &list.Items[i])
		}
	}
	from := only(h.node.name)
	from.ResourceVersion = list.ResourceVersion
	h.watch, err = h.node.admin.Watch(context.WithoutCancel(h.t.Context()), from)
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
	eventually(h.t, func() bool { // a server may have restarted
		var err error
		now, err = h.node.admin.Get(h.t.Context(), h.node.name, metav1.GetOptions{})
		return err == nil
	})
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
	assert.Empty(h.t, h.broken(h.first))
	for i := max(h.first, 1); i < len(h.events); i++ {
		assert.False(h.t, claims(h.events[i-1], h.events[i]), "event %d: observedGeneration claims what was not taken up", i)
	}
}

// broken returns the rules that the events from one on have broken.
func (h *history) broken(from int) (rules []string) {
	for i, after := range h.events {
		if i < from {
			continue
		}
		var before []metav1.Condition
		if i > 0 {
			before = h.events[i-1].Status.Conditions
		}
		for _, rule := range broken(before, after.Status.Conditions) {
			rules = append(rules, fmt.Sprintf("event %d: %s", i, rule))
		}
	}
	return rules
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
	for _, p := range typesOf(h.node.imageMode) {
		c, ok := statusOf(list, p)
		require.True(h.t, ok, "%s is missing", p)
		switch {
		case phases.KindOf(phases.Phase(p)) == phases.Singleton:
		case p == "Updated":
			assert.Equal(h.t, done, c.Status, p)
		default:
			assert.Equal(h.t, no, c.Status, p)
		}
	}
	version := h.last().Status.ConfigVersion
	require.NotNil(h.t, version)
	assert.Equal(h.t, version.Desired, version.Current)
}

// observed returns the events, one per line, without what differs between runs.
func (h *history) observed() []string {
	var lines []string
	for _, event := range h.events {
		var b strings.Builder
		fmt.Fprintf(&b, "%s %v", event.Spec.ConfigVersion.Desired, event.Status.ConfigVersion)
		for _, c := range event.Status.Conditions {
			fmt.Fprintf(&b, " %s=%s/%s/%s", c.Type, c.Status, c.Reason, c.Message)
		}
		if line := b.String(); len(lines) == 0 || lines[len(lines)-1] != line {
			lines = append(lines, line)
		}
	}
	return lines
}
