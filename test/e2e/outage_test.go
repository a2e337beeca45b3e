package e2e

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/upgrademonitor"
)

const (
	outageTimeout = 300 * time.Millisecond
	margin        = time.Second // on a machine that does other things too
)

// hook is one thing that the daemon does in an update: what it knows, and what it says.
type hook struct {
	name string
	do   func(context.Context, *world, *upgrademonitor.Monitor) error
}

// rebootHooks are the standard reboot update, call by call.
func rebootHooks() []hook {
	hooks := []hook{}
	for i, c := range rebootCalls {
		if i == 2 {
			hooks = append(hooks, hook{"spec", func(ctx context.Context, _ *world, m *upgrademonitor.Monitor) error {
				return m.GenerateAndApplyMachineConfigNodeSpec(ctx)
			}})
		}
		last := i == len(rebootCalls)-1
		hooks = append(hooks, hook{fmt.Sprintf("%s %s", c.phase, c.status), func(ctx context.Context, w *world, m *upgrademonitor.Monitor) error {
			w.annotate(oldConfig, newConfig)
			if last {
				w.annotate(newConfig, newConfig)
			}
			return m.GenerateAndApplyMachineConfigNode(ctx, c.phase, string(c.phase), "about "+string(c.phase), c.status, c.opts...)
		}})
	}
	return hooks
}

// daemon is a Monitor whose transport can fail, and that does not wait long.
func (w *world) daemon() (*upgrademonitor.Monitor, *faults) {
	w.t.Helper()
	f := &faults{}
	return w.build(func(c *upgrademonitor.Config) { c.Timeout = outageTimeout }, f.wrap), f
}

// shown is what a watcher has seen, less what differs from run to run: one line an event.
func (h *history) shown() []string {
	var lines []string
	for _, event := range h.events {
		if line := shown(event); len(lines) == 0 || lines[len(lines)-1] != line {
			lines = append(lines, line)
		}
	}
	return lines
}

func shown(object *mcfgv1.MachineConfigNode) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %v", object.Spec.ConfigVersion.Desired, object.Status.ConfigVersion)
	for _, c := range object.Status.Conditions {
		fmt.Fprintf(&b, " %s=%s/%s/%s", c.Type, c.Status, c.Reason, c.Message)
	}
	return b.String()
}

// undisturbed is what a watcher sees of the update when nothing fails.
func undisturbed(t *testing.T) []string {
	t.Helper()
	w := newWorld(t, "undisturbed-"+strings.ToLower(t.Name()))
	w.settle()
	h := watchFrom(t, w)
	m, _ := w.daemon()
	for _, hook := range rebootHooks() {
		require.NoError(t, hook.do(t.Context(), w, m), hook.name)
	}
	h.catchUp()
	return h.shown()
}

// TestOutages has each fault begin at each step of the update, and end two steps later.
func TestOutages(t *testing.T) {
	want := undisturbed(t)
	hooks := rebootHooks()
	for name, fault := range injected {
		t.Run(name, func(t *testing.T) {
			var longest time.Duration
			for at := range hooks {
				w := newWorld(t, fmt.Sprintf("outage-%s-%d", strings.ReplaceAll(name, " ", "-"), at))
				w.settle()
				h := watchFrom(t, w)
				m, transport := w.daemon()
				for i, hook := range hooks {
					switch i {
					case at:
						transport.set(fault)
					case at + 2:
						transport.set(nil)
					}
					start := time.Now()
					err := hook.do(t.Context(), w, m)
					longest = max(longest, time.Since(start))
					down := i == at || i == at+1
					require.Equal(t, down, errors.Is(err, upgrademonitor.ErrPending), "%s in an outage at %s: %v", hook.name, hooks[at].name, err)
				}
				transport.set(nil)
				require.NoError(t, m.Flush(t.Context()))
				h.catchUp()
				h.check()
				h.checkEnded()
				require.Equal(t, want, h.shown(), "an outage at %s shows", hooks[at].name)
			}
			t.Logf("longest call: %v, Timeout %v", longest, outageTimeout)
			assert.Less(t, longest, outageTimeout+margin)
		})
	}
}

