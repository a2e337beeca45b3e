package core_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/core"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// TestEveryPath drives a Core against a model of the API server through every order of events: in each
// of the worlds sequences of steps, with an event in every place where one can happen, or with DEPTH,
// sequences of up to that many steps with up to two events. Each response and request must be that of
// the reference; see also server.check and path.checkEnd. The first path that fails is printed as a script;
// shorter paths are tried first.
func TestEveryPath(t *testing.T) {
	depth := 0
	if text := os.Getenv("DEPTH"); text != "" {
		var err error
		depth, err = strconv.Atoi(text)
		require.NoError(t, err)
	}
	for _, w := range worlds {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			paths := 0
			for _, r := range w.rounds(depth) {
				for tape := (&tape{}); ; {
					p := newPath(&w, tape, r)
					err := p.run()
					paths++
					if err != nil {
						t.Fatalf("after %d paths, this one: %v\n\t%s", paths, err, p.script(r))
					}
					if !tape.next() {
						break
					}
				}
			}
			t.Logf("%d paths", paths)
		})
	}
}

// round is a set of paths: all sequences of so many of the first steps of a world, with up to so
// many events.
type round struct {
	length, steps, events int
}

// rounds returns the rounds of make test, or of make check up to a depth.
func (w *world) rounds(depth int) (rounds []round) {
	all := len(w.steps)
	if depth == 0 {
		rounds = []round{{1, all, 1}, {2, all, 1}}
		if w.depth == 3 {
			rounds = append(rounds, round{3, w.often, 1})
		}
		return rounds
	}
	for length := 1; length < depth; length++ {
		rounds = append(rounds, round{length, all, 2})
	}
	return append(rounds, round{depth, all, 1}, round{depth, w.often, 2})
}

// tape is a sequence of choices. A path reads it; a choice that it does not have yet is 0.
type tape struct {
	choices, options []int
	at               int
}

func (t *tape) choose(options int) int {
	if t.at == len(t.choices) {
		t.choices, t.options = append(t.choices, 0), append(t.options, options)
	}
	t.at++
	return t.choices[t.at-1]
}

// next makes the tape of the next path, and reports whether there is another path.
func (t *tape) next() bool {
	for i := len(t.choices) - 1; i >= 0; i-- {
		if t.choices[i]+1 < t.options[i] {
			t.choices, t.options = t.choices[:i+1], t.options[:i+1]
			t.choices[i]++
			t.at = 0
			return true
		}
	}
	return false
}

// world is what can happen in a path.
type world struct {
	name   string
	starts []start
	steps  []step
	often  int // so many of the first steps are tried in longer sequences
	events []event
	pauses []pause // between two steps
	depth  int     // of make test
	outage bool    // the API server is down until all steps are made
	mode   plan.Mode
}

// path is one sequence of events.
type path struct {
	*world
	*tape
	tried, stepsLeft, eventsLeft int
	log                          *[]string // nil: nobody reads it

	server    server
	core      core.Core
	right     reference
	start     int
	last      step   // for a repeat
	accepted  []step // since the start
	ended     bool   // another process ended the update after the last report was accepted
	specFails bool   // the spec is left alone until the next step
}

func newPath(w *world, tape *tape, r round) *path {
	p := &path{world: w, tape: tape, tried: r.steps, stepsLeft: r.length, eventsLeft: r.events}
	p.server = server{now: startTime, mode: w.mode, asked: map[phases.Phase]bool{}}
	return p
}

// script runs the path once more, and returns what happens.
func (p *path) script(r round) string {
	p.at = 0
	var log []string
	again := newPath(p.world, p.tape, r)
	again.log = &log
	_ = again.run()
	return strings.Join(log, "\n\t")
}

func (p *path) note(format string, args ...any) {
	if p.log != nil {
		*p.log = append(*p.log, fmt.Sprintf(format, args...))
	}
}

func (p *path) run() error {
	p.start = p.choose(len(p.starts))
	p.prepare()
	if p.outage { // the object is known from before the outage
		if err := p.make(p.steps[p.choose(p.tried)]); err != nil {
			return err
		}
		if err := p.drive(0); err != nil {
			return err
		}
	}
	for ; p.stepsLeft > 0; p.stepsLeft-- {
		if err := p.make(p.steps[p.choose(p.tried)]); err != nil {
			return err
		}
		if err := p.work(); err != nil {
			return err
		}
	}
	// The server is well: it ends.
	p.specFails = false
	if err := p.drive(0); err != nil {
		return err
	}
	return p.checkEnd()
}

// prepare makes the object that a path starts with.
func (p *path) prepare() {
	s := p.starts[p.start]
	p.note("the object is %s", s.name)
	s.make(p)
}

// work makes the requests of a step. In an outage it makes none, and the caller waits or leaves.
func (p *path) work() error {
	switch {
	case !p.outage:
		if err := p.drive(p.eventsLeft); err != nil {
			return err
		}
	case p.choose(2) == 1:
		p.note("\tthe caller leaves")
		if err := p.right.leave(); err != nil {
			return err
		}
	}
	if p.stepsLeft == 1 && p.outage {
		return p.drive(p.eventsLeft)
	}
	if p.eventsLeft == 0 || len(p.pauses) == 0 || !p.outage && (p.core.Pending() || p.core.SpecPending()) {
		return nil
	}
	if i := p.choose(len(p.pauses) + 1); i > 0 {
		p.eventsLeft--
		p.note("%s", p.pauses[i-1].name)
		return p.pauses[i-1].happens(p)
	}
	return nil
}

