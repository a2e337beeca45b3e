package planner_test

import (
	"fmt"
	"slices"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/internal/conditionstest"
	"github.com/openshift/upgrademonitor/internal/transitions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/planner"
)

// model behaves like an API server with one object. It checks each status that a Core writes.
type model struct {
	exists   bool
	object   planner.Object
	versions int
	uids     int
	now      time.Time
	mode     planner.Mode
	// controller is true if the process is a controller.
	controller bool
	problem    error
}

var startTime = time.Date(2026, 5, 22, 12, 37, 24, 0, time.UTC)

// The configs and images.
const (
	a = "a"
	i = "i"
)

func uid(text string) types.UID { return types.UID(text) }

// foreign is a condition of another client.
var foreign = metav1.Condition{Type: "InternalReleaseImageDegraded", Status: metav1.ConditionTrue, Reason: "R", LastTransitionTime: metav1.NewTime(startTime)}

func (s *model) create(o planner.Object) {
	s.uids++
	s.exists = true
	s.object = planner.Object{UID: types.UID(fmt.Sprint("uid-", s.uids))}
	s.object.Owners, s.object.Spec = o.Owners, o.Spec
	s.bump(true)
}

// createBare creates an object without a status. Its spec has config a and image i.
func (s *model) createBare(n planner.Node) {
	n.Versions = planner.Versions{CurrentConfig: a, DesiredConfig: a, CurrentImage: i, DesiredImage: i}
	var o planner.Object
	o.State = o.WithSpecOf(n)
	s.create(o)
}

func (s *model) bump(spec bool) {
	s.versions++
	s.object.ResourceVersion = fmt.Sprint(s.versions)
	if spec {
		s.object.Generation++
	}
}

// make performs a request of a Core.
func (s *model) make(r planner.Request) planner.Result {
	switch {
	case r.Verb == planner.Create && (s.controller || !r.Node.Provisioned): // Monitor.checkRequest denies it
		return planner.Result{Outcome: apierr.Denied, Err: errAPI}
	case r.Verb == planner.Get && !s.exists, r.Verb != planner.Create && !s.exists:
		return planner.Result{Outcome: apierr.NotFound}
	case r.Verb == planner.Create && s.exists:
		return planner.Result{Outcome: apierr.Conflict}
	case r.Verb == planner.Get:
		return planner.Result{Outcome: apierr.OK, Object: s.object}
	case r.Verb == planner.Create:
		var o planner.Object
		o.State = o.WithSpecOf(r.Node)
		s.create(o)
		return planner.Result{Outcome: apierr.OK, Object: s.object}
	case r.Base.ResourceVersion != s.object.ResourceVersion:
		return planner.Result{Outcome: apierr.Conflict}
	case r.Verb == planner.PatchSpec:
		s.object.Owners, s.object.Spec = r.Next.Owners, r.Next.Spec
		s.bump(true)
	default:
		before := s.object
		s.object.Status, s.object.Foreign = r.Next.Status, r.Base.Foreign
		s.bump(false)
		s.check(before)
	}
	return planner.Result{Outcome: apierr.OK, Object: s.object}
}

// check checks that the write of a status is legal.
func (s *model) check(before planner.Object) {
	a, b := before.Status, s.object.Status
	fail := func(format string, args ...any) {
		if s.problem == nil {
			s.problem = fmt.Errorf(format, args...)
		}
	}
	if !slices.Equal(before.Foreign, s.object.Foreign) {
		fail("a condition of another client has changed: %v", s.object.Foreign)
	}
	if len(b.Conditions) != len(phases.All(s.mode == planner.Image)) {
		fail("the status has %d conditions, not one for each phase", len(b.Conditions))
	}
	if i := slices.IndexFunc(b.Conditions, func(c metav1.Condition) bool { return c.LastTransitionTime.IsZero() }); i >= 0 {
		fail("the condition %s has no lastTransitionTime", b.Conditions[i].Type)
	}
	if err := conditionstest.CheckTransitions(a.Conditions, b.Conditions); err != nil {
		fail("a watcher misses a status: %v", err)
	}
}

// write changes the status as another process does.
func (s *model) write(change func(status *mcfgv1.MachineConfigNodeStatus)) {
	if !s.exists {
		return
	}
	status := s.object.Status
	status.Conditions = slices.Clone(status.Conditions)
	change(&status)
	s.object.Status = status
	s.bump(false)
}

// report reports a phase as another process does.
func (s *model) report(p phases.Phase, status metav1.ConditionStatus) {
	s.write(func(o *mcfgv1.MachineConfigNodeStatus) {
		if c := conditions.Find(o.Conditions, p); c != nil {
			c.Status, c.Message = status, "by another"
		}
	})
}

// start starts an update as another process does.
func (s *model) start(config string, n planner.Node) error {
	s.desire(config)
	var err error
	s.write(func(status *mcfgv1.MachineConfigNodeStatus) {
		r := transitions.Report{Phase: phases.Updated, Status: metav1.ConditionFalse, Reason: "Updated", Message: "by another", Time: metav1.NewTime(s.now)}
		var lists [][]metav1.Condition
		lists, err = conditionstest.Writes(status.Conditions, n.Mode == planner.Image, r, transitions.Update{Name: config, NewTarget: true})
		if len(lists) > 0 {
			status.Conditions = lists[len(lists)-1]
		}
	})
	return err
}

// end ends an update as another process does.
func (s *model) end(config string, at time.Time) {
	s.write(func(status *mcfgv1.MachineConfigNodeStatus) {
		r := transitions.Report{Phase: phases.Updated, Status: metav1.ConditionTrue, Reason: "Updated", Message: "by another", Time: metav1.NewTime(at)}
		if lists, err := conditionstest.Writes(status.Conditions, s.mode == planner.Image, r, transitions.Update{Name: config}); err == nil && len(lists) > 0 {
			status.Conditions = lists[0]
		}
		status.ConfigVersion = &mcfgv1.MachineConfigNodeStatusMachineConfigVersion{Current: config, Desired: config}
	})
}

// desire changes the spec as the operator does.
func (s *model) desire(config string) {
	if s.exists {
		s.object.Spec.ConfigVersion.Desired = config
		s.bump(true)
	}
}

// addForeign adds a condition of another client.
func (s *model) addForeign() {
	if s.exists && len(s.object.Foreign) == 0 {
		s.object.Foreign = []metav1.Condition{foreign}
		s.bump(false)
	}
}

func (s *model) delete() { s.exists, s.object = false, planner.Object{} }
