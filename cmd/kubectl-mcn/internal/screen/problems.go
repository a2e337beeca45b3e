package screen

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

const (
	// mostEntries is how many entries there are; of a list mostRows.
	mostEntries = 3
	// mostMessageLines is how many lines a message may take, four columns in from the left.
	mostMessageLines = 4
	// MostMessage is how much of a message a line of text has.
	MostMessage = 240
	margin      = "    "
)

// ProblemID identifies a problem: of a pool, a node that is stuck, or a pinned image set of a node.
type ProblemID struct {
	Pool, Node, Kind string
	UID              types.UID // an object may be created again
}

// Problem is something that needs an administrator, as each screen says it.
type Problem struct {
	ProblemID
	// Since is when it began, as far as the objects say that.
	Since time.Time
	// Subject has a problem, What is which one. Message is its cause, Next a command that tells more.
	Subject, What, Message, Next string
	// Tone is Alarm for what is in the way of a rollout.
	Tone Tone

	marks string // the steps of a node
	cause any    // comparable: problems of the same cause are one entry
}

// String returns a problem on one line.
func (p Problem) String() string {
	text := p.Subject + ": " + p.What
	if p.Node != "" && p.Pool != "" {
		text = p.Subject + " of pool " + clean(p.Pool) + ": " + p.What
	}
	if p.Message != "" {
		text += ": " + Clean(p.Message, MostMessage)
	}
	return text
}

// InTheWay returns what is in the way of a pool.
func InTheWay(p progress.Pool, now time.Time) []Problem {
	all := ofPool(p, Options{Now: now})
	if p.Paused && p.Done < p.Total() {
		all = append(all, Problem{ProblemID: ProblemID{Pool: p.Name, Kind: "Paused"}, Subject: "pool " + clean(p.Name), What: "paused", Tone: Alarm})
	}
	for _, n := range p.StuckNodes() {
		all = append(all, ofNode(n, Options{Now: now}))
	}
	all = append(all, ofPinnedImageSets(p, Options{Now: now})...)
	return slices.DeleteFunc(all, func(p Problem) bool { return p.Tone != Alarm })
}

// ofPool returns what is wrong with a pool itself, and a build.
func ofPool(p progress.Pool, o Options) []Problem {
	var all []Problem
	add := func(tone Tone, kind, what, message, next string, since time.Time) {
		all = append(all, Problem{
			ProblemID: ProblemID{Pool: p.Name, Kind: kind}, Since: since, Subject: "pool " + clean(p.Name), What: what + sinceText(since, o.Now),
			Message: message, Next: next, Tone: tone,
		})
	}
	for _, c := range p.Problems {
		add(Alarm, c.Type, clean(c.Type), c.Message, nextForPool(p.Name, c.Type), c.Since)
	}
	if p.Blocked && p.Stuck < p.MaxUnavailable { // stuck nodes have entries of their own
		add(Alarm, "Blocked", fmt.Sprintf("blocked, %s (maxUnavailable %d)", p.BlockedBy, p.MaxUnavailable), "", "oc get nodes", time.Time{})
	}
	if p.Build != nil {
		doing := "image is being built"
		if p.Build.Type == "BuildPending" {
			doing = "image is about to be built"
		}
		add(Warn, p.Build.Type, doing, p.Build.Message, "oc describe machineosbuilds", p.Build.Since)
	}
	return all
}

// ofNode returns how a node is stuck.
func ofNode(n progress.Node, o Options) Problem {
	return Problem{
		ProblemID: ProblemID{n.Pool, n.Name, "Stuck", n.UID}, Since: n.Degraded,
		cause:   [4]any{n.Pool, strings.ReplaceAll(n.Message, n.Name, ""), n.Step, n.IsDegraded()},
		Subject: clean(n.Name), marks: marks(n), What: Reason(n, o), Message: n.Message, Next: Next(n), Tone: Alarm,
	}
}

// ofPinnedImageSets returns the sets that nodes cannot pull, or are pulling.
func ofPinnedImageSets(p progress.Pool, o Options) []Problem {
	var all []Problem
	for _, n := range p.Nodes {
		if o.Show != nil && !o.Show(n) {
			continue
		}
		for _, s := range n.PinnedImageSets {
			set, is, tone := "a pinned image set", "is pulled", Warn
			if s.Name != "" {
				set = "pinned image set " + clean(s.Name)
			}
			if s.Failed {
				is, tone = "has failed", Alarm
			}
			all = append(all, Problem{
				ProblemID: ProblemID{p.Name, n.Name, "pinned " + s.Name, n.UID}, Since: s.Since, cause: s,
				Subject: clean(n.Name), What: set + " " + is + sinceText(s.Since, o.Now), Message: s.Message, Tone: tone,
			})
		}
	}
	return all
}

// Reason describes how a node is stuck or slow, since when, and what is usual.
func Reason(n progress.Node, o Options) string {
	text, since := "", n.Since
	if n.IsDegraded() {
		text, since = "degraded", n.Degraded
		if !since.IsZero() {
			text += " for " + took(n.For)
		}
		if n.InUpdate() {
			text += ", at step " + Doing(n)
		} else {
			text += ", not in an update"
		}
	} else {
		text = fmt.Sprintf("%s for %s", Doing(n), took(n.For))
		if n.Samples > 0 {
			text += fmt.Sprintf(", %s took %s", nodes(n.Samples), took(n.Typical))
		}
	}
	if !since.IsZero() {
		text += fmt.Sprintf(" (since %s)", clockTime(since, o.Now))
	}
	return text
}

// draw returns a problem as lines. Commands are not broken: they are pasted.
func (p Problem) draw(o Options) []Line {
	most, sign, subject := mostMessageLines, map[Tone]string{Alarm: "! ", Warn: "~ "}[p.Tone], p.Subject+": "
	if o.Whole {
		most = 0
	}
	if p.marks != "" {
		subject = p.Subject + "  " + p.marks + "  "
	}
	ls := append([]Line{{}}, lines(p.Tone, headline(sign+subject+p.What, o.Width)...)...)
	if message := clean(p.Message); message != "" {
		ls = append(ls, lines(Plain, indented(margin, margin, message, o.Width, most)...)...)
	}
	if p.Next != "" {
		ls = append(ls, Line{Text: margin + "next: " + p.Next})
	}
	return ls
}

// headline wraps a headline, and keeps the gaps in it.
func headline(s string, width int) []string {
	if width <= 0 || Width(s) <= width {
		return []string{s}
	}
	return indented("", margin, s, width, 0)
}