// make makes a step, and checks the response.
func (p *path) make(s step) error {
	p.note("%s", s)
	p.last = s
	message := s.desired
	if p.outage { // a repeat has other texts
		message = fmt.Sprint("step ", len(p.accepted))
	}
	change := s.change(p.server.now, p.mode, message)
	p.core.See(core.View{Node: s.node(p.mode)})
	p.right.sees(s.node(p.mode))
	if change == nil {
		return p.right.followed(p.core.SubmitSpec())
	}
	entry, repeat, err := p.core.Submit(change)
	if wrong := p.right.submitted(change, entry, repeat, err); wrong != nil {
		return fmt.Errorf("%s: %w", change, wrong)
	}
	if err != nil || repeat {
		p.note("\trepeat %t, rejected: %v", repeat, err)
		return nil
	}
	p.ended = false
	p.accepted = append(p.accepted, s)
	if s.sets != nil {
		p.server.asked[phases.PinnedImageSetsProgressing], p.server.asked[phases.PinnedImageSetsDegraded] = true, true
	}
	if s.status == metav1.ConditionTrue || s.notRequired {
		p.server.asked[s.phase] = true
		if parent, ok := phases.ParentOf(s.phase); ok && s.completes {
			p.server.asked[parent] = true
		}
	}
	return nil
}

const maxRequests = 60

// drive makes requests until there is nothing to do, or an event leaves something pending: then the
// callers leave.
func (p *path) drive(events int) error {
	p.specFails = false
	for range maxRequests {
		r, ok := p.core.Next(!p.specFails)
		if err := p.right.finished(&p.core); err != nil {
			return err
		}
		if !ok {
			return p.leave()
		}
		p.note("\t%s", r.Verb)
		if err := p.right.requested(r, !p.specFails); err != nil {
			return fmt.Errorf("%s: %w", r.Verb, err)
		}
		i := 0
		if events > 0 && p.eventsLeft > 0 {
			i = p.choose(len(p.events))
		}
		if i > 0 {
			p.eventsLeft--
			p.note("\t\t%s", p.events[i].name)
		}
		goesOn, err := p.events[i].happens(p, r)
		if err == nil {
			err = p.server.problem
		}
		if err == nil {
			err = p.right.finished(&p.core)
		}
		if err != nil {
			return err
		}
		if !goesOn {
			return p.leave()
		}
	}
	return fmt.Errorf("not done after %d requests", maxRequests)
}

func (p *path) leave() error { return p.right.leave() }

// done gives the result of a request to the Core. If the spec fails, the status goes on.
func (p *path) done(r core.Request, result core.Result) (goesOn bool) {
	p.note("\t\t%s", result.Outcome)
	verdict := p.core.Done(r, result)
	if want := p.right.responded(r, result); verdict != want && p.server.problem == nil {
		p.server.problem = fmt.Errorf("%s %s: the verdict is %q, want %q", r.Verb, result.Outcome, verdict, want)
	}
	p.specFails = p.specFails || verdict == core.SkipSpec
	return verdict != core.GiveUp
}

// fails gives an error to the Core.
func (p *path) fails(r core.Request, outcome apierr.Outcome) (goesOn bool) {
	return p.done(r, core.Result{Outcome: outcome, Err: errLost})
}

// shows has the Lister show an object.
func (p *path) shows(o core.Object) {
	before, _ := p.core.Version()
	newer := o.UID == p.server.object.UID && version(o.ResourceVersion) > version(before)
	busy := p.right.inFlight != ""
	p.core.See(core.View{Node: p.right.latest, Lists: true, Listed: &o})
	if after, _ := p.core.Version(); !busy && p.right.knowledge != unknown && p.right.knowledge != gone {
		p.right.listed(o, after, newer)
	}
}

func version(text string) int {
	v, _ := strconv.Atoi(text)
	return v
}

var errLost = errors.New("connection reset")

// checkEnd checks that everything that was accepted is done, and that a report that is older than the end of
// an update starts no update.
func (p *path) checkEnd() error {
	var stored *core.Object
	if object := p.server.object; p.server.exists {
		stored = &object
	}
	if err := p.right.checkDone(&p.core, stored); err != nil {
		return err
	}
	if p.ended && conditions.StatusOf(p.server.object.Status.Conditions, phases.Updated) != metav1.ConditionTrue && !slices.ContainsFunc(p.accepted, step.startsAnother) {
		return errors.New("a report that is older than the end of the update started another update")
	}
	return nil
}

// end ends the update as another process does.
func (p *path) end(config string, at time.Time) {
	p.server.write(func(status *mcfgv1.MachineConfigNodeStatus) {
		r := conditions.Report{Phase: phases.Updated, Status: metav1.ConditionTrue, Reason: "Updated", Message: "by another", Time: metav1.NewTime(at)}
		if lists, err := conditions.Next(status.Conditions, p.mode == plan.Image, r, conditions.Cycle{Name: config}); err == nil && len(lists) > 0 {
			status.Conditions = lists[0]
		}
		status.ConfigVersion = &mcfgv1.MachineConfigNodeStatusMachineConfigVersion{Current: config, Desired: config}
	})
}
