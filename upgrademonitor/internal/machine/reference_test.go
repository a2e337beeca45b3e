package machine_test

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
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/machine"
)

// reference decides which responses, requests and verdicts of a Core are right, from the pending changes
// and the known object. It plans all pending changes again, each time, and keeps no other state.
type reference struct {
	pending   []*pending
	knowledge knowledge
	version   string // the resource version that is known
	known     machine.State
	uid       types.UID
	listed    bool         // the Lister has had the object
	unlisted  bool         // the Lister does not have the object
	view      machine.Node // at the last read or write
	begun     int          // requests
	knownAt   int          // the request with the version that is known
	inFlight  machine.Verb // the request in flight, or ""
	latest    machine.Node // the view that the spec must follow
	followed  machine.Versions
}

// pending is a change that was accepted.
type pending struct {
	change  machine.Change
	entry   *machine.Entry
	start   machine.Start // whether it starts an update, once that is decided
	waits   bool          // for the daemon, now or before
	after   int           // requests had begun when it was submitted
	left    int           // writes, with the request in flight
	written bool          // the last one
	synced  bool          // the spec was written for it, or rejected
	err     error
}

type knowledge string

const (
	unknown  knowledge = ""
	current  knowledge = "current"  // nobody is known to have written since
	doubtful knowledge = "doubtful" // others may have
	gone     knowledge = "gone"     // the object is
)

// all returns the writes of a pending change.
func (p *pending) all(s machine.State) (machine.Writes, error) {
	return p.change.All(s, p.start)
}

// end returns the state after the pending changes.
func (r *reference) end() machine.State {
	s := r.known
	for _, c := range r.pending {
		s = c.change.Final(s, c.start)
	}
	return s
}

// sees takes a view.
func (r *reference) sees(n machine.Node, listed *machine.Object, lists bool) {
	r.latest = n
	switch {
	case r.inFlight != "" || !lists || r.knowledge == unknown:
	case listed != nil && listed.UID == r.uid:
		r.listed, r.unlisted = true, false
		switch {
		case version(listed.ResourceVersion) <= version(r.version):
		case r.knowledge == current:
			r.known, r.version = listed.State, listed.ResourceVersion
		default:
			r.knowledge = doubtful
		}
	case r.listed: // the object that the Lister had is gone, or another object
		r.knowledge, r.listed, r.unlisted, r.followed = doubtful, false, true, machine.Versions{}
	default:
		r.unlisted = true
	}
}

// isVerified reports whether the known version is from a request that began after a change was submitted.
func (r *reference) isVerified(p *pending) bool { return r.knownAt > p.after }

// isWithdrawn reports whether a change waits, or has waited, for an update that the Node no longer desires.
func (r *reference) isWithdrawn(first *pending, p machine.Writes) bool {
	n, told := r.latest, first.change.Node
	isTold := n.CurrentConfig != n.DesiredConfig || n.CurrentImage != n.DesiredImage
	isSame := n.DesiredConfig == told.DesiredConfig && n.DesiredImage == told.DesiredImage
	return (p.Waits || first.waits) && !(isTold && isSame)
}

func version(text string) int {
	v, _ := strconv.Atoi(text)
	return v
}

func statuses(s machine.State) (list []string) {
	for _, c := range s.Status.Conditions {
		list = append(list, c.Type+string(c.Status))
	}
	return list
}

