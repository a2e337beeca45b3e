package e2e

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	mcfgapply "github.com/openshift/client-go/machineconfiguration/applyconfigurations/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	applymetav1 "k8s.io/client-go/applyconfigurations/meta/v1"

	"github.com/openshift/upgrademonitor/internal/mco"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/scope/guard"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// today is a daemon, or a controller, before this library, by what it does on the wire: it reads the
// object and applies all conditions and the versions by force, without a resource version.
type today struct {
	*testNode
	client  nodes
	between func() // after the read, if not nil
}

func newToday(w *testNode) *today { return &today{testNode: w, client: nodesOf(w.t, w.config)} }

func (d *today) report(ctx context.Context, c call) error {
	object, err := d.client.Get(ctx, d.name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		object = bareObject(d.name)
		object.OwnerReferences = []metav1.OwnerReference{d.owner()}
		object, err = d.client.Create(ctx, object, metav1.CreateOptions{FieldManager: upgrademonitor.DefaultFieldManager})
	}
	if err != nil {
		return err
	}
	if c.phase == phases.Updated && c.status == no { // the spec call
		desired := fmt.Sprintf(`{"spec":{"configVersion":{"desired":%q}}}`, d.node.Annotations[upgrademonitor.DesiredConfigAnnotation])
		if object, err = d.client.Patch(ctx, d.name, types.MergePatchType, []byte(desired), metav1.PatchOptions{}); err != nil {
			return err
		}
	}
	if d.between != nil {
		d.between()
	}
	reported := mco.Call{Phase: c.phase, Status: c.status, Reason: string(c.phase), Message: "today: about " + c.String(), CompletesParent: len(c.opts) > 0}
	list, writes := mco.Conditions(object, reported, metav1.Now())
	if !writes {
		return nil
	}
	annotations := d.node.Annotations
	status := mcfgapply.MachineConfigNodeStatus().
		WithObservedGeneration(object.Generation + 1).
		WithConfigVersion(mcfgapply.MachineConfigNodeStatusMachineConfigVersion().
			WithDesired(mco.DesiredConfig(reported, annotations[upgrademonitor.DesiredConfigAnnotation])).
			WithCurrent(annotations[upgrademonitor.CurrentConfigAnnotation]))
	for _, c := range list {
		status.WithConditions(applymetav1.Condition().WithType(c.Type).WithStatus(c.Status).WithReason(c.Reason).WithMessage(c.Message).
			WithLastTransitionTime(c.LastTransitionTime))
	}
	_, err = d.client.ApplyStatus(ctx, mcfgapply.MachineConfigNode(d.name).WithStatus(status),
		metav1.ApplyOptions{FieldManager: upgrademonitor.DefaultFieldManager, Force: true})
	return err
}

// reporter is one of the versions of a process.
type reporter func(context.Context, call) error

