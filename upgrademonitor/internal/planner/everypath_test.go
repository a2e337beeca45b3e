package planner_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

// TestEveryPath tries every sequence of reports of a world, with an event at every point of the sequence. DEPTH makes the
// sequences longer, with two events. On each path,
//
//  1. each write is legal (model.check),
//  2. nothing stays pending,
//  3. faults, and an old or empty Lister, only cost time: in the end, the object is the same as without them (path.compare).
//
// Shorter paths come first. The first path that fails is printed as commands for a paragraph of testdata.
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
					p.walk()
					paths++
					if p.err != nil {
						t.Fatalf("path %d: %v\n\n%s", paths, p.err, p.print(r))
					}
					if paths%1000 == 1 {
						script := p.print(r)
						replayed, err := replay(script)
						require.NoError(t, err)
						require.Equal(t, strings.TrimSpace(script), strings.TrimSpace(replayed), "the script of a path must have the same output again")
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

// round is a set of paths.
type round struct {
	length int // the number of reports
	first  int // only the first reports of the world are tried
	budget int // the maximum number of events
}

// rounds returns the rounds of go test or, if depth is not 0, of make check.
func (w *world) rounds(depth int) (rounds []round) {
	all := len(w.reports)
	if depth == 0 {
		rounds = []round{{1, all, 1}, {2, all, 1}}
		if w.often > 0 {
			rounds = append(rounds, round{3, w.often, 1})
		}
		return rounds
	}
	for length := 1; length < depth; length++ {
		rounds = append(rounds, round{length, all, 2})
	}
	return append(rounds, round{depth, all, 1}, round{depth, max(w.often, 3), 2})
}

// tape has the choices that a path makes. A choice that the tape does not have yet is 0.
type tape struct {
	choices []int
	options []int // the number of options of each choice
	at      int   // the next choice
}

func (t *tape) choose(options int) int {
	if t.at == len(t.choices) {
		t.choices, t.options = append(t.choices, 0), append(t.options, options)
	}
	t.at++
	return t.choices[t.at-1]
}

// next changes the tape to the next path, and returns false after the last path.
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

// path is a script whose commands the tape chooses.
type path struct {
	*world
	*tape
	round
	script
	log        *strings.Builder // nil unless the path is printed
	calls      []command        // the start and the reports
	changesEnd bool             // see event.changesEnd
}

func newPath(w *world, tape *tape, r round) *path {
	return &path{world: w, tape: tape, round: r}
}

// print walks the path once more, and returns its script.
func (p *path) print(r round) string {
	p.at = 0
	again := newPath(p.world, p.tape, r)
	again.log = &strings.Builder{}
	again.walk()
	return again.log.String()
}

// do runs commands, and logs them with their output.
func (p *path) do(commands ...command) {
	for _, c := range commands {
		if p.err != nil {
			return
		}
		if p.log == nil {
			p.script.do(c)
			continue
		}
		p.out = &strings.Builder{}
		p.script.do(c)
		if p.err != nil {
			fmt.Fprintf(p.out, "error: %v\n", p.err)
		}
		fmt.Fprintln(p.log, c.text)
		if p.out.Len() > 0 {
			fmt.Fprintf(p.log, "----\n%s\n", p.out)
		}
	}
}

var (
	run, next = mustParse("run"), mustParse("next")
	leave     = mustParse("leave")
	flush     = mustParse("flush")
	repeat    = command{text: "repeat"} // repeats the last report
)

// walk makes the reports and the events that the tape chooses. Then it writes what is left, without events.
func (p *path) walk() {
	start := p.starts[p.choose(len(p.starts))]
	p.calls = append(p.calls, start)
	p.do(start)
	if p.outage { // the process has read the object before the outage
		p.report()
		p.do(run)
	}
	for left := p.length; left > 0 && p.err == nil; left-- {
		p.report()
		p.work(left)
	}
	p.do(run)
	if p.err == nil {
		p.err = p.check()
	}
	if p.err == nil && !p.changesEnd {
		p.err = p.compare()
	}
}

// compare repeats the reports without events, and compares both statuses after a Flush. The texts of parents and the names
// in prefixes may differ, because a pending report gets the text of a later report and the latest Node.
func (p *path) compare() error {
	var without script
	for _, c := range p.calls {
		without.do(c)
		without.do(run)
	}
	p.do(flush, run)
	without.do(flush)
	without.do(run)
	if p.err != nil {
		return p.err
	}
	got, want := p.server.object.Status, without.server.object.Status
	if got.ConfigImage != want.ConfigImage || configs(p.server.object) != configs(without.server.object) ||
		!slices.Equal(got.PinnedImageSets, want.PinnedImageSets) || !slices.EqualFunc(got.Conditions, want.Conditions, isSame) {
		return fmt.Errorf("without the events, the object would have: %s", changes(p.server.object, without.server.object))
	}
	return nil
}

func isSame(a, b metav1.Condition) bool {
	isParent := phases.KindOf(phases.Phase(a.Type)) == phases.Parent
	return a.Type == b.Type && a.Status == b.Status && (isParent || conditions.TrimUpdatePrefix(a.Message) == conditions.TrimUpdatePrefix(b.Message))
}

// report makes a report. In an outage, each report has another message.
func (p *path) report() {
	p.make(p.reports[p.choose(p.first)])
}

func (p *path) make(c command) {
	if p.outage && strings.HasPrefix(c.text, "report ") {
		c = mustParse(fmt.Sprintf("%s message=%d", strings.Split(c.text, " message=")[0], len(p.calls)))
	}
	p.calls = append(p.calls, c)
	p.do(c)
}

// work makes the requests of a report. In an outage, it makes them only after the last report, and the callers may leave.
func (p *path) work(left int) {
	switch {
	case !p.outage:
		p.drive()
	case p.choose(2) == 1:
		p.do(leave)
	}
	if left == 1 && p.outage {
		p.drive()
		return
	}
	if p.budget == 0 || len(p.pauses) == 0 || !p.outage && len(p.core.Entries()) > 0 {
		return
	}
	if i := p.choose(len(p.pauses) + 1); i > 0 {
		p.budget--
		p.changesEnd = p.changesEnd || p.pauses[i-1].changesEnd()
		p.do(p.pauses[i-1]...)
	}
}

// drive makes the requests of an attempt. While the budget of events lasts, an event may happen to each request.
func (p *path) drive() {
	for p.err == nil && p.budget > 0 {
		p.do(next)
		if p.request == nil {
			return
		}
		i := p.choose(len(p.events))
		if i > 0 {
			p.budget--
		}
		p.changesEnd = p.changesEnd || p.events[i].changesEnd()
		for _, c := range p.events[i] {
			if c.text == repeat.text {
				p.make(p.last)
			} else {
				p.do(c)
			}
		}
		if p.over {
			return
		}
	}
	p.do(run)
}