// submitted checks the response to a change.
func (r *reference) submitted(change machine.Change, entry *machine.Entry, repeat bool, err error) error {
	p, planErr := change.All(r.end())
	isSynced := !change.SyncsSpec && !p.SyncsSpec || r.known.InSync(r.latest)
	unchanged := planErr == nil && len(p.States) == 0 && isSynced
	certain := r.knowledge == current && r.view.Versions == change.Node.Versions && !r.unlisted
	r.followed = change.Node.Versions
	isTrue := certain && unchanged && len(r.pending) == 0
	reported := slices.ContainsFunc(r.pending, func(other *pending) bool {
		_, ok := other.change.Merge(change)
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
	case errors.Is(err, machine.ErrFull) && len(r.pending) >= 256:
		return nil
	case entry == nil && err == nil && isTrue:
		return nil
	case entry == nil:
		return fmt.Errorf("the response is %w: true already %t", err, isTrue)
	case isTrue:
		return errors.New("accepted, and true already")
	}
	isText := planErr == nil && !p.StartsUpdate && len(p.States) <= 1
	if isText && len(p.States) == 1 {
		isText = slices.Equal(statuses(r.end()), statuses(p.States[0]))
	}
	for at, other := range slices.Backward(r.pending) {
		if merged, ok := other.change.Merge(change); ok && isText && (r.inFlight == "" || at != 0) && (change.Phase != "" || at == len(r.pending)-1) {
			if other.entry != entry {
				return errors.New("a change of texts takes a place")
			}
			other.change = merged
			return nil
		}
	}
	waits := p.Waits || len(r.pending) > 0 && r.pending[len(r.pending)-1].waits
	r.pending = append(r.pending, &pending{change: change, entry: entry, waits: waits, after: r.begun})
	return nil
}

// finished checks that a settled entry was the first pending entry, and that its change is true of the
// object, or rejected.
func (r *reference) finished(settled []*machine.Entry) error {
	for _, e := range settled {
		if len(r.pending) == 0 || r.pending[0].entry != e {
			return fmt.Errorf("%s is finished, and is not the first", e.Change)
		}
		first := r.pending[0]
		want := first.err
		if want == nil && !first.written {
			p, err := first.all(r.known)
			if r.knowledge != gone && r.isWithdrawn(first, p) {
				err = machine.ErrWithdrawn
			}
			switch {
			case err == nil && len(p.States) > 0:
				return fmt.Errorf("%s is finished, and %d writes are left", e.Change, len(p.States))
			case err == nil && p.SyncsSpec && !first.synced && r.knowledge != gone && !r.known.InSync(r.latest):
				return fmt.Errorf("%s is finished, and the spec does not follow the Node", e.Change)
			case err != nil && r.knowledge != gone && !r.isVerified(first):
				return fmt.Errorf("%s is rejected without a read", e.Change)
			case err == nil && r.knowledge != gone && r.view.Versions != first.change.Node.Versions:
				return fmt.Errorf("%s is finished without a read, for another view of the Node", e.Change)
			}
			want = err
		}
		if !e.IsSettled || fmt.Sprint(e.Err) != fmt.Sprint(want) {
			return fmt.Errorf("%s is settled %t with %w, want %w", e.Change, e.IsSettled, e.Err, want)
		}
		r.pending = r.pending[1:]
		if e.Err != nil {
			r.followed = machine.Versions{}
		}
	}
	return nil
}

// leave makes the callers leave whose changes are pending.
func (r *reference) leave() error {
	for _, w := range r.pending {
		if w.entry.IsSettled {
			return fmt.Errorf("%s is settled, and was not returned", w.change)
		}
		w.entry.Abandoned = true
	}
	return nil
}

// ends reports whether a change ends an update on a Node that runs the config that it desires.
func (r *reference) ends(report machine.Change) bool {
	return report.Phase == phases.Updated && report.Status == metav1.ConditionTrue &&
		conditions.StatusOf(r.known.Status.Conditions, phases.Updated) != metav1.ConditionTrue &&
		report.Node.CurrentConfig == report.Node.DesiredConfig
}

// requested checks a request before it is made. The spec is written before the status that starts or ends
// an update.
func (r *reference) requested(request machine.Request) error {
	r.inFlight = request.Verb
	r.begun++
	if request.Verb == machine.Get {
		if r.knowledge == current {
			r.knowledge = doubtful // for a change with another view of the Node
		}
		return nil
	}
	if isPatch := request.Verb == machine.PatchSpec || request.Verb == machine.PatchStatus; isPatch && request.Base.ResourceVersion != r.version {
		return fmt.Errorf("it is computed from version %s, and %s is known", request.Base.ResourceVersion, r.version)
	}
	if len(r.pending) == 0 {
		return errors.New("nothing is pending")
	}
	first := r.pending[0]
	p, err := first.all(r.known)
	first.left = len(p.States)
	if request.Verb == machine.PatchSpec && p.StartsUpdate {
		first.start = machine.Starting // the spec no longer shows that the target is new
	}
	starts := err == nil && (p.StartsUpdate || r.ends(first.change)) && !first.synced && !r.known.InSync(r.latest)
	switch {
	case request.Verb == machine.Wait:
		if first.waits = true; !p.Waits || r.isWithdrawn(first, p) {
			return fmt.Errorf("it waits for the daemon (%w)", err)
		}
	case request.Verb == machine.Create:
		if r.knowledge != gone || request.Node != r.latest {
			return fmt.Errorf("a create, of an object that is %s", r.knowledge)
		}
	case request.Verb == machine.PatchSpec:
		if request.Node != r.latest || r.known.InSync(request.Node) || first.synced {
			return errors.New("a write of the spec that nobody needs")
		}
	case len(p.States) == 0:
		return fmt.Errorf("a write of the status that nobody needs (%w)", err)
	case !request.Next.Equal(p.States[0]):
		return fmt.Errorf("the write is not the first of %s", first.change)
	case starts:
		return errors.New("an update starts or ends before its spec is written")
	}
	return nil
}

// responded takes the result of a request, and returns how to go on.
func (r *reference) responded(request machine.Request, result machine.Result) machine.Verdict {
	r.inFlight = ""
	isStatus, isSpec := request.Verb == machine.PatchStatus, request.Verb == machine.PatchSpec
	switch {
	case result.Outcome == apierr.OK:
		r.takes(request, result)
		return machine.Continue
	case result.Outcome == apierr.NotFound && request.Verb == machine.Get:
		r.knowledge, r.version, r.uid, r.known, r.listed, r.unlisted = gone, "", "", machine.State{}, false, false
		return machine.Continue
	case result.Outcome == apierr.Denied && (request.Verb == machine.Create || request.Verb == machine.Wait):
		r.knowledge = doubtful
	case result.Outcome == apierr.Denied, request.Verb == machine.Get:
	default:
		r.knowledge = doubtful
	}
	switch {
	case result.Outcome == apierr.Conflict, result.Outcome == apierr.NotFound:
		return machine.Pause
	case result.Outcome == apierr.Terminal && (isStatus || isSpec && r.pending[0].change.Phase == ""):
		r.pending[0].err = result.Err
		return machine.Continue
	case result.Outcome == apierr.Terminal && isSpec:
		r.pending[0].synced = true
		return machine.Continue
	default:
		return machine.GiveUp
	}
}

// takes takes a version that was read or written.
func (r *reference) takes(request machine.Request, result machine.Result) {
	o := result.Object
	r.knowledge, r.version, r.view, r.knownAt = current, o.ResourceVersion, request.Node, r.begun
	switch request.Verb {
	case machine.PatchStatus:
		first := r.pending[0]
		first.written = first.left == 1
		if p, _ := first.all(r.known); p.StartsUpdate {
			first.start = p.Starts[0]
		}
	case machine.PatchSpec:
		first := r.pending[0]
		first.synced = true
	}
	if o.UID != r.uid {
		r.listed, r.unlisted = false, false
	}
	r.known, r.uid = o.State, o.UID
}

// checkDone checks that nothing is left to do.
func (r *reference) checkDone(c *machine.Core) error {
	switch {
	case len(r.pending) > 0:
		return fmt.Errorf("%s is lost", r.pending[0].change)
	case len(c.Entries()) > 0:
		return errors.New("something is pending at the end")
	}
	return nil
}
