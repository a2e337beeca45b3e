package progress_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// TestHistoryOfTraces observes every version of the traces, and then again with versions missing.
func TestHistoryOfTraces(t *testing.T) {
	traces := readTraces(t)
	var golden strings.Builder
	for _, legacy := range []bool{false, true} {
		for _, tr := range traces {
			name := tr.Name
			if legacy {
				name += "_legacy"
			}
			t.Run(name, func(t *testing.T) {
				var versions []*mcfgv1.MachineConfigNode
				newDaemon("worker-0", legacy).replay(t, traces, tr, func(m *mcfgv1.MachineConfigNode, _ *call) {
					versions = append(versions, m)
				})
				var h progress.History
				for _, v := range versions {
					h.Observe(v)
					once := h.Spans()
					checkSpans(t, once, progress.FromMachineConfigNode(v))
					h.Observe(v)
					require.Equal(t, once, h.Spans(), "the same version again")
				}
				fmt.Fprintf(&golden, "%s\n%s", name, timeline(h.Spans()))
				checkMissed(t, versions)
			})
		}
	}
	checkGolden(t, "testdata/history.golden", golden.String())
}

func checkMissed(t *testing.T, versions []*mcfgv1.MachineConfigNode) {
	t.Helper()
	random := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		var h progress.History
		for i, v := range versions {
			if i == len(versions)-1 || random.IntN(3) > 0 {
				h.Observe(v)
				checkSpans(t, h.Spans(), progress.FromMachineConfigNode(v))
			}
		}
	}
}

// checkSpans compares the timeline of one node with the version that was observed last.
func checkSpans(t *testing.T, spans []progress.Span, n progress.Node) {
	t.Helper()
	for i, s := range spans {
		require.Equal(t, n.Name, s.Node)
		require.False(t, s.From.IsZero())
		if s.To.IsZero() {
			require.Equal(t, len(spans)-1, i, "only the last span may be open")
			continue
		}
		require.False(t, s.To.Before(s.From))
		if i+1 < len(spans) {
			require.Equal(t, s.To, spans[i+1].From, "a gap")
		}
	}
	if len(spans) == 0 {
		require.False(t, n.State == progress.Updating && n.Step != "" && !n.NotBegun, "an update without a timeline")
		return
	}
	last := spans[len(spans)-1]
	switch {
	case !n.Begun.IsZero() && n.Step != "":
		require.True(t, last.To.IsZero(), "an active update has an end")
		require.Equal(t, n.Step, last.Phase)
		require.False(t, spans[0].From.After(n.Begun))
	case n.State == progress.Done:
		require.Equal(t, n.Ended, last.To)
	}
}

func timeline(spans []progress.Span) string {
	var b strings.Builder
	for _, s := range spans {
		to := "…"
		if !s.To.IsZero() {
			to = clock(s.To)
		}
		fmt.Fprintf(&b, "  %6s %6s %s\n", clock(s.From), to, s.Phase)
	}
	return b.String()
}

// A node that is observed only after its update has the duration of the update, not of its steps.
func TestHistoryOfSnapshot(t *testing.T) {
	traces := readTraces(t)
	var last *mcfgv1.MachineConfigNode
	newDaemon("worker-0", false).replay(t, traces, traces[1], func(m *mcfgv1.MachineConfigNode, _ *call) { last = m })
	n := progress.FromMachineConfigNode(last)

	var h progress.History
	h.Observe(last)
	assert.Equal(t, []progress.Span{{Node: "worker-0", Target: n.Desired, From: n.Ordered, To: n.Ended}}, h.Spans())

	last.ManagedFields = nil
	h = progress.History{}
	h.Observe(last)
	assert.Empty(t, h.Spans(), "neither the begin nor the order is known")
}

