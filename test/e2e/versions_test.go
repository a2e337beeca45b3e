package e2e

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/scope/guard"
	"github.com/openshift/upgrademonitor/test/today"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// reporter reports as a process of one version does.
type reporter func(context.Context, call) error

func ours(m *upgrademonitor.Monitor) reporter {
	return func(ctx context.Context, c call) error { return c.try(ctx, m) }
}

// theirs is a daemon, or a controller, without this library. between is called between each read
// and write, if not nil.
func (w *testNode) theirs(between func()) reporter {
	daemon := today.Daemon{Client: nodesOf(w.t, w.config), Node: func() *corev1.Node { return w.node }, PoolName: "worker", Between: between}
	return func(ctx context.Context, c call) error {
		if c.phase == phases.Updated && c.status == no {
			if err := daemon.Spec(ctx); err != nil {
				return err
			}
		}
		return daemon.Report(ctx, today.Call{Phase: c.phase, Status: c.status, Reason: string(c.phase), Message: "about " + c.String(), CompletesParent: len(c.opts) > 0})
	}
}

// mixedUpdate makes the calls of a reboot update, each by the reporter that a function chooses.
func (w *testNode) mixedUpdate(by func(i int, c call) reporter) (failed []string) {
	w.t.Helper()
	w.update(rebootCalls, version{config: oldConfig}, version{config: newConfig}, func(i int, c call) {
		if err := by(i, c)(w.t.Context(), c); err != nil {
			failed = append(failed, c.String())
		}
	})
	return failed
}

// TestMixedVersionsInTurn: a daemon without this library up to any of the steps of an update, and
// then ours. Every update ends, and ours has no conflict and no illegal transition.
func TestMixedVersionsInTurn(t *testing.T) {
	sameWhenGuarded(t)
	for at := range len(rebootCalls) + 1 {
		w := newTestNode(t, fmt.Sprintf("versions-turn-%d", at))
		w.annotate(oldConfig, oldConfig)
		w.resetObject(true)
		before := w.theirs(nil)
		require.NoError(t, before(t.Context(), call{phases.Updated, done, nil}))
		m, requests := w.monitor("worker")
		h := watchFrom(t, w)
		from := 0
		w.mixedUpdate(func(i int, _ call) reporter {
			if i < at {
				return before
			}
			if i == at {
				h.catchUp()
				from = len(h.events) - 1
			}
			return ours(m)
		})
		if at == len(rebootCalls) {
			h.catchUp()
			from = len(h.events) - 1
			call{phases.Updated, done, nil}.make(t, m) // a restart
		}
		assert.Empty(t, h.jumps(from), "from step %d on", at)
		h.checkEnded()
		for _, c := range h.last().Status.Conditions {
			assert.LessOrEqual(t, strings.Count(c.Message, "Action during update"), 1, c.Message)
		}
		assert.Zero(t, requests.answered(http.StatusConflict, http.StatusUnprocessableEntity))
		assert.LessOrEqual(t, requests.of("read"), 1)
	}
}

// TestMixedVersionsBesideEachOther: a daemon and a controller of both versions. Today's process
// overwrites a report that is written between its read and its write. The next report of the phase
// mends it; with a Lister, a repeat does, too.
func TestMixedVersionsBesideEachOther(t *testing.T) {
	sameWhenGuarded(t)
	for _, informed := range []bool{false, true} {
		w := newTestNode(t, fmt.Sprintf("versions-beside-%t", informed))
		w.reportUpdated()
		m, requests := w.monitor("worker")
		caughtUp := func() {}
		if informed {
			m, requests, caughtUp = w.informed()
		}
		h := watchFrom(t, w)
		controller := w.theirs(nil)
		drains := func(c call) bool { return c.phase == phases.Cordoned || c.phase == phases.Drained }
		for _, isOurs := range []func(call) bool{drains, func(c call) bool { return !drains(c) }} {
			failed := w.mixedUpdate(func(_ int, c call) reporter {
				caughtUp()
				if isOurs(c) {
					return ours(m)
				}
				return controller
			})
			assert.Empty(t, failed)
			h.checkEnded()
		}

		w.annotate(newConfig, oldConfig)
		call{phases.Updated, no, nil}.make(t, m)
		files := call{phases.AppliedFilesAndOS, running, nil}
		controller = w.theirs(func() { files.make(t, m) })
		require.NoError(t, controller(t.Context(), call{phases.Drained, running, nil}))
		require.Equal(t, no, w.status(files.phase), "overwritten")
		caughtUp()
		files.make(t, m)
		assert.Equal(t, informed, w.status(files.phase) == running, "the same report mends it if a Lister shows it")
		call{files.phase, done, nil}.make(t, m)
		assert.Equal(t, done, w.status(files.phase))
		assert.Equal(t, running, w.status(phases.Drained), "ours overwrites nothing")
		assert.Zero(t, requests.answered(http.StatusUnprocessableEntity))
	}
}

