package screen_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/openshift/upgrademonitor/examples/internal/screen"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// inState returns a pool of 5,000 nodes, all in a state or, if it is "stuck", stuck in their drain.
func inState(state string) []progress.Pool {
	const nodes = 5000
	w := workers()
	w.Done, w.MaxUnavailable = 0, 500
	for i := range nodes {
		name := fmt.Sprintf("worker-%04d", i)
		n := progress.Node{Name: name, State: progress.Waiting, Since: now.Add(-30 * time.Hour)}
		switch state {
		case "stuck":
			n = updating(name, phases.Drained, time.Hour, time.Hour, evictionFailed)
			w.Stuck = append(w.Stuck, progress.Stuck{Node: n, For: time.Hour})
		case "updating":
			n = updating(name, standardSteps[i%len(standardSteps)], time.Minute, time.Hour, evictionFailed)
		}
		w = with(w, n)
	}
	if state == "waiting" {
		w.Waiting = nodes
	} else {
		w.Updating = nodes
	}
	return []progress.Pool{w}
}

// TestListOf5000Nodes: what fits has a row, the rest is counted.
func TestListOf5000Nodes(t *testing.T) {
	all := func(progress.Node) bool { return true }
	for _, state := range []string{"waiting", "updating", "stuck"} {
		pools := inState(state)
		for _, width := range []int{40, 80, 140} {
			got := screen.Text(screen.Snapshot(pools, screen.Options{Now: now, Width: width, Show: all, List: true}))
			golden(t, fmt.Sprintf("list-%s-%d.txt", state, width), got)
			for _, line := range strings.Split(got, "\n") {
				assert.LessOrEqual(t, len(line), width, line)
			}
		}
		whole := screen.Text(screen.Snapshot(pools, screen.Options{Now: now, Show: all, List: true, Whole: true}))
		row := map[string]string{"waiting": "\n  worker-", "updating": "\n  worker-", "stuck": "\n! worker-"}[state]
		assert.Equal(t, 5000, strings.Count(whole, row), state)
		assert.NotContains(t, whole, " more")
	}
}

// TestListFitsTheTerminal: a redrawn list has as many rows as there is room for.
func TestListFitsTheTerminal(t *testing.T) {
	for _, height := range []int{12, 24, 50} {
		got := screen.Snapshot(inState("waiting"), screen.Options{Now: now, Width: 80, Height: height, List: true})
		assert.Len(t, got, height)
		assert.Contains(t, got[height-1].Text, " more")
		assert.NotContains(t, got[height-1].Text, "-o wide", "it is redrawn in the same place")
	}
}

// TestWholeMessages: a wide screen cuts nothing.
func TestWholeMessages(t *testing.T) {
	message := strings.Repeat("no room. \x1b[2J\n", 3000)
	clean := strings.TrimSpace(strings.Repeat(`no room. \x1b[2J `, 3000))
	hangs := updating("worker-0", phases.Drained, time.Hour, time.Hour, message)
	w := with(workers(), hangs, updating("worker-1", phases.Drained, time.Minute, time.Hour, message))
	w.Updating, w.Stuck = 2, []progress.Stuck{{Node: hangs, For: time.Hour}}
	got := screen.Snapshot([]progress.Pool{w}, screen.Options{Now: now, Whole: true})
	assert.Contains(t, got, screen.Line{Text: "    " + clean})
	assert.True(t, strings.HasSuffix(got[len(got)-1].Text, "  "+clean))
}
