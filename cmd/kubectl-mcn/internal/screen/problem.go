package screen

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

const (
	margin      = "    "
	mostEntries = 3  // of one kind
	mostNames   = 10 // in one line
	mostNext    = 3
)

// ProblemID identifies a problem: of a pool, a node that is stuck, or a pinned image set of a node.
type ProblemID struct {
	Pool, Node, Kind string
	UID              types.UID // an object may be created again
}

// Problem is something that needs an administrator, as each screen says it.
type Problem struct {
	ProblemID
	// Since is when the problem started, if the objects say that.
	Since time.Time
	// Subject is what has the problem, What names the problem, Message is its cause, and Next are commands that
	// tell more.
	Subject, What, Message string
	Next                   []string
	// Tone is Alarm for what stops a rollout.
	Tone Tone

	marks string // the steps of a node
	cause any    // comparable: problems of the same cause are one entry
}

// draw returns a problem as lines. Commands are not broken: they are pasted.
func (p Problem) draw(o Options) []Line {
	sign, gap := map[Tone]string{Alarm: "! ", Warn: "~ "}[p.Tone], ": "
	if p.marks != "" {
		gap = "  " + p.marks + "  "
	}
	ls := append([]Line{{}}, wrapped(p.Tone, margin, sign+p.Subject+gap+p.What, o.Width)...)
	if message := clean(p.Message); message != "" {
		if !o.Whole && o.Width > 0 {
			message = cutMiddle(message, 6*(o.Width-len(margin)))
		}
		ls = append(ls, lines(Plain, indented(margin, margin, message, o.Width)...)...)
	}
	for i, next := range p.Next {
		if i < mostNext || o.Whole {
			ls = append(ls, Line{Text: margin + "next: " + next})
		}
	}
	return ls
}

// grouped draws the first problem of each cause, with the names of the other nodes that have it. If there are too many,
// it counts the others.
func grouped(all []Problem, more string, o Options) []Line {
	var order []Problem
	names := map[any][]string{}
	for _, p := range all {
		if names[p.cause] == nil {
			order = append(order, p)
		}
		names[p.cause] = append(names[p.cause], p.Subject)
	}
	most := min(mostEntries, len(order))
	if o.Whole {
		most = len(order)
	}
	var ls []Line
	for _, p := range order[:most] {
		ls = append(ls, p.draw(o)...)
		if same := names[p.cause][1:]; len(same) > 0 {
			ls = append(ls, lines(p.Tone, indented(margin, margin, "the same: "+o.names(same), o.Width)...)...)
		}
	}
	left := 0
	for _, p := range order[most:] {
		left += len(names[p.cause])
	}
	if left > 0 {
		ls = append(ls, Line{})
		ls = append(ls, wrapped(order[most].Tone, margin, fmt.Sprintf(more, nodes(left)), o.Width)...)
	}
	return ls
}

// names lists names, or some of them and the number of the others.
func (o Options) names(all []string) string {
	if len(all) <= mostNames || o.Whole {
		return strings.Join(all, ", ")
	}
	shown := slices.Clone(all[:mostNames])
	return strings.Join(append(shown, fmt.Sprintf("and %d more: kubectl mcn -o wide", len(all)-mostNames)), ", ")
}