// TestMixedVersionsAnotherConfig: the Node gets another desired config in mid-update. Then a controller without
// this library reports, and copies that config to the status. Our daemon starts another update all the same: it
// remembers which config the update is for, and after a restart, it reads that from the object.
func TestMixedVersionsAnotherConfig(t *testing.T) {
	sameWhenGuarded(t)
	const another = "rendered-worker-another"
	for name, restarts := range map[string]struct{ before, after bool }{
		"no restart":                            {},
		"a restart before the config changes":   {before: true},
		"a restart after it, before the report": {after: true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newTestNode(t, fmt.Sprintf("versions-another-%t-%t", restarts.before, restarts.after))
			w.reportUpdated()
			m, _ := w.monitor("worker")
			controller := w.theirs(nil)
			w.annotate(oldConfig, newConfig)
			for _, c := range []call{
				{phases.Updated, no, nil}, {phases.UpdatePrepared, done, nil}, {phases.AppliedFilesAndOS, done, completesParent},
				{phases.UpdatePostActionComplete, done, nil}, {phases.Resumed, done, nil},
			} {
				c.make(t, m)
			}
			restart := func() {
				m, _ = w.monitor("worker")
				call{phases.Resumed, done, nil}.make(t, m) // reads the object
			}
			if restarts.before {
				restart()
			}
			w.annotate(oldConfig, another)
			if restarts.after {
				restart()
			}
			require.NoError(t, controller(t.Context(), call{phases.Uncordoned, done, nil}))
			require.Equal(t, another, w.object().Status.ConfigVersion.Desired)

			call{phases.Updated, no, nil}.make(t, m)
			for _, p := range phases.All(false) {
				switch {
				case p == phases.UpdatePrepared:
					assert.Equal(t, running, w.status(p))
				case phases.IsUpdateStep(p):
					assert.Equal(t, no, w.status(p), p)
				}
			}
			assert.Equal(t, another, w.object().Spec.ConfigVersion.Desired)
		})
	}
}

// TestMixedVersionsUnderTheGuard: the first policy allows a daemon without this library its whole
// update, the policy of transitions does not. Our daemon ends the next update.
func TestMixedVersionsUnderTheGuard(t *testing.T) {
	sameWhenGuarded(t)
	installGuards(t, standard)
	own := guard.Guard{Name: "versions", Namespace: "versions"}
	installGuard(t, standard, own)
	for _, guard := range []guard.Guard{own, fullGuard} {
		w := unguardedNodeOn(t, standard, "versions-"+withDefaults(guard).Name)
		w.config = newIdentity(t, standard, guard).podToken(w.name)
		w.annotate(oldConfig, oldConfig)
		w.resetObject(true)
		daemon := w.theirs(nil)
		require.NoError(t, daemon(t.Context(), call{phases.Updated, done, nil}))
		failed := w.mixedUpdate(func(int, call) reporter { return daemon })
		assert.Equal(t, guard.EnforceTransitions, len(failed) > 0, "%v", failed)
		w.config = newIdentity(t, standard, fullGuard).podToken(w.name)
		m, _ := w.monitor("worker")
		assert.Empty(t, w.mixedUpdate(func(int, call) reporter { return ours(m) }))
		watchFrom(t, w).checkEnded()
	}
}
