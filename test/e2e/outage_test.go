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

	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// isPending reports whether something that a Monitor has accepted is not written yet. It makes no
// request.
func isPending(m *upgrademonitor.Monitor) bool {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	return m.Flush(ended) != nil
}

// hook is a step of the daemon in an update.
type hook struct {
	name string
	do   func(context.Context, *testNode, *upgrademonitor.Monitor) error
}

// rebootHooks returns the calls of a standard update with a reboot.
func rebootHooks() []hook {
	hooks := []hook{}
	for i, c := range rebootCalls {
		if i == 2 {
			hooks = append(hooks, hook{"spec", func(ctx context.Context, _ *testNode, m *upgrademonitor.Monitor) error {
				return m.GenerateAndApplyMachineConfigNodeSpec(ctx)
			}})
		}
		last := i == len(rebootCalls)-1
		hooks = append(hooks, hook{fmt.Sprintf("%s %s", c.phase, c.status), func(ctx context.Context, w *testNode, m *upgrademonitor.Monitor) error {
			w.annotate(oldConfig, newConfig)
			if last {
				w.annotate(newConfig, newConfig)
			}
			return m.GenerateAndApplyMachineConfigNode(ctx, c.phase, string(c.phase), "about "+string(c.phase), c.status, c.opts...)
		}})
	}
	return hooks
}

// daemon returns a Monitor with a transport that can fail and a short timeout.
func (w *testNode) daemon() (*upgrademonitor.Monitor, *faults) {
	w.t.Helper()
	return w.daemonWith(time.Second)
}

// patientDaemon is daemon with a timeout that suffices on a loaded machine: a report is written by
// its call unless there is a fault.
func (w *testNode) patientDaemon() (*upgrademonitor.Monitor, *faults) {
	w.t.Helper()
	return w.daemonWith(time.Minute)
}

func (w *testNode) daemonWith(timeout time.Duration) (*upgrademonitor.Monitor, *faults) {
	w.t.Helper()
	f := &faults{}
	return w.build(func(c *upgrademonitor.Config) { c.Timeout = timeout }, f.wrap), f
}

// observed returns the events, one per line, without what differs between runs.
func (h *history) observed() []string {
	var lines []string
	for _, event := range h.events {
		if line := observed(event); len(lines) == 0 || lines[len(lines)-1] != line {
			lines = append(lines, line)
		}
	}
	return lines
}

func observed(object *mcfgv1.MachineConfigNode) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %v", object.Spec.ConfigVersion.Desired, object.Status.ConfigVersion)
	for _, c := range object.Status.Conditions {
		fmt.Fprintf(&b, " %s=%s/%s/%s", c.Type, c.Status, c.Reason, c.Message)
	}
	return b.String()
}

// undisturbed returns the events of an update without faults.
func undisturbed(t *testing.T) []string {
	t.Helper()
	w := newTestNode(t, "undisturbed-"+strings.ToLower(t.Name()))
	w.reportUpdated()
	h := watchFrom(t, w)
	m, _ := w.patientDaemon()
	for _, hook := range rebootHooks() {
		require.NoError(t, hook.do(t.Context(), w, m), hook.name)
	}
	h.catchUp()
	return h.observed()
}

// Each fault begins at every second step of the update, and ends two steps later.
func TestAWatcherSeesTheSameUpdateDespiteAnOutage(t *testing.T) {
	want := undisturbed(t)
	hooks := rebootHooks()
	for name, fault := range injected {
		t.Run(name, func(t *testing.T) {
			for at := 0; at < len(hooks); at += 2 {
				w := newTestNode(t, fmt.Sprintf("outage-%s-%d", strings.ReplaceAll(name, " ", "-"), at))
				w.reportUpdated()
				h := watchFrom(t, w)
				m, transport := w.daemon()
				for i, hook := range hooks {
					switch i {
					case at:
						transport.set(fault)
					case at + 2:
						transport.set(nil)
					}
					down := i == at || i == at+1
					err := hook.do(t.Context(), w, m)
					if hook.name != "spec" { // it follows the report that begins the update
						require.NoError(t, err)
						require.Equal(t, down, isPending(m), "%s in an outage at %s", hook.name, hooks[at].name)
					} else if !down {
						require.NoError(t, err)
					}
				}
				transport.set(nil)
				require.NoError(t, m.Flush(t.Context()))
				h.catchUp()
				h.check()
				h.checkEnded()
				require.Equal(t, want, h.observed(), "an outage at %s", hooks[at].name)
			}
		})
	}
}

// The real servers fail at every fourth step.
func TestAWatcherSeesTheSameUpdateDespiteFailingServers(t *testing.T) {
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
			w := newTestNode(t, "server-"+strings.ReplaceAll(name, " ", "-"))
			w.reportUpdated()
			h := watchFrom(t, w)
			m, _ := w.daemon()
			for i, hook := range hooks {
				if i%4 != 0 {
					require.NoError(t, hook.do(t.Context(), w, m), hook.name)
					h.catchUp() // before the watch ends with the server
					continue
				}
				server.fail(t, h)
				if err := hook.do(t.Context(), w, m); hook.name != "spec" {
					require.NoError(t, err)
					assert.True(t, isPending(m), hook.name)
				}
				server.recover(t, h)
				require.NoError(t, m.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
				require.NoError(t, m.Flush(t.Context()))
				h.catchUp()
			}
			h.check()
			h.checkEnded()
			assert.Equal(t, want, h.observed())
		})
	}
}
