package core_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

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
	deleted   bool        // the object has disappeared: it is created again
	listed    bool        // the Lister has had the object
	confirms  bool        // the Lister's version is not older than the known one
	expired   bool        // the known version must be checked by a read
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

// sees takes a view.
func (r *reference) sees(v core.View) {
	if len(r.pending) == 0 && r.knowledge == current && r.known.InSync(r.latest) {
		r.specOwed = false // it follows a later view
	}
	r.latest = v.Node
	switch {
	case r.inFlight != "" || !v.Lists || r.knowledge == unknown:
	case v.Listed != nil && v.Listed.UID == r.uid:
		r.lists(*v.Listed)
	case r.listed: // the object that the Lister had is gone, or another object
		r.knowledge, r.listed, r.confirms = doubtful, false, false
		r.deleted = v.Listed == nil && !v.Node.ConditionsOnly
	}
	r.expired = v.Expired && (!v.Lists || !r.confirms)
}

// lists takes the version of the object that the Lister has. The Core makes a newer one its own, or
// doubts the version that it knows.
func (r *reference) lists(o core.Object) {
	known, listed := version(r.version), version(o.ResourceVersion)
	r.listed, r.confirms = true, listed >= known
	switch {
	case listed <= known:
	case r.knowledge == current:
		o.Target = r.known.Target
		r.known, r.version = o.Pin(), o.ResourceVersion
	default:
		r.knowledge = doubtful
	}
}

func version(text string) int {
	v, _ := strconv.Atoi(text)
	return v
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
	changesStatus := planErr != nil || p.ChangesStatus(r.end())
	r.verified = false
	isTrue := r.knowledge == current && certain && unchanged
	if isTrue && len(r.pending) > 0 {
		known, err := change.Plan(r.known)
		isTrue = err == nil && len(known.States) == 0
	}
	if isTrue && r.expired && r.inFlight == "" {
		r.knowledge = doubtful // the change is queued, so that the object is read
	}
	wasTrue := isTrue
	isTrue = isTrue && !r.expired
	reported := slices.ContainsFunc(r.pending, func(other *pending) bool {
		_, ok := other.change.Absorb(change)
		return ok
	})
	wantRepeat := !wasTrue && unchanged && len(r.pending) > 0 && (certain || reported)
	switch {
	case repeat != wantRepeat:
		return fmt.Errorf("repeat %t, want %t", repeat, wantRepeat)
	case repeat && entry != r.pending[len(r.pending)-1].entry:
		return errors.New("a repeat does not wait for the last change")
	case repeat:
		return nil
	case errors.Is(err, core.ErrFull) && len(r.pending) >= 256 && changesStatus:
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
		if absorbs := ok && !r.isInFlight(n-1); absorbs || last.entry == entry && len(r.pending) < halfFull {
			if last.entry != entry || !absorbs {
				return fmt.Errorf("absorbed %t, want %t", last.entry == entry, absorbs)
			}
			last.change = merged
			return nil
		}
	}
	if len(r.pending) >= halfFull && !changesStatus {
		for at, other := range slices.Backward(r.pending) {
			if merged, ok := other.change.Replace(change); ok && !r.isInFlight(at) {
				if other.entry != entry {
					return errors.New("a change of texts takes a place in a queue that is half full")
				}
				other.change = merged
				return nil
			}
		}
	}
	_, isOfNode := change.(plan.NodeChange)
	r.pending = append(r.pending, &pending{change: change, entry: entry, alone: isOfNode})
	return nil
}

const halfFull = 128

// isInFlight reports whether a request for this pending change may be in flight.
func (r *reference) isInFlight(at int) bool { return r.inFlight != "" && at == 0 }

// followed checks the response to the spec call.
func (r *reference) followed(entry *core.Entry) error {
	if r.expired && r.inFlight == "" && (r.knowledge == current || r.knowledge == unanswered) {
		r.knowledge = doubtful
	}
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
func (r *reference) finished(settled []*core.Entry) error {
	for _, e := range settled {
		if e == r.specEntry {
			want := r.specErr
			r.specEntry, r.specErr = nil, nil
			switch {
			case !errors.Is(e.Err(), want):
				return fmt.Errorf("the spec is finished with %w, want %w", e.Err(), want)
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
	if isPatch := request.Verb == core.PatchSpec || request.Verb == core.PatchStatus; isPatch && request.Base.ResourceVersion != r.version {
		return fmt.Errorf("it is computed from version %s, and %s is known", request.Base.ResourceVersion, r.version)
	}
	if len(r.pending) > 0 && r.pending[0].change.View() != r.latest {
		// A report that waits for the start of an update is planned again for the newest Node.
		if _, err := r.pending[0].change.Plan(r.known); errors.Is(err, plan.ErrNotStarted) {
			r.pending[0].change = r.pending[0].change.At(r.latest)
		}
	}
	var p plan.Writes
	var err error
	if len(r.pending) > 0 {
		if p, err = r.pending[0].change.Plan(r.known); err == nil {
			r.pending[0].left = len(p.States)
		}
	}
	switch {
	case request.Verb == core.Wait:
		if !errors.Is(err, plan.ErrNotStarted) {
			return fmt.Errorf("it waits for the daemon (%w)", err)
		}
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
		r.deleted = r.deleted || r.uid != "" && !r.latest.ConditionsOnly
		r.knowledge, r.version, r.uid, r.known = gone, "", "", plan.State{}
		r.listed, r.confirms = false, false
		return core.Continue
	case result.Outcome == apierr.Denied && (request.Verb == core.Create || request.Verb == core.Wait):
		r.knowledge = doubtful
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
		} else {
			r.listed, r.confirms = false, false
		}
		r.known, r.sent, r.uid = r.known.Pin(), nil, o.UID
	}
	if r.known.InSync(r.latest) {
		r.specOwed = false
	}
}

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