// The durations that the history observed of finished nodes are typical for the later nodes.
func TestPoolsWithHistory(t *testing.T) {
	traces := readTraces(t)
	var h progress.History
	var nodes []progress.Node
	for i := range 3 {
		var last *mcfgv1.MachineConfigNode
		newDaemon(fmt.Sprint("worker-", i), i == 0).replay(t, traces, traces[1], func(m *mcfgv1.MachineConfigNode, _ *call) {
			m.ManagedFields = nil // as caches do
			h.Observe(m)
			last = m
		})
		nodes = append(nodes, progress.FromMachineConfigNode(last))
	}
	slow := drainingNode("worker-3", 0)
	pools := func(h *progress.History, target string) progress.Pool {
		p := worker("")
		p.Spec.Configuration.Name = target
		return progress.Pools([]*mcfgv1.MachineConfigPool{p}, append(nodes, slow), h, at(61), progress.Limits{})[0]
	}

	p := pools(&h, configB)
	require.Equal(t, 1, p.Stuck)
	assert.Equal(t, 3, p.StuckNodes()[0].Samples)
	assert.Equal(t, 14*time.Second, p.StuckNodes()[0].Typical)
	assert.Equal(t, 2*time.Minute-time.Second, p.Typical, "from the begin, if the order is not known")

	p = pools(nil, configB)
	assert.Zero(t, p.StuckNodes()[0].Samples)
	assert.Zero(t, p.Typical)

	p = pools(&h, "rendered-worker-ccc")
	assert.Zero(t, p.StuckNodes()[0].Samples, "from another rollout")
	assert.Zero(t, p.Typical, "from another rollout")

	seen := nodes[0]
	nodes[0].Desired, nodes[0].Current = target("rendered-worker-ccc"), target("rendered-worker-ccc")
	nodes = nodes[:1]
	p = pools(&h, "rendered-worker-ccc")
	assert.Equal(t, 1, p.Done)
	assert.Zero(t, p.Typical, "an update that the history has not observed")
	nodes, nodes[0] = nodes[:3], seen

	h.Forget("worker-1")
	assert.Equal(t, 2, pools(&h, configB).StuckNodes()[0].Samples)
}

// Every attempt of a drain overwrites the error of the previous one.
func TestHistoryKeepsTheError(t *testing.T) {
	began, now := is(phases.Updated, no, 1), 2.0
	evict := `error when evicting pods/"pdb-app-0" -n "shop": Cannot evict pod`
	var h progress.History
	why := func(changes ...func(*mcfgv1.MachineConfigNode)) string {
		m := mcn(append([]func(*mcfgv1.MachineConfigNode){withDesired(configB), began}, changes...)...)
		h.Observe(m)
		p := progress.Pools([]*mcfgv1.MachineConfigPool{worker("")}, []progress.Node{progress.FromMachineConfigNode(m)}, &h, at(now), progress.Limits{})
		return p[0].Nodes[0].Message
	}
	assert.Equal(t, "Draining node", why(is(phases.Drained, running, 2, "Draining node")))
	assert.Equal(t, evict, why(is(phases.Drained, running, 3, evict)))
	assert.Equal(t, evict, why(is(phases.Drained, running, 4, "Draining node")))
	assert.Equal(t, evict, why(is(phases.Drained, running, 4, "Draining node")))
	degraded := "Node worker-0 upgrade failure. disk full"
	assert.Equal(t, degraded, why(is(phases.Drained, running, 5, "Draining node"), is(phases.NodeDegraded, yes, 5, degraded)))
	assert.Equal(t, evict, why(is(phases.Drained, running, 5, "Draining node")))
	assert.Equal(t, "it failed for another reason", why(is(phases.Drained, running, 6, "it failed for another reason")))
	assert.Equal(t, "it failed for another reason", why(is(phases.Drained, running, 7, "Draining node")))
	assert.Empty(t, why(is(phases.Drained, yes, 8, "Drained")))
	assert.Equal(t, "Writing files", why(is(phases.Drained, yes, 8, "Drained"), is(phases.AppliedFilesAndOS, running, 9, "Writing files")))

	assert.Equal(t, "Writing files: no space left on device", why(is(phases.AppliedFilesAndOS, running, 9, "Writing files: no space left on device")))
	assert.Equal(t, "Writing files: no space left on device", why(is(phases.AppliedFilesAndOS, running, 10, "Writing files")))
	assert.Empty(t, why(is(phases.Updated, yes, 11), withDesired(configA)))
}

// A node may be newer than the last version that the history has observed.
func TestHistoryThatIsBehind(t *testing.T) {
	object := func(changes ...func(*mcfgv1.MachineConfigNode)) *mcfgv1.MachineConfigNode {
		return mcn(append([]func(*mcfgv1.MachineConfigNode){withDesired(configB), is(phases.Updated, no, 1)}, changes...)...)
	}
	var h progress.History
	h.Observe(object(is(phases.Drained, running, 2, "Draining node")))
	h.Observe(object(is(phases.Drained, running, 2, "the first error")))
	why := func(m *mcfgv1.MachineConfigNode) string {
		return progress.Pools([]*mcfgv1.MachineConfigPool{worker("")}, []progress.Node{progress.FromMachineConfigNode(m)}, &h, at(5), progress.Limits{})[0].Nodes[0].Message
	}
	assert.Equal(t, "the first error", why(object(is(phases.Drained, running, 3, "Draining node"))))
	assert.Equal(t, "another error", why(object(is(phases.Drained, running, 3, "another error"))))
	assert.Equal(t, "Writing files", why(object(is(phases.Drained, yes, 3), is(phases.AppliedFilesAndOS, running, 4, "Writing files"))))
	assert.Equal(t, "Draining node", why(object(withDesired("rendered-worker-ccc"), is(phases.Drained, running, 3, "Draining node"))))
}

