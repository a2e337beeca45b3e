package core_test

import (
	"encoding/json"
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
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/core"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// TestEveryPath drives a Core against a model of the API server through every order of events: all
// sequences of up to three reports, with an event in every place where one can happen, or with DEPTH,
// up to that many reports and two events. The promises that it checks stand at the functions below,
// and at server.check. The first path that breaks one is printed as a script; shorter ones are tried
// first.
func TestEveryPath(t *testing.T) {
	depth, events := 3, 1
	if text := os.Getenv("DEPTH"); text != "" {
		var err error
		depth, err = strconv.Atoi(text)
		require.NoError(t, err)
		events = 2
	}
	paths := 0
	for reports := 1; reports <= depth; reports++ {
		for tape := (&tape{}); ; {
			p := &path{tape: tape, reports: reports, events: events}
			err := p.run()
			paths++
			if err != nil {
				t.Fatalf("after %d paths, this one: %v\n\t%s", paths, err, strings.Join(p.script, "\n\t"))
			}
			if !tape.next() {
				break
			}
		}
	}
	t.Logf("%d paths with up to %d reports and %d events", paths, depth, events)
}

// tape is a sequence of choices. A path reads it; what it does not have yet is 0.
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

// next makes the tape that of the next path, and reports whether there is one.
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

const a, b, c = "rendered-a", "rendered-b", "rendered-c"

// report is what a daemon says, with the configs that the Node has then. The phase "" is the spec call.
type report struct {
	phase            phases.Phase
	status           metav1.ConditionStatus
	current, desired string
	completes        bool
}

var alphabet = []report{
	{phase: phases.Updated, status: metav1.ConditionFalse, current: a, desired: b},
	{phase: phases.Updated, status: metav1.ConditionFalse, current: a, desired: c},
	{phase: phases.UpdatePrepared, status: metav1.ConditionTrue, current: a, desired: c},
	{phase: phases.Drained, status: metav1.ConditionUnknown, current: a, desired: b},
	{phase: phases.AppliedFilesAndOS, status: metav1.ConditionTrue, current: a, desired: b, completes: true},
	{phase: phases.Resumed, status: metav1.ConditionTrue, current: b, desired: b},
	{phase: phases.Updated, status: metav1.ConditionTrue, current: b, desired: b},
	{current: a, desired: c},
}

func (r report) String() string {
	if r.phase == "" {
		return "the spec call, desired " + r.desired
	}
	return fmt.Sprintf("report %s=%s, desired %s", r.phase, r.status, r.desired)
}

// begunForAnother reports whether a report begins an update although others have ended the one to b.
func (r report) begunForAnother() bool {
	return r.phase == phases.Updated && r.status == metav1.ConditionFalse && r.desired != b
}

func (r report) node() plan.Node {
	return plan.Node{
		Owner:    metav1.OwnerReference{APIVersion: "v1", Kind: "Node", Name: "worker-0", UID: "node"},
		Pool:     "worker",
		Mode:     plan.Standard,
		Versions: plan.Versions{CurrentConfig: r.current, DesiredConfig: r.desired},
	}
}

// path is one sequence of events.
type path struct {
	*tape
	reports, events int // left
	script          []string

	server    server
	core      core.Core
	accepted  []report
	entries   []*core.Entry
	disturbed bool // an event has happened
	inexact   bool // an event after which the end need not be that of an undisturbed path
	ended     bool // another process ended the update after the last report was accepted
	dropped   int
	start     int
}

func (p *path) log(format string, args ...any) {
	p.script = append(p.script, fmt.Sprintf(format, args...))
}

func (p *path) run() error {
	p.server = server{now: begun, asked: map[phases.Phase]bool{}}
	p.start = p.choose(3)
	p.initial()
	for ; p.reports > 0; p.reports-- {
		p.submit(alphabet[p.choose(len(alphabet))])
		if err := p.drive(); err != nil {
			return err
		}
		p.between()
	}
	// The server is well: it ends.
	p.events = 0
	if err := p.drive(); err != nil {
		return err
	}
	return p.checkEnd()
}

// initial is the object before: missing, without a status, or between updates to a.
func (p *path) initial() {
	p.log("the object is %s", []string{"missing", "without a status", "between updates"}[p.start])
	if p.start == 0 {
		return
	}
	var o core.Object
	o.State = o.Follow(report{current: a, desired: a}.node())
	p.server.create(o)
	if p.start == 2 {
		p.end(a, begun.Add(-time.Hour))
		p.server.object.Foreign = []json.RawMessage{foreign}
	}
}

// end ends the update as another process does.
func (p *path) end(config string, at time.Time) {
	p.server.write(func(status *mcfgv1.MachineConfigNodeStatus) {
		r := conditions.Report{Phase: phases.Updated, Status: metav1.ConditionTrue, Reason: "Updated", Message: "by another", Time: metav1.NewTime(at)}
		if lists, err := conditions.Next(status.Conditions, false, r, conditions.Update{Name: config}); err == nil && len(lists) > 0 {
			status.Conditions = lists[0]
		}
		status.ConfigVersion = &mcfgv1.MachineConfigNodeStatusMachineConfigVersion{Current: config, Desired: config}
	})
}

func (p *path) submit(r report) {
	p.log("%s", r)
	if r.phase == "" {
		p.core.Follow(r.node())
		p.accepted = append(p.accepted, r)
		return
	}
	entry, err := p.core.Submit(plan.Report{Node: r.node(), Report: conditions.Report{
		Phase: r.phase, Status: r.status, Reason: "R" + string(r.phase), Message: r.desired,
		CompletesParent: r.completes, Time: metav1.NewTime(p.server.now),
	}})
	if err != nil {
		p.log("\trejected: %v", err)
		return
	}
	p.ended = false
	p.accepted = append(p.accepted, r)
	if r.status == metav1.ConditionTrue {
		p.server.asked[r.phase] = true
		if parent, ok := phases.ParentOf(r.phase); ok && r.completes {
			p.server.asked[parent] = true
		}
	}
	if entry != nil {
		p.entries = append(p.entries, entry)
	}
}

const maxRequests = 40

// drive makes requests until there is nothing to do, or the events leave something pending.
func (p *path) drive() error {
	for range maxRequests {
		r, ok := p.core.Next(true)
		if !ok {
			return p.server.problem
		}
		event := 0
		if p.events > 0 {
			event = p.choose(len(events))
		}
		if event == 0 {
			result := p.server.make(r)
			p.log("\t%s: %s", r.Kind, result.Outcome)
			p.core.Done(r, result)
			continue
		}
		p.events--
		p.disturbed = true
		p.inexact = p.inexact || p.start == 0 && p.server.uids == 0 // it is created later, for a later view of the Node
		p.log("\t%s: %s", r.Kind, events[event].name)
		goesOn := events[event].happens(p, r)
		if p.server.problem != nil || !goesOn {
			return p.server.problem
		}
	}
	return fmt.Errorf("not done after %d requests", maxRequests)
}

var events = []struct {
	name    string
	happens func(*path, core.Request) (goesOn bool)
}{
	{name: "done"},
	{"done, the answer is lost", func(p *path, r core.Request) bool {
		p.server.make(r)
		p.core.Done(r, core.Result{Outcome: core.Lost, Err: errLost})
		return false
	}},
	{"lost on the way", func(p *path, r core.Request) bool {
		p.core.Done(r, core.Result{Outcome: core.Lost, Err: errLost})
		return false
	}},
	{"denied", func(p *path, r core.Request) bool {
		p.inexact = p.inexact || r.Restores // the status starts again
		p.core.Done(r, core.Result{Outcome: core.Denied, Err: errLost})
		return false
	}},
	{"rejected", func(p *path, r core.Request) bool {
		p.inexact = true
		p.core.Done(r, core.Result{Outcome: core.Rejected, Err: errLost})
		p.dropped += len(p.core.TakeDropped())
		return r.Kind == core.PatchStatus
	}},
	{"others report NodeDegraded first", func(p *path, r core.Request) bool {
		p.server.write(func(status *mcfgv1.MachineConfigNodeStatus) {
			if degraded := conditions.Find(status.Conditions, phases.NodeDegraded); degraded != nil {
				degraded.Message = "by another"
			}
		})
		p.core.Done(r, p.server.make(r))
		p.inexact = true
		return true
	}},
	{"others add a condition first", func(p *path, r core.Request) bool {
		if p.server.exists && len(p.server.object.Foreign) == 0 {
			p.server.object.Foreign = []json.RawMessage{foreign}
			p.server.bump(false)
		}
		p.core.Done(r, p.server.make(r))
		return true
	}},
	{"others end the update first, a second later", func(p *path, r core.Request) bool {
		p.server.now = p.server.now.Add(time.Second)
		p.end(b, p.server.now)
		updated := conditions.Find(p.server.object.Status.Conditions, phases.Updated)
		p.ended, p.inexact = updated != nil && updated.LastTransitionTime.Time.Equal(p.server.now), true
		p.core.Done(r, p.server.make(r))
		return true
	}},
	{"others delete the object first", func(p *path, r core.Request) bool {
		p.server.exists, p.server.object = false, core.Object{}
		p.inexact, p.ended = true, false // what the Core has never read is gone
		p.core.Done(r, p.server.make(r))
		return true
	}},
	{"the process restarts before it", func(p *path, _ core.Request) bool {
		p.core, p.entries, p.inexact = core.Core{}, nil, true
		return false
	}},
}

var errLost = errors.New("connection reset")

// between is what may happen between two reports: the process restarts with nothing pending, or the
// Lister shows the object.
func (p *path) between() {
	if p.events == 0 || p.core.Pending() || p.core.SpecPending() {
		return
	}
	switch p.choose(3) {
	case 1:
		p.events--
		p.log("the process restarts")
		p.core, p.entries = core.Core{}, nil
		// Only this process knew that the update under way was not for what the spec desires now: after
		// the spec call, or after a report that waited while the Node changed.
		p.inexact = p.inexact || p.disturbed || slices.ContainsFunc(p.accepted, func(r report) bool { return r.phase == "" })
	case 2:
		p.events--
		p.log("others report NodeDegraded, and the Lister shows it")
		p.server.write(func(status *mcfgv1.MachineConfigNodeStatus) {
			if degraded := conditions.Find(status.Conditions, phases.NodeDegraded); degraded != nil {
				degraded.Message = "by another"
			}
		})
		p.inexact = true
		if p.server.exists {
			p.core.Listed(p.server.object)
		}
	}
}

// checkEnd checks where a path has led.
//
//  1. Everything that was accepted is done.
//  2. The end is that of the same reports without events: nothing is lost, repeated or reordered, and a
//     restart between two reports makes no difference. After the events that leave more than one
//     end this is not compared.
//  3. A report that is older than the end of an update begins none.
//  4. The last report is true of the object, unless it was one that changes texts only.
func (p *path) checkEnd() error {
	if p.core.Pending() {
		return errors.New("something is pending at the end")
	}
	for _, e := range p.entries {
		if !e.Done() {
			return fmt.Errorf("%s is lost", e.Change)
		}
	}
	if p.ended && conditions.StatusOf(p.server.object.Status.Conditions, phases.Updated) != metav1.ConditionTrue && !slices.ContainsFunc(p.accepted, report.begunForAnother) {
		return errors.New("a report that is older than the end of the update began another one")
	}
	if p.inexact {
		return nil
	}
	undisturbed := &path{}
	undisturbed.tape = &tape{choices: []int{p.start}, options: []int{3}}
	undisturbed.server = server{now: begun, asked: map[phases.Phase]bool{}}
	undisturbed.start = p.start
	undisturbed.initial()
	for _, r := range p.accepted {
		undisturbed.submit(r)
		if err := undisturbed.drive(); err != nil {
			return err
		}
	}
	if want, got := undisturbed.server.summary(), p.server.summary(); want != got {
		return fmt.Errorf("the end is\n\t\t%s\n\twithout events it is\n\t\t%s", got, want)
	}
	return p.checkLast()
}

func (p *path) checkLast() error {
	if len(p.accepted) == 0 {
		return nil
	}
	last, list := p.accepted[len(p.accepted)-1], p.server.object.Status.Conditions
	switch {
	case last.phase == "":
		if p.server.object.Spec.ConfigVersion.Desired != last.desired {
			return errors.New("the spec does not follow the node")
		}
		return nil
	case last.phase == phases.Resumed && conditions.StatusOf(list, phases.Updated) == metav1.ConditionTrue:
		return nil // a restart
	case conditions.StatusOf(list, last.phase) != last.status:
		return fmt.Errorf("%s, and it is %s", last, conditions.StatusOf(list, last.phase))
	}
	if last.phase == phases.UpdatePrepared && p.server.object.Status.ConfigVersion.Desired != last.desired {
		return fmt.Errorf("%s, and the status desires %s", last, p.server.object.Status.ConfigVersion.Desired)
	}
	return nil
}
