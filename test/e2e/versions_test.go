package e2e

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/scope/guard"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// reporter makes a report as a process of some version.
type reporter func(context.Context, call) error

func ours(m *upgrademonitor.Monitor) reporter {
	return func(ctx context.Context, c call) error { return c.try(ctx, m) }
}

// mixedUpdate makes the calls of rebootCalls, each with the reporter that by returns. It returns the calls that failed.
func (w *testNode) mixedUpdate(by func(i int, c call) reporter) (failed []string) {
	w.t.Helper()
	w.update(rebootCalls, version{config: oldConfig}, version{config: newConfig}, func(i int, c call) {
		if err := by(i, c)(w.t.Context(), c); err != nil {
			failed = append(failed, c.String())
		}
	})
	return failed
}

// If our daemon replaces a daemon without this library before any call of an update, it ends the update without an illegal
// transition and without a conflict.
func TestMixedVersionsOurDaemonEndsAnUpdateOfAnOldOne(t *testing.T) {
	for at := range len(rebootCalls) + 1 {
		w := unguardedNodeOn(t, standard, fmt.Sprintf("versions-turn-%d", at))
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
			call{phases.Updated, done, nil}.make(t, m) // our daemon starts after the update
		}
		assert.Empty(t, h.jumps(from), "from step %d on", at)
		h.checkEnded()
		assert.Zero(t, requests.answered(http.StatusConflict, http.StatusUnprocessableEntity))
	}
}

// ofController reports whether the drain controller makes this call of an update.
func ofController(c call) bool {
	return c.phase == phases.Cordoned || c.phase == phases.Drained || c.phase == phases.Uncordoned
}

// If our daemon runs beside a drain controller without this library, as in an upgrade, the daemon makes no illegal transition.
// If the controller overwrites a report, the daemon's next report of the phase corrects the status. With a Lister, a repeat
// of the report is enough.
func TestMixedVersionsAnOldControllerIsCorrectedByTheNextReport(t *testing.T) {
	for _, informed := range []bool{false, true} {
		w := unguardedNodeOn(t, standard, fmt.Sprintf("versions-old-controller-%t", informed))
		w.reportUpdated()
		m, requests := w.monitor("worker")
		caughtUp := func() {}
		if informed {
			m, requests, caughtUp = w.informed()
		}
		h := watchFrom(t, w)
		assert.Empty(t, w.mixedUpdate(func(_ int, c call) reporter {
			caughtUp()
			if ofController(c) {
				return w.theirs(nil)
			}
			return ours(m)
		}))
		h.checkEnded()
		for _, jump := range h.jumps(0) {
			assert.Regexp(t, `Cordoned|Drained|Uncordoned|UpdateExecuted|UpdateComplete`, jump, "only the phases that the controller reports may have illegal transitions")
		}

		caughtUp()
		w.annotate(newConfig, oldConfig)
		call{phases.Updated, no, nil}.make(t, m)
		files := call{phases.AppliedFilesAndOS, running, nil}
		controller := w.theirs(func() { files.make(t, m) })
		require.NoError(t, controller(t.Context(), call{phases.Drained, running, nil}))
		require.Equal(t, no, w.status(files.phase), "the controller must have overwritten the report")
		caughtUp()
		files.make(t, m)
		assert.Equal(t, informed, w.status(files.phase) == running, "a repeat is written if the Lister shows the overwrite")
		call{files.phase, done, nil}.make(t, m)
		assert.Equal(t, done, w.status(files.phase))
		assert.Equal(t, running, w.status(phases.Drained), "our daemon overwrites no report")
		assert.Zero(t, requests.answered(http.StatusUnprocessableEntity))
	}
}

// controller returns the Monitor of a drain controller for the node, with the Lister of a running informer. caughtUp is as
// in informed.
func (w *testNode) controller() (m *upgrademonitor.Monitor, requests *transport, caughtUp func()) {
	w.t.Helper()
	lister, caughtUp := w.lister()
	requests = &transport{}
	config := rest.CopyConfig(w.config)
	config.Wrap(requests.wrap)
	monitors, err := upgrademonitor.NewMonitors(w.t.Context(), upgrademonitor.Config{
		Client: mcfgClient(w.t, config), Lister: lister, Timeout: 30 * time.Second,
	}, func(string) (*corev1.Node, error) { return w.node, nil })
	require.NoError(w.t, err)
	return monitors.For(w.name), requests, caughtUp
}

// If our drain controller runs beside a daemon without this library, as in a downgrade, the controller makes no illegal
// transition and has no conflict. The daemon starts each update before it asks for the drain.
func TestMixedVersionsOurControllerIsLegalBesideAnOldDaemon(t *testing.T) {
	w := unguardedNodeOn(t, standard, "versions-old-daemon")
	w.reportUpdated()
	m, requests, caughtUp := w.controller()
	h := watchFrom(t, w)
	var jumps []string
	assert.Empty(t, w.mixedUpdate(func(_ int, c call) reporter {
		if !ofController(c) {
			return w.theirs(nil)
		}
		return func(ctx context.Context, c call) error {
			caughtUp()
			h.catchUp()
			from := len(h.events) - 1
			err := ours(m)(ctx, c)
			jumps = append(jumps, h.jumps(from)...)
			return err
		}
	}))
	h.checkEnded()
	assert.Empty(t, jumps)
	assert.Zero(t, requests.answered(http.StatusConflict, http.StatusUnprocessableEntity))

	// If the daemon overwrites a report of the controller, a repeat of the report corrects the status.
	w.annotate(newConfig, oldConfig)
	daemon := w.theirs(nil)
	for _, c := range []call{{phases.Updated, no, nil}, {phases.UpdatePrepared, done, nil}} {
		require.NoError(t, daemon(t.Context(), c))
	}
	call{phases.Drained, running, nil}.make(t, m)
	drained := call{phases.Drained, done, nil}
	require.NoError(t, w.theirs(func() { drained.make(t, m) })(t.Context(), call{phases.PinnedImageSetsProgressing, running, nil}))
	require.Equal(t, running, w.status(drained.phase), "the daemon must have overwritten the report")
	caughtUp()
	drained.make(t, m)
	assert.Equal(t, done, w.status(drained.phase))
}

// guard.yaml allows the writes of a daemon without this library, and guard-transitions.yaml denies some of them. After both,
// our daemon can make an update.
func TestMixedVersionsTheGuardAllowsAnOldDaemon(t *testing.T) {
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
