package e2e

import (
	"context"
	"fmt"
	"net/http"
	"strings"
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

// today is a daemon, or a controller, before this library, by its requests: it reads the object and applies all conditions
// and the versions by force, without a resource version.
type today struct {
	*testNode
	between func() // after the read, if not nil
}

func (d *today) report(ctx context.Context, c call) error {
	client := nodesOf(d.t, d.config)
	object, err := client.Get(ctx, d.name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		object = bareObject(d.name)
		object.OwnerReferences = []metav1.OwnerReference{d.owner()}
		object, err = client.Create(ctx, object, metav1.CreateOptions{FieldManager: upgrademonitor.DefaultFieldManager})
	}
	if err != nil {
		return err
	}
	annotations := d.node.Annotations
	if c.phase == phases.Updated && c.status == no { // the spec call
		desired := fmt.Sprintf(`{"spec":{"configVersion":{"desired":%q}}}`, annotations[upgrademonitor.DesiredConfigAnnotation])
		if object, err = client.Patch(ctx, d.name, types.MergePatchType, []byte(desired), metav1.PatchOptions{}); err != nil {
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
	status := mcfgapply.MachineConfigNodeStatus().
		WithObservedGeneration(object.Generation + 1).
		WithConfigVersion(mcfgapply.MachineConfigNodeStatusMachineConfigVersion().
			WithDesired(mco.DesiredConfig(reported, annotations[upgrademonitor.DesiredConfigAnnotation])).
			WithCurrent(annotations[upgrademonitor.CurrentConfigAnnotation]))
	for _, c := range list {
		status.WithConditions(applymetav1.Condition().WithType(c.Type).WithStatus(c.Status).WithReason(c.Reason).WithMessage(c.Message).
			WithLastTransitionTime(c.LastTransitionTime))
	}
	_, err = client.ApplyStatus(ctx, mcfgapply.MachineConfigNode(d.name).WithStatus(status),
		metav1.ApplyOptions{FieldManager: upgrademonitor.DefaultFieldManager, Force: true})
	return err
}

// reporter reports as a process of one version does.
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

// TestMixedVersionsInTurn: today's daemon up to any of the steps of an update, and then ours. Every update ends, and ours
// has no conflict and no illegal transition.
func TestMixedVersionsInTurn(t *testing.T) {
	sameWhenGuarded(t)
	for at := range len(rebootCalls) + 1 {
		w := newTestNode(t, fmt.Sprintf("versions-turn-%d", at))
		w.annotate(oldConfig, oldConfig)
		before := &today{testNode: w}
		require.NoError(t, before.report(t.Context(), call{phases.Updated, done, nil}))
		m, requests := w.monitor("worker")
		h := watchFrom(t, w)
		from := 0
		w.mixedUpdate(func(i int, _ call) reporter {
			if i < at {
				return before.report
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

// TestMixedVersionsBesideEachOther: one process of each version, each of which drains in its turn. A report that today's
// process overwrites, because it has read before, is mended by the next report of the phase, and with a Lister by the
// same report.
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
		controller := &today{testNode: w}
		drains := func(c call) bool { return c.phase == phases.Cordoned || c.phase == phases.Drained }
		for _, isOurs := range []func(call) bool{drains, func(c call) bool { return !drains(c) }} {
			failed := w.mixedUpdate(func(_ int, c call) reporter {
				caughtUp()
				if isOurs(c) {
					return ours(m)
				}
				return controller.report
			})
			assert.Empty(t, failed)
			h.checkEnded()
		}

		w.annotate(newConfig, oldConfig)
		call{phases.Updated, no, nil}.make(t, m)
		files := call{phases.AppliedFilesAndOS, running, nil}
		controller.between = func() { files.make(t, m) }
		require.NoError(t, controller.report(t.Context(), call{phases.Drained, running, nil}))
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

// TestMixedVersionsUnderTheGuard: the first policy allows today's daemon its whole update, the policy of transitions does
// not. Our daemon ends the next update.
func TestMixedVersionsUnderTheGuard(t *testing.T) {
	sameWhenGuarded(t)
	installGuards(t, standard)
	own := guard.Guard{Name: "versions", Namespace: "versions"}
	installGuard(t, standard, own)
	for _, guard := range []guard.Guard{own, fullGuard} {
		w := unguardedNodeOn(t, standard, "versions-"+withDefaults(guard).Name)
		w.config = newIdentity(t, standard, guard).podToken(w.name)
		w.annotate(oldConfig, oldConfig)
		daemon := &today{testNode: w}
		require.NoError(t, daemon.report(t.Context(), call{phases.Updated, done, nil}))
		failed := w.mixedUpdate(func(int, call) reporter { return daemon.report })
		assert.Equal(t, guard.EnforceTransitions, len(failed) > 0, "%v", failed)
		w.config = newIdentity(t, standard, fullGuard).podToken(w.name)
		m, _ := w.monitor("worker")
		assert.Empty(t, w.mixedUpdate(func(int, call) reporter { return ours(m) }))
		watchFrom(t, w).checkEnded()
	}
}