func ours(m *upgrademonitor.Monitor) reporter {
	return func(ctx context.Context, c call) error { return c.try(ctx, m) }
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

// jumps returns how many times the rules were broken since the watch caught up.
func (h *history) jumps() int {
	from := max(1, len(h.events))
	h.catchUp()
	return len(h.broken(from))
}

// seen are the rows of the table that TestMixedVersions prints.
type seen struct{ rows []string }

func (s *seen) add(who, format string, args ...any) {
	s.rows = append(s.rows, fmt.Sprintf("| %s | %s |", who, fmt.Sprintf(format, args...)))
}

func TestMixedVersions(t *testing.T) {
	sameWhenGuarded(t)
	s := &seen{}
	for _, test := range []func(*testing.T, *seen){objectsOfToday, backAndForth, todaysController, ourController, guarded} {
		test(t, s)
	}
	t.Logf("\n| who writes | what was seen |\n|---|---|\n%s", strings.Join(s.rows, "\n"))
}

// objectsOfToday are met by ours after each call of an update, and before the first.
func objectsOfToday(t *testing.T, s *seen) {
	all := len(rebootCalls)
	var jumps, conflicts, invalid, specs, status int
	for at := range all + 1 {
		w := newTestNode(t, fmt.Sprintf("versions-met-%d", at))
		w.annotate(oldConfig, oldConfig)
		before := newToday(w)
		require.NoError(t, before.report(t.Context(), call{phases.Updated, done, nil}))
		m, requests := w.monitor("worker")
		h := watchFrom(t, w)
		w.mixedUpdate(func(i int, _ call) reporter {
			if i < at {
				return before.report
			}
			if i == at {
				h.catchUp()
			}
			return ours(m)
		})
		if at == all {
			h.catchUp()
			call{phases.Updated, done, nil}.make(t, m) // a restart
		}
		jumps += h.jumps() // of ours
		h.checkEnded()
		for _, c := range h.last().Status.Conditions {
			assert.LessOrEqual(t, strings.Count(c.Message, "Action during update"), 1, c.Message)
		}
		conflicts, invalid = conflicts+requests.answered(http.StatusConflict), invalid+requests.answered(http.StatusUnprocessableEntity)
		specs, status = max(specs, requests.of("spec")), max(status, requests.of("status"))
		assert.LessOrEqual(t, requests.of("read"), 1)
	}
	assert.Zero(t, jumps+conflicts+invalid)
	s.add("today's daemon up to any of the steps of an update, then ours", "%d objects: every update ends Updated, %d jumps after the change, %d conflicts, %d answers 422; at most 1 read, %d spec and %d status writes",
		all+1, jumps, conflicts, invalid, specs, status)
}

// backAndForth: ours until one step, today's until another, then ours as a new process.
func backAndForth(t *testing.T, s *seen) {
	updates, before, after := 0, 0, 0
	for from := 1; from < len(rebootCalls)-1; from += 2 {
		for to := from + 1; to < len(rebootCalls); to += 3 {
			w := newTestNode(t, fmt.Sprintf("versions-back-%d-%d", from, to))
			w.reportUpdated()
			h := watchFrom(t, w)
			first, _ := w.monitor("worker")
			second, _ := w.monitor("worker")
			w.mixedUpdate(func(i int, _ call) reporter {
				switch {
				case i < from:
					return ours(first)
				case i < to:
					return newToday(w).report
				}
				if i == to {
					before += h.jumps()
				}
				return ours(second)
			})
			after += h.jumps()
			h.checkEnded()
			updates++
		}
	}
	assert.Zero(t, after)
	s.add("ours, back to today's in the middle of an update, then ours again", "%d updates end Updated; today's daemon made %d jumps, ours none before and %d after", updates, before, after)
}

// todaysController drains beside our daemon, and overwrites what the daemon reports between its
// read and its write.
func todaysController(t *testing.T, s *seen) {
	for _, informed := range []bool{false, true} {
		w := newTestNode(t, fmt.Sprintf("versions-controller-%t", informed))
		w.reportUpdated()
		m, requests := w.monitor("worker")
		caughtUp := func(string) {}
		if informed {
			m, requests, caughtUp = w.informed(t.Context())
		}
		w.annotate(oldConfig, newConfig)
		call{phases.Updated, no, nil}.make(t, m)
		files := call{phases.AppliedFilesAndOS, running, nil}
		controller := newToday(w)
		controller.between = func() { files.make(t, m) }
		require.NoError(t, controller.report(t.Context(), call{phases.Drained, running, nil}))
		require.Equal(t, no, w.status(files.phase), "overwritten")

		caughtUp(w.object().ResourceVersion)
		files.make(t, m)
		repeated := w.status(files.phase) == files.status
		assert.Equal(t, informed, repeated, "a Lister shows it")
		conflicts := requests.answered(http.StatusConflict)
		call{phases.AppliedFilesAndOS, done, nil}.make(t, m)
		assert.Equal(t, done, w.status(files.phase))
		conflicts = requests.answered(http.StatusConflict) - conflicts
		w.annotate(newConfig, newConfig)
		call{phases.Updated, done, nil}.make(t, m)
		h := watchFrom(t, w)
		h.checkEnded()
		s.add(fmt.Sprintf("our daemon, informed %t, beside today's drain controller that has read before", informed),
			"the daemon's report is gone; the same report again mends it: %t; the next status of the phase mends it, %d conflicts; Updated=True ends the update", repeated, conflicts)
	}

	const each = 30
	w := newTestNode(t, "versions-controller-30")
	w.reportUpdated()
	m, requests := w.monitor("worker")
	w.annotate(oldConfig, newConfig)
	call{phases.Updated, no, nil}.make(t, m)
	controller, lost := newToday(w), 0
	for i := range each {
		status := []metav1.ConditionStatus{running, done}[i%2]
		var both sync.WaitGroup
		both.Go(func() { call{phases.AppliedFilesAndOS, status, nil}.make(t, m) })
		both.Go(func() { assert.NoError(t, controller.report(t.Context(), call{phases.Drained, status, nil})) })
		both.Wait()
		if w.status(phases.AppliedFilesAndOS) != status {
			lost++
		}
		assert.Equal(t, status, w.status(phases.Drained), "ours overwrites nothing")
	}
	s.add("our daemon beside today's drain controller, at the same moment", "%d of %d reports of the daemon overwritten, none of the controller's; the daemon had %d conflicts",
		lost, each, requests.answered(http.StatusConflict))
}

// ourController drains beside today's daemon.
func ourController(t *testing.T, s *seen) {
	w := newTestNode(t, "versions-daemon")
	w.reportUpdated()
	controller, requests := w.monitor("worker")
	daemon := newToday(w)
	drains := func(c call) bool { return c.phase == phases.Cordoned || c.phase == phases.Drained }
	h := watchFrom(t, w)
	w.mixedUpdate(func(_ int, c call) reporter {
		if drains(c) {
			return ours(controller)
		}
		return daemon.report
	})
	h.catchUp()
	h.checkEnded()
	s.add("our drain controller beside today's daemon, one after the other", "nothing is lost, the update ends Updated; the controller had %d conflicts, each of them read and written again", requests.answered(http.StatusConflict))

	w.annotate(newConfig, oldConfig)
	require.NoError(t, daemon.report(t.Context(), call{phases.UpdatePrepared, done, nil}))
	daemon.between = func() { call{phases.Drained, done, nil}.make(t, controller) }
	require.NoError(t, daemon.report(t.Context(), call{phases.AppliedFilesAndOS, running, nil}))
	lost := w.status(phases.Drained) != done
	call{phases.Drained, running, nil}.make(t, controller)
	call{phases.Drained, done, nil}.make(t, controller)
	assert.Equal(t, done, w.status(phases.Drained))
	s.add("our drain controller beside today's daemon that has read before", "the controller's report is gone: %t; its next report of another status mends it", lost)
}

// guarded has today's daemon under the policies.
func guarded(t *testing.T, s *seen) {
	installGuards(t, standard)
	own := guard.Guard{Name: "versions", Namespace: "versions"}
	installGuard(t, standard, own)
	for name, guard := range map[string]guard.Guard{"the guard": own, "the guard and the policy of transitions": fullGuard} {
		w := unguardedNodeOn(t, standard, "versions-"+withDefaults(guard).Name)
		w.config = newIdentity(t, standard, guard).podToken(w.name)
		w.annotate(oldConfig, oldConfig)
		daemon := newToday(w)
		require.NoError(t, daemon.report(t.Context(), call{phases.Updated, done, nil}))
		failed := w.mixedUpdate(func(int, call) reporter { return daemon.report })
		after := w.status(phases.Updated)
		w.config = newIdentity(t, standard, fullGuard).podToken(w.name)
		m, _ := w.monitor("worker")
		w.mixedUpdate(func(int, call) reporter { return ours(m) })
		assert.Equal(t, done, w.status(phases.Updated))
		s.add("today's daemon under "+name, "%d of %d reports denied (%s), Updated is %s after its update; ours ends the next one", len(failed), len(rebootCalls), strings.Join(failed, ", "), after)
	}
}
