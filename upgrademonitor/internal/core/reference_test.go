package core_test

import (
	"errors"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/core"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// reference decides which responses, requests and verdicts of a Core are right, from the pending changes
// and the known object. It plans all pending changes again, each time, and keeps no other state.
type reference struct {
	pending []*pending
	// knowledge is what a Core may rely on.
	knowledge knowledge
	version   string     // the resource version that is known
	known     plan.State // of that version; its Target is what the process remembers
	uid       types.UID
	deleted   bool        // the Lister has lost the object: it is created again
	view      plan.Node   // at the last read or write
	verified  bool        // it was read or written since the last change was submitted
	inFlight  core.Verb   // the request in flight, or ""
	sent      *plan.State // the status whose response was lost

	latest    plan.Node // the view that the spec must follow
	specOwed  bool      // the spec must be written, and was not
	specEntry *core.Entry
	specErr   error // of the write that has failed, for the callers of specEntry
}

// pending is a change that was accepted.
type pending struct {
	change  plan.Change
	entry   *core.Entry
	alone   bool  // its caller has left
	left    int   // writes, with the request in flight
	written bool  // the last one
	err     error // of the API server, which rejects it
}

type knowledge string

const (
	unknown    knowledge = ""
	current    knowledge = "current"    // nobody is known to have written since
	unanswered knowledge = "unanswered" // only this process may have
	doubtful   knowledge = "doubtful"   // others may have
	gone       knowledge = "gone"       // the object is
)

// end returns the state after the pending changes.
func (r *reference) end() plan.State {
	s := r.known
	for _, c := range r.pending {
		if p, err := c.change.Plan(s); err == nil && len(p.States) > 0 {
			s = p.States[len(p.States)-1]
		}
	}
	return s
}

// sees takes a view of the Node.
func (r *reference) sees(view plan.Node) {
	if len(r.pending) == 0 && r.knowledge == current && r.known.InSync(r.latest) {
		r.specOwed = false // it follows a later view
	}
	r.latest = view
}

// submitted checks the response to a change.
//
//  1. It is true already if it changes neither the object nor the state after the pending changes.
//  2. It is a repeat if it changes nothing after the pending changes, and that is certain, or a
//     pending change reports the same.
//  3. It is absorbed by the last pending change if that reports the same, and is not in flight.
func (r *reference) submitted(change plan.Change, entry *core.Entry, repeat bool, err error) error {
	p, planErr := change.Plan(r.end())
	unchanged := planErr == nil && len(p.States) == 0 && r.knowledge != unknown
	certain := r.knowledge != unknown && r.knowledge != doubtful && r.view.Versions == change.View().Versions
	r.verified = false
	isTrue := r.knowledge == current && certain && unchanged
	if isTrue && len(r.pending) > 0 {
		known, err := change.Plan(r.known)
		isTrue = err == nil && len(known.States) == 0
	}
	reported := slices.ContainsFunc(r.pending, func(other *pending) bool {
		_, ok := other.change.Absorb(change)
		return ok
	})
	wantRepeat := !isTrue && unchanged && len(r.pending) > 0 && (certain || reported)
	switch {
	case repeat != wantRepeat:
		return fmt.Errorf("repeat %t, want %t", repeat, wantRepeat)
	case repeat && entry != r.pending[len(r.pending)-1].entry:
		return errors.New("a repeat does not wait for the last change")
	case repeat:
		return nil
	case entry == nil && err == nil && isTrue:
		return nil
	case entry == nil:
		return fmt.Errorf("the response is %w: true already %t", err, isTrue)
	case isTrue:
		return errors.New("accepted, and true already")
	}
	if n := len(r.pending); n > 0 {
		last := r.pending[n-1]
		merged, ok := last.change.Absorb(change)
		if absorbs := ok && (r.inFlight == "" || n > 1); absorbs != (last.entry == entry) {
			return fmt.Errorf("absorbed %t, want %t", last.entry == entry, absorbs)
		}
		if last.entry == entry {
			last.change = merged
			return nil
		}
	}
	r.pending = append(r.pending, &pending{change: change, entry: entry})
	return nil
}

// followed checks the response to the spec call.
func (r *reference) followed(entry *core.Entry) error {
	if follows := r.knowledge == current && r.known.InSync(r.latest) && r.inFlight != core.PatchSpec; follows != (entry == nil) {
		return fmt.Errorf("the spec follows %t, and its entry is %v", follows, entry)
	}
	if entry != nil {
		r.specEntry = entry
	}
	return nil
}

// finished checks that a settled entry was the first pending entry, and that its change is true of the
// object, or rejected. If its caller has left, it is dropped.
func (r *reference) finished(c *core.Core) error {
	for _, e := range c.TakeSettled() {
		if e == r.specEntry {
			want := r.specErr
			r.specEntry, r.specErr = nil, nil
			switch {
			case !errors.Is(e.Err(), want):
				return fmt.Errorf("the spec is finished with another error than %w", want)
			case want == nil && !r.known.InSync(r.latest):
				return errors.New("the spec is finished, and does not follow the node")
			}
			continue
		}
		if len(r.pending) == 0 || r.pending[0].entry != e {
			return fmt.Errorf("%s is finished, and is not the first", e.Change)
		}
		first := r.pending[0]
		want := first.err
		if want == nil && !first.written {
			p, err := first.change.Plan(r.known)
			switch n := len(p.States); {
			case err == nil && (n > 1 || n == 1 && !p.States[0].Equal(r.known)):
				return fmt.Errorf("%s is finished, and %d writes are left", e.Change, n)
			case err == nil && n == 1:
				r.known.Target = p.States[0].Target
			case err != nil && r.knowledge != gone && !r.verified:
				return fmt.Errorf("%s is rejected without a read", e.Change)
			case err == nil && n == 0 && r.knowledge != gone && r.view.Versions != first.change.View().Versions:
				return fmt.Errorf("%s is finished without a read, for another view of the Node", e.Change)
			}
			want = err
		}
		if (e.Dropped() != nil) != (want != nil && first.alone) {
			return fmt.Errorf("%s is dropped with %w, its error is %w, and its caller has left %t", e.Change, e.Dropped(), want, first.alone)
		}
		if !e.IsSettled() || fmt.Sprint(e.Err()) != fmt.Sprint(want) {
			return fmt.Errorf("%s is settled %t with %w, want %w", e.Change, e.IsSettled(), e.Err(), want)
		}
		r.pending = r.pending[1:]
	}
	return nil
}

// leave makes the callers leave whose changes are pending.
func (r *reference) leave() error {
	for _, w := range r.pending {
		if w.alone = true; w.entry.IsSettled() {
			return fmt.Errorf("%s is settled, and was not returned", w.change)
		}
		w.entry.Abandon()
	}
	return nil
}

// ends reports whether a change ends an update on a Node that runs the config that it desires.
func (r *reference) ends(change plan.Change) bool {
	report, ok := change.(plan.PhaseChange)
	return ok && report.Phase == phases.Updated && report.Status == metav1.ConditionTrue &&
		conditions.StatusOf(r.known.Status.Conditions, phases.Updated) != metav1.ConditionTrue &&
		report.Node.CurrentConfig == report.Node.DesiredConfig
}

// requested checks a request before it is made. The spec is written before the status that starts or ends
// an update, unless it has failed.
func (r *reference) requested(request core.Request, trySpec bool) error {
	r.inFlight = request.Verb
	if request.Verb == core.Get {
		if r.knowledge == current {
			r.knowledge = doubtful // for a change with another view of the Node
		}
		return nil
	}
	if request.Verb != core.Create && request.Base.ResourceVersion != r.version {
		return fmt.Errorf("it is computed from version %s, and %s is known", request.Base.ResourceVersion, r.version)
	}
	var p plan.Writes
	var err error
	if len(r.pending) > 0 {
		if p, err = r.pending[0].change.Plan(r.known); err == nil {
			r.pending[0].left = len(p.States)
		}
	}
	switch {
	case request.Verb == core.Create:
		if r.knowledge != gone || request.Node != r.latest {
			return fmt.Errorf("a create, of an object that is %s", r.knowledge)
		}
	case request.Verb == core.PatchSpec:
		if request.Node != r.latest || r.known.InSync(request.Node) {
			return errors.New("a write of the spec that nobody needs")
		}
	case len(p.States) == 0:
		return fmt.Errorf("a write of the status that nobody needs (%w)", err)
	case !request.Next.Equal(p.States[0]) || request.Next.Target != p.States[0].Target:
		return fmt.Errorf("the write is not the first of %s", r.pending[0].change)
	case (p.StartsUpdate || r.ends(r.pending[0].change)) && !r.known.InSync(r.latest) && trySpec:
		return errors.New("an update starts or ends before its spec is written")
	case (p.StartsUpdate || r.ends(r.pending[0].change)) && !r.known.InSync(r.latest):
		r.specOwed = true
	}
	return nil
}

// responded takes the result of a request, and returns how to go on.
func (r *reference) responded(request core.Request, result core.Result) core.Verdict {
	r.inFlight = ""
	isStatus, isSpec := request.Verb == core.PatchStatus, request.Verb == core.PatchSpec
	if isSpec && result.Outcome != apierr.Conflict && result.Outcome != apierr.NotFound {
		r.specOwed = true
	}
	switch {
	case result.Outcome == apierr.OK:
		r.takes(request, result)
		return core.Continue
	case result.Outcome == apierr.NotFound && request.Verb == core.Get:
		r.knowledge, r.version, r.uid, r.known = gone, "", "", plan.State{}
		return core.Continue
	case result.Outcome == apierr.Denied, request.Verb == core.Get:
	case result.Outcome == apierr.Retry:
		r.knowledge = unanswered
		if isStatus {
			r.sent = &request.Next
		}
	default:
		r.knowledge = doubtful
	}
	switch {
	case result.Outcome == apierr.Conflict, result.Outcome == apierr.NotFound:
		return core.Pause
	case result.Outcome == apierr.Terminal && isStatus:
		r.pending[0].err = result.Err
		return core.Continue
	case isSpec:
		if r.specEntry != nil {
			r.specErr = result.Err // its callers get the error
		}
		return core.SkipSpec
	default:
		return core.GiveUp
	}
}

// takes takes a version that was read or written.
func (r *reference) takes(request core.Request, result core.Result) {
	before := r.known
	o := result.Object
	r.knowledge, r.version, r.view, r.verified = current, o.ResourceVersion, request.Node, true
	if request.Verb == core.PatchSpec || request.Verb == core.PatchStatus {
		if request.Verb == core.PatchStatus {
			r.pending[0].written = r.pending[0].left == 1
		}
		r.known = request.Next
		r.known.Generation = o.Generation
	} else {
		r.known, r.deleted = o.State, false
		if o.UID == r.uid {
			if r.known.Target = before.Target; r.sent != nil && r.known.Equal(*r.sent) {
				r.known.Target = r.sent.Target // its response was lost
			}
		}
		r.known, r.sent, r.uid = r.known.Pin(), nil, o.UID
	}
	if r.known.InSync(r.latest) {
		r.specOwed = false
	}
}

// listed takes what the Lister has shown: the Core has made it its own, or doubts what it knows.
func (r *reference) listed(o core.Object, version string, newer bool) {
	switch {
	case version == o.ResourceVersion && newer:
		o.Target = r.known.Target
		r.known, r.version = o.Pin(), version
	case newer && (r.knowledge == current || r.knowledge == unanswered):
		r.knowledge = doubtful
	}
}

// forget is a restart of the process.
func (r *reference) forget() { *r = reference{} }

// checkDone checks that nothing is left to do.
func (r *reference) checkDone(c *core.Core, there *core.Object) error {
	switch {
	case len(r.pending) > 0:
		return fmt.Errorf("%s is lost", r.pending[0].change)
	case c.Pending() || c.SpecPending():
		return errors.New("something is pending at the end")
	case r.deleted:
		return errors.New("the object that the Lister has lost is not created again")
	case r.specEntry != nil:
		return errors.New("the caller of the spec call still waits")
	case r.specOwed && there != nil && !there.InSync(r.latest):
		return errors.New("a write of the spec that failed was not tried again")
	}
	return nil
}