// TestServersThatFail has the real servers fail at each step.
func TestServersThatFail(t *testing.T) {
	want := undisturbed(t)
	hooks := rebootHooks()
	for name, server := range map[string]struct{ fail, recover func(*testing.T, *history) }{
		"hung": {
			fail:    func(t *testing.T, _ *history) { require.NoError(t, standard.PauseAPIServer()) },
			recover: func(t *testing.T, _ *history) { require.NoError(t, standard.ResumeAPIServer()) },
		},
		"gone": {
			fail: func(t *testing.T, _ *history) { require.NoError(t, standard.StopAPIServer()) },
			recover: func(t *testing.T, h *history) {
				require.NoError(t, standard.StartAPIServer(t.Context()))
				h.resume()
			},
		},
		"etcd down": {
			fail: func(t *testing.T, _ *history) { require.NoError(t, standard.StopEtcd()) },
			recover: func(t *testing.T, h *history) {
				require.NoError(t, standard.StartEtcd(t.Context()))
				require.NoError(t, standard.WaitReady(t.Context()))
				h.resume()
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "server-"+strings.ReplaceAll(name, " ", "-"))
			w.settle()
			h := watchFrom(t, w)
			m, _ := w.daemon()
			var longest time.Duration
			for _, hook := range hooks {
				server.fail(t, h)
				start := time.Now()
				err := hook.do(t.Context(), w, m)
				longest = max(longest, time.Since(start))
				require.ErrorIs(t, err, upgrademonitor.ErrPending, hook.name)
				server.recover(t, h)
				require.NoError(t, m.Flush(t.Context()))
				h.catchUp()
			}
			h.check()
			h.checkEnded()
			assert.Equal(t, want, h.shown())
			t.Logf("longest call: %v, Timeout %v", longest, outageTimeout)
			assert.Less(t, longest, outageTimeout+margin)
		})
	}
}

// TestKilledAnywhere ends the reporting process at each step, with what it said pending or
// written, and has its successor do the update over.
func TestKilledAnywhere(t *testing.T) {
	hooks := rebootHooks()
	for _, pending := range []bool{false, true} {
		t.Run(fmt.Sprintf("pending %t", pending), func(t *testing.T) {
			for at := range hooks {
				w := newWorld(t, fmt.Sprintf("killed-%t-%d", pending, at))
				w.settle()
				h := watchFrom(t, w)
				m, transport := w.daemon()
				for _, hook := range hooks[:at] {
					require.NoError(t, hook.do(t.Context(), w, m), hook.name)
				}
				if pending {
					transport.set(injected["connection refused"])
				}
				_ = hooks[at].do(t.Context(), w, m)

				successor, _ := w.daemon()
				for _, hook := range hooks {
					require.NoError(t, hook.do(t.Context(), w, successor), "%s after a kill at %s", hook.name, hooks[at].name)
				}
				h.catchUp()
				h.check()
				h.checkEnded()
			}
		})
	}
}

// TestRebootWithReportsPending ends the process when the node reboots, and its successor
// goes on after the reboot.
func TestRebootWithReportsPending(t *testing.T) {
	w := newWorld(t, "reboot-pending")
	w.settle()
	h := watchFrom(t, w)
	m, transport := w.daemon()
	hooks := rebootHooks()
	rebooted := 0
	for hooks[rebooted].name != "RebootedNode Unknown" {
		if hooks[rebooted].name == "AppliedFilesAndOS Unknown" {
			transport.set(injected["503"])
		}
		_ = hooks[rebooted].do(t.Context(), w, m)
		rebooted++
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, m.Flush(ctx), upgrademonitor.ErrPending)

	successor, _ := w.daemon()
	for _, hook := range hooks[rebooted+1:] {
		require.NoError(t, hook.do(t.Context(), w, successor), hook.name)
	}
	h.catchUp()
	h.check()
	h.checkEnded()
}