func TestHistoryIsBounded(t *testing.T) {
	traces := readTraces(t)
	var h progress.History
	for _, legacy := range []bool{false, true} {
		d := newDaemon("worker-0", legacy)
		for range 20 {
			for _, tr := range traces {
				tr.Start = "empty"
				for _, w := range tr.SpecWrites {
					w.Desired += fmt.Sprint(d.now.Unix())
				}
				d.replay(t, nil, tr, func(m *mcfgv1.MachineConfigNode, _ *call) {
					h.Observe(m)
					assert.LessOrEqual(t, len(h.Spans()), 12)
				})
			}
		}
	}
}

func TestHistoryWithoutAnything(t *testing.T) {
	var none *progress.History
	none.Observe(mcn())
	none.Forget("worker-0")
	assert.Empty(t, none.Spans())

	var h progress.History
	h.Forget("worker-0")
	h.Observe(nil)
	h.Observe(mcn())
	assert.Empty(t, h.Spans())
	h.Observe(mcn(withDesired(configB), is(phases.Updated, no, 1)))
	assert.Len(t, h.Spans(), 1)
	h.Forget("worker-0")
	assert.Empty(t, h.Spans())
}

// A restarted daemon reports Resumed: the previous update is kept.
func TestHistoryOutlivesRestarts(t *testing.T) {
	traces := readTraces(t)
	for _, legacy := range []bool{false, true} {
		var h progress.History
		d := newDaemon("worker-0", legacy)
		observe := func(m *mcfgv1.MachineConfigNode, _ *call) { h.Observe(m) }
		d.replay(t, traces, traces[1], observe)
		want := h.Spans()
		require.NotEmpty(t, want)
		for _, tr := range traces {
			if tr.Name == "mcd_restart_no_update" {
				tr.Start = "standard_reboot"
				for i := range tr.Steps {
					tr.Steps[i].Node.CurrentConfig, tr.Steps[i].Node.DesiredConfig = configB, configB
				}
				d.replay(t, nil, tr, observe)
			}
		}
		assert.Equal(t, want, h.Spans(), "legacy %t", legacy)
	}
}

// An update that is retried begins again, and one to another target replaces it.
func TestHistoryOfAttempts(t *testing.T) {
	var h progress.History
	observe := func(changes ...func(*mcfgv1.MachineConfigNode)) string {
		m := mcn(append([]func(*mcfgv1.MachineConfigNode){withDesired(configB)}, changes...)...)
		h.Observe(m)
		checkSpans(t, h.Spans(), progress.FromMachineConfigNode(m))
		return timeline(h.Spans())
	}
	first := []func(*mcfgv1.MachineConfigNode){is(phases.Updated, no, 1), is(phases.UpdatePrepared, yes, 2), is(phases.Drained, yes, 5), is(phases.AppliedFilesAndOS, running, 5)}
	retried := []func(*mcfgv1.MachineConfigNode){is(phases.Updated, no, 20), is(phases.Drained, no, 20, "Action during update to b: drained")}
	observe(first...)
	assert.Equal(t, "    1m0s   2m0s UpdatePrepared\n    2m0s   5m0s Drained\n    5m0s  20m0s \n   20m0s      … UpdatePrepared\n", observe(retried...))
	prepared := append(retried, is(phases.UpdatePrepared, yes, 22))
	want := "    1m0s   5m0s Drained\n    5m0s  20m0s \n   20m0s  22m0s UpdatePrepared\n   22m0s      … Cordoned\n"
	assert.Equal(t, want, observe(prepared...))
	other := withDesired("rendered-worker-ccc")
	assert.Equal(t, want, observe(append(prepared, other)...), "ordered, not begun")
	assert.Equal(t, "   40m0s      … UpdatePrepared\n", observe(other, is(phases.Updated, no, 40)))
	assert.Empty(t, observe(is(phases.Updated, yes, 60)), "an update that was not observed, and whose order is not known")
}
