package core_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/core"
)

// server is a model of the API server with one object. It checks each version that a Core writes.
type server struct {
	exists   bool
	object   core.Object
	versions int
	uids     int
	now      time.Time
	asked    map[phases.Phase]bool // for which True was reported
	problem  error
}

var begun = time.Date(2026, 5, 22, 12, 37, 24, 0, time.UTC)

// foreign is a condition that is not this library's.
var foreign = json.RawMessage(`{"lastTransitionTime":"2026-01-02t03:04:05z","message":"","reason":"R","status":"True","type":"InternalReleaseImageDegraded"}`)

func (s *server) create(o core.Object) {
	s.uids++
	s.exists = true
	s.object = core.Object{UID: types.UID(fmt.Sprint("uid-", s.uids))}
	s.object.Owners, s.object.Spec = o.Owners, o.Spec
	s.bump(true)
}

func (s *server) bump(spec bool) {
	s.versions++
	s.object.ResourceVersion = fmt.Sprint(s.versions)
	if spec {
		s.object.Generation++
	}
}

// make makes a request, as the API server does.
func (s *server) make(r core.Request) core.Result {
	switch {
	case r.Kind == core.Get && !s.exists, r.Kind != core.Create && !s.exists:
		return core.Result{Outcome: core.NotFound}
	case r.Kind == core.Create && s.exists:
		return core.Result{Outcome: core.Conflict}
	case r.Kind == core.Get:
		return core.Result{Outcome: core.OK, Object: s.object}
	case r.Kind == core.Create:
		var o core.Object
		o.State = o.Follow(r.Node)
		s.create(o)
		return core.Result{Outcome: core.OK, Object: s.object}
	case r.Base.UID != s.object.UID || r.Base.ResourceVersion != s.object.ResourceVersion:
		return core.Result{Outcome: core.Conflict}
	case r.Kind == core.PatchSpec:
		s.object.Owners, s.object.Spec = r.Next.Owners, r.Next.Spec
		s.bump(true)
	default:
		before := s.object
		s.object.Status, s.object.Foreign = r.Next.Status, r.Base.Foreign
		s.bump(false)
		s.check(before, r.Restores)
	}
	return core.Result{Outcome: core.OK, Object: core.Object{UID: s.object.UID, ResourceVersion: s.object.ResourceVersion, State: s.object.State}}
}

// check checks the write of a status.
func (s *server) check(before core.Object, restores bool) {
	a, b := before.Status, s.object.Status
	fail := func(format string, args ...any) {
		if s.problem == nil {
			s.problem = fmt.Errorf(format, args...)
		}
	}
	if b.ObservedGeneration < a.ObservedGeneration || b.ObservedGeneration > s.object.Generation {
		fail("observedGeneration %d after %d, the generation is %d", b.ObservedGeneration, a.ObservedGeneration, s.object.Generation)
	}
	if !slices.EqualFunc(before.Foreign, s.object.Foreign, func(a, b json.RawMessage) bool { return string(a) == string(b) }) {
		fail("a condition of others has changed: %s", s.object.Foreign)
	}
	if len(b.Conditions) != len(phases.All(false)) {
		fail("%d conditions", len(b.Conditions))
	}
	if restores { // as the first status of a new object
		if updated := conditions.StatusOf(b.Conditions, phases.Updated); updated != metav1.ConditionTrue && b.ObservedGeneration != s.object.Generation {
			fail("restored with observedGeneration %d, the generation is %d", b.ObservedGeneration, s.object.Generation)
		}
		return
	}
	reset := true // every step is False, but for an UpdatePrepared that starts
	for _, c := range b.Conditions {
		p := phases.Phase(c.Type)
		starts := p == phases.UpdatePrepared && c.Status == metav1.ConditionUnknown
		reset = reset && (!phases.IsUpdateStep(p) || c.Status == metav1.ConditionFalse || starts)
	}
	for _, c := range b.Conditions {
		p := phases.Phase(c.Type)
		from := conditions.StatusOf(a.Conditions, p)
		path, err := phases.Path(p, from, c.Status)
		resets := reset && from == metav1.ConditionUnknown && c.Status == metav1.ConditionFalse
		if len(path) > 1 || err != nil && !resets {
			fail("a jump of %s: %s to %s", p, from, c.Status)
		}
		if c.Status == metav1.ConditionTrue && from != c.Status && !s.asked[p] {
			fail("%s turned True, which nobody has reported", p)
		}
		if known := conditions.Find(a.Conditions, p); known != nil && known.Status == c.Status && !known.LastTransitionTime.Equal(&c.LastTransitionTime) {
			fail("lastTransitionTime of %s moved without its status", p)
		}
	}
}

// write changes the status as another process does.
func (s *server) write(change func(status *mcfgv1.MachineConfigNodeStatus)) {
	if !s.exists {
		return
	}
	status := s.object.Status
	status.Conditions = slices.Clone(status.Conditions)
	change(&status)
	s.object.Status = status
	s.bump(false)
}

// summary is the status that a path leads to, without times and generations. The spec follows the
// Node as it is when an update begins, which may be later than in an undisturbed path.
func (s *server) summary() string {
	text := fmt.Sprint(s.exists)
	if v := s.object.Status.ConfigVersion; v != nil {
		text += fmt.Sprint(" ", *v)
	}
	for _, c := range s.object.Status.Conditions {
		text += fmt.Sprintf("\n\t\t%s=%s %s %q", c.Type, c.Status, c.Reason, c.Message)
	}
	return text
}
