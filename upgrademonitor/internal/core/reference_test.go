package core_test

import (
	"errors"
	"fmt"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/core"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// reference says what is right for a Core: what is pending, what is known of the object, and thus
// each answer, request and end. It plans everything again from the first pending change on, each time,
// and keeps no other state.
type reference struct {
	pending []*pending
	// knowledge is what a Core may rely on.
	knowledge knowledge
	version   string      // the resource version that is known
	known     plan.State  // of that version; its Target is what the process remembers
	restored  bool        // known is of an object that was deleted, and is to be restored
	view      plan.Node   // at the last read or write
	onItsWay  core.Kind   // the request that is, or ""
	sent      *plan.State // the status of which the answer was lost

	latest    plan.Node  // the view to follow with the spec
	specOwed  *plan.Node // the view that the spec was to follow, and does not
	specEntry *core.Entry
}

// pending is a change that was accepted.
type pending struct {
	change  plan.Change
	entry   *core.Entry
	waiters int
	left    int   // writes, with the request that is on its way
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

// end returns what the pending changes lead to.
func (r *reference) end() plan.State {
	s := r.known
	for _, c := range r.pending {
		if p, err := c.change.Plan(s); err == nil && len(p.States) > 0 {
			s = p.States[len(p.States)-1]
		}
	}
	return s
}

// submitted checks the answer to a change.
//
//  1. It is true already if it changes neither what is there nor what is pending.
//  2. It is rejected if it is an error after what is pending, unless others may have written.
//  3. It is absorbed by the last pending change if that asks for the same, nobody waits for it, and it
//     is not on its way.
func (r *reference) submitted(change plan.Change, needed bool, entry *core.Entry, err error) error {
	if len(r.pending) == 0 && r.knowledge == current && r.known.Follows(r.latest) {
		r.specOwed = nil // it follows a later view
	}
	r.latest = change.View()
	end := r.end()
	p, planErr := change.Plan(end)
	if needed != (planErr == nil && len(p.States) > 0) {
		return fmt.Errorf("IsNeeded returns %t", needed)
	}
	sameView := r.knowledge != unknown && r.view.Versions == change.View().Versions
	isTrue := r.knowledge == current && !r.restored && sameView && planErr == nil && len(p.States) == 0
	if isTrue && len(r.pending) > 0 {
		there, err := change.Plan(r.known)
		isTrue = err == nil && len(there.States) == 0
	}
	rejected := planErr != nil && sameView && r.knowledge != doubtful
	switch {
	case entry == nil && err == nil && isTrue:
		return nil
	case err != nil && (rejected || planErr != nil && sameView && r.knowledge == gone) && err.Error() == planErr.Error():
		return nil
	case entry == nil:
		return fmt.Errorf("the answer is %w: true already %t, rejected %w", err, isTrue, planErr)
	case isTrue || rejected:
		return fmt.Errorf("accepted: true already %t, rejected %w", isTrue, planErr)
	}
	if n := len(r.pending); n > 0 {
		last := r.pending[n-1]
		merged, ok := last.change.Absorb(change)
		if absorbs := ok && last.waiters == 0 && (r.onItsWay == "" || n > 1); absorbs != (last.entry == entry) {
			return fmt.Errorf("absorbed %t, want %t", last.entry == entry, absorbs)
		}
		if last.entry == entry {
			last.change, last.waiters = merged, last.waiters+1
			return nil
		}
	}
	r.pending = append(r.pending, &pending{change: change, entry: entry, waiters: 1})
	return nil
}

// followed checks the answer to the spec call.
func (r *reference) followed(view plan.Node, entry *core.Entry) error {
	r.latest = view
	if follows := r.knowledge == current && !r.restored && r.known.Follows(view) && r.onItsWay != core.PatchSpec; follows != (entry == nil) {
		return fmt.Errorf("the spec follows %t, and its entry is %v", follows, entry)
	}
	if entry != nil {
		r.specEntry = entry
	}
	return nil
}

// finished checks that what is finished is the first that is pending, and true of the object, or
// rejected. Who waits for it gets the error; else it is dropped.
func (r *reference) finished(c *core.Core) error {
	for _, e := range c.TakeFinished() {
		if e == r.specEntry {
			if r.specEntry = nil; !r.known.Follows(r.latest) {
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
			case (err != nil || n == 0) && r.knowledge != gone && r.view.Versions != first.change.View().Versions:
				return fmt.Errorf("%s is finished without a read, for another view of the Node", e.Change)
			}
			want = err
		}
		if (e.Dropped() != nil) != (want != nil && first.waiters == 0) {
			return fmt.Errorf("%s is dropped with %w, its error is %w, and %d wait", e.Change, e.Dropped(), want, first.waiters)
		}
		for ; first.waiters > 0; first.waiters-- {
			if done, err := c.Leave(e); !done || fmt.Sprint(err) != fmt.Sprint(want) {
				return fmt.Errorf("%s is done %t with %w, want %w", e.Change, done, err, want)
			}
		}
		r.pending = r.pending[1:]
	}
	return nil
}

// leave has the callers leave, whose changes are pending still.
func (r *reference) leave(c *core.Core, waiting ...*pending) error {
	for _, w := range waiting {
		for ; w.waiters > 0; w.waiters-- {
			if done, _ := c.Leave(w.entry); done {
				return fmt.Errorf("%s is done, and was not finished", w.change)
			}
		}
	}
	return nil
}

// requested checks a request before it is made.
func (r *reference) requested(request core.Request) error {
	r.onItsWay = request.Kind
	if request.Kind == core.Get {
		if r.knowledge == current {
			r.knowledge = doubtful // for a change with another view of the Node
		}
		return nil
	}
	if request.Kind != core.Create && request.Base.ResourceVersion != r.version {
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
	case request.Kind == core.Create:
		if r.knowledge != gone || request.Node != r.latest {
			return fmt.Errorf("a create, of an object that is %s", r.knowledge)
		}
	case request.Kind == core.PatchSpec:
		begins := p.Begins && request.Node == r.pending[0].change.View()
		if !begins && request.Node != r.latest || r.known.Follows(request.Node) {
			return errors.New("a write of the spec that nobody needs")
		}
	case request.Restores:
		if !r.restored || !request.Next.Equal(withGeneration(r.known, request.Next)) || len(r.pending) > 0 && request.Next.Target != r.known.Pin().Target {
			return errors.New("what is restored is not what was known")
		}
	case len(p.States) == 0:
		return fmt.Errorf("a write of the status that nobody needs (%w)", err)
	case !request.Next.Equal(p.States[0]) || request.Next.Target != p.States[0].Target:
		return fmt.Errorf("the write is not the first of %s", r.pending[0].change)
	case p.Begins && !r.known.Follows(request.Node):
		r.specOwed = &request.Node
	}
	return nil
}

// withGeneration returns the state with the observedGeneration of another.
func withGeneration(s, of plan.State) plan.State {
	s.Status.ObservedGeneration = of.Status.ObservedGeneration
	return s
}

// answered takes the result of a request.
func (r *reference) answered(request core.Request, result core.Result) {
	r.onItsWay = ""
	if request.Kind == core.PatchSpec && result.Outcome != apierr.Conflict && result.Outcome != apierr.NotFound {
		r.specOwed = &request.Node
	}
	switch {
	case result.Outcome == apierr.OK:
		r.takes(request, result)
	case result.Outcome == apierr.NotFound && request.Kind == core.Get:
		r.restored = len(r.known.Status.Conditions) > 0
		if r.knowledge, r.version = gone, ""; !r.restored {
			r.known = plan.State{NoImages: r.known.NoImages}
		}
	case request.Restores && (result.Outcome == apierr.Denied || result.Outcome == apierr.Terminal):
		r.known, r.restored, r.knowledge = request.Base.State, false, current
	case result.Outcome == apierr.Denied, request.Kind == core.Get:
	case result.Outcome == apierr.Terminal && request.Kind == core.PatchStatus:
		r.pending[0].err = result.Err
		r.knowledge = doubtful
	case request.Restores, request.Kind == core.Create && r.restored:
		r.knowledge = gone
	case result.Outcome == apierr.Retry:
		r.knowledge = unanswered
		if request.Kind == core.PatchStatus {
			r.sent = &request.Next
		}
	default:
		r.knowledge = doubtful
	}
}

// takes takes a version that was read or written.
func (r *reference) takes(request core.Request, result core.Result) {
	before := r.known
	o := result.Object
	r.knowledge, r.version, r.view = current, o.ResourceVersion, request.Node
	if request.Kind == core.PatchSpec || request.Kind == core.PatchStatus {
		if request.Kind == core.PatchStatus && !request.Restores {
			r.pending[0].written = r.pending[0].left == 1 && !result.NoImages
		}
		r.known, r.restored = request.Next, false
		r.known.Generation = o.Generation
		if result.NoImages {
			r.known.Spec.ConfigImage, r.known.Status.ConfigImage = o.Spec.ConfigImage, o.Status.ConfigImage
		}
	} else {
		if r.restored = len(o.Status.Conditions) == 0 && len(before.Status.Conditions) > 0; !r.restored {
			r.known = o.State
			if r.known.Target = before.Target; r.sent != nil && r.known.Equal(*r.sent) {
				r.known.Target = r.sent.Target // its answer was lost
			}
			r.known, r.sent = r.known.Pin(), nil
		}
	}
	r.known.NoImages = before.NoImages || result.NoImages
	if r.specOwed != nil && r.known.Follows(*r.specOwed) {
		r.specOwed = nil
	}
}

// listed takes what the Lister has shown: the Core has made it its own, or doubts what it knows.
func (r *reference) listed(o core.Object, version string, newer bool) {
	switch {
	case version == o.ResourceVersion && newer:
		o.Target, o.NoImages = r.known.Target, r.known.NoImages
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
	case r.specEntry != nil:
		return errors.New("the caller of the spec call still waits")
	case r.specOwed != nil && there != nil:
		there.NoImages = r.known.NoImages
		if !there.Follows(r.latest) {
			return errors.New("a write of the spec that failed was not tried again")
		}
	}
	return nil
}
