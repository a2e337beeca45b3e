package screen

import (
	"fmt"
	"strings"

	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

const (
	// mostStuck is how many stuck nodes of a pool are shown with their reason; of a list mostRows.
	mostStuck = 3
	// mostWhy is how many lines a reason may take, four columns in from the left.
	mostWhy   = 4
	whyIndent = 4
)

// stuckNodes describes the stuck nodes of a pool, and counts those that do not fit.
func stuckNodes(p progress.Pool, o Options) []Line {
	var stuck []progress.Stuck
	for _, s := range p.Stuck {
		if o.Show == nil || o.Show(s.Node) {
			stuck = append(stuck, s)
		}
	}
	most := mostStuck
	switch {
	case o.Whole:
		most = len(stuck)
	case o.List:
		most = mostRows
	}
	most = min(most, len(stuck))
	var screen []Line
	for _, s := range stuck[:most] {
		screen = append(screen, Line{})
		screen = append(screen, lines(Alarm, wrap(headline(s, o), o.Width, whyIndent, 0)...)...)
		screen = append(screen, lines(Plain, why(s.Node.Why, o)...)...)
	}
	return append(screen, otherStuck(p, stuck[most:], o)...)
}

// otherStuck counts the stuck nodes that are not described.
func otherStuck(p progress.Pool, stuck []progress.Stuck, o Options) []Line {
	if len(stuck) == 0 {
		return nil
	}
	verb := "are"
	if len(stuck) == 1 {
		verb = "is"
	}
	text := fmt.Sprintf("! %s more of %s %s stuck", count(len(stuck)), clean(p.Name), verb)
	if o.List && o.Height == 0 {
		return append([]Line{{}}, lines(Alarm, wrap(text+listAll, o.Width, whyIndent, 0)...)...)
	}
	var names []string
	for _, s := range stuck {
		names = append(names, clean(s.Node.Name))
	}
	return []Line{{}, {Cut(text+": "+strings.Join(names, ", "), o.Width), Alarm}}
}

// headline returns a stuck node, its step, and since when it is there.
func headline(s progress.Stuck, o Options) string {
	text := fmt.Sprintf("! %s  %s  %s", clean(s.Node.Name), marks(s.Node), Reason(s))
	if since := s.Node.Since; !since.IsZero() {
		text += fmt.Sprintf(" (since %s)", clockTime(since, o.Now))
	}
	return text
}

// Reason describes how a node is stuck, and what is usual.
func Reason(s progress.Stuck) string {
	switch {
	case s.Node.IsDegraded() && s.Node.Degraded.IsZero():
		return "degraded at step " + doing(s.Node)
	case s.Node.IsDegraded():
		return fmt.Sprintf("degraded for %s at step %s", took(s.For), doing(s.Node))
	}
	text := fmt.Sprintf("%s for %s", doing(s.Node), took(s.For))
	if s.Samples > 0 {
		text += fmt.Sprintf(", %s took %s", nodes(s.Samples), took(s.Typical))
	}
	return text
}

// why returns the message below the headline.
func why(message string, o Options) []string {
	message = clean(message)
	if message == "" {
		return nil
	}
	if o.Width <= 0 {
		return []string{strings.Repeat(" ", whyIndent) + message}
	}
	most := mostWhy
	if o.Whole {
		most = 0
	}
	indent := min(whyIndent, o.Width-1)
	var indented []string
	for _, line := range wrap(message, o.Width-indent, 0, most) {
		indented = append(indented, strings.Repeat(" ", indent)+line)
	}
	return indented
}

// halted explains why a pool makes no progress.
func halted(p progress.Pool, o Options) []Line {
	var text string
	switch idle := p.Waiting + p.Unreported + p.Missing; {
	case isBlocked(p):
		text = fmt.Sprintf("%s is blocked: stuck nodes take all of maxUnavailable (%d); %s.", clean(p.Name), p.MaxUnavailable, wait(p.Waiting))
	case p.Paused && p.Waiting > 0:
		text = fmt.Sprintf("%s is paused: %s.", clean(p.Name), wait(idle))
	default:
		return nil
	}
	return append([]Line{{}}, lines(Alarm, wrap(text, o.Width, 2, 0)...)...)
}

func wait(n int) string {
	if n == 1 {
		return "1 node waits"
	}
	return nodes(n) + " wait"
}
