package screen

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

const (
	// mostEntries is how many entries there are; of a list mostRows.
	mostEntries = 3
	// mostMessage is how many lines a message may take, four columns in from the left.
	mostMessageLines = 4
	margin           = "    "
)

// Problem is something that needs an administrator, as each screen says it.
type Problem struct {
	// Headline is what is wrong, and since when; Message is its cause; Next is a command.
	Headline, Message, Next string
	Tone                    Tone
}

// ofPool returns what is wrong with a pool itself, and a build.
func ofPool(p progress.Pool, o Options) []Problem {
	var all []Problem
	for _, c := range p.Problems {
		all = append(all, Problem{
			Headline: fmt.Sprintf("! pool %s: %s%s", clean(p.Name), clean(c.Type), sinceText(c.Since, o.Now)),
			Message:  c.Message, Next: nextForPool(p.Name, c.Type), Tone: Alarm,
		})
	}
	if p.Build != nil {
		doing := "image is being built"
		if p.Build.Type == "BuildPending" {
			doing = "image is about to be built"
		}
		all = append(all, Problem{
			Headline: fmt.Sprintf("~ pool %s: %s%s", clean(p.Name), doing, sinceText(p.Build.Since, o.Now)),
			Message:  p.Build.Message, Next: "oc describe machineosbuilds", Tone: Warn,
		})
	}
	return all
}

// ofNode returns how a node is stuck.
func ofNode(n progress.Node, o Options) Problem {
	return Problem{
		Headline: fmt.Sprintf("! %s  %s  %s", clean(n.Name), marks(n), Reason(n, o)),
		Message:  n.Message, Next: Next(n), Tone: Alarm,
	}
}

// Reason describes how a node is stuck or slow, since when, and what is usual.
func Reason(n progress.Node, o Options) string {
	text, since := "", n.Since
	switch {
	case n.IsDegraded():
		text, since = "degraded", n.Degraded
		if !since.IsZero() {
			text += " for " + took(n.For)
		}
		if n.InUpdate() {
			text += ", at step " + Doing(n)
		} else {
			text += ", not in an update"
		}
	default:
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

var (
	namespaceOf = regexp.MustCompile(`-n "?([a-z0-9][a-z0-9-]{0,62})"?`)
	isName      = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$`)
)

// Next returns the command that tells more about a stuck node, "" for none: what keeps a drain from
// evicting, else the log of the daemon.
func Next(n progress.Node) string {
	if n.Step == phases.Drained {
		if m := namespaceOf.FindStringSubmatch(n.Message); m != nil {
			return "oc get pdb -n " + m[1]
		}
	}
	if !isName.MatchString(n.Name) {
		return "" // it could not be pasted
	}
	return "oc -n openshift-machine-config-operator logs -l k8s-app=machine-config-daemon --field-selector spec.nodeName=" + n.Name + " -c machine-config-daemon"
}

func nextForPool(pool, condition string) string {
	switch {
	case strings.Contains(condition, "Build"):
		return "oc describe machineosbuilds"
	case strings.Contains(condition, "Pinned"):
		return "oc describe pinnedimagesets"
	case !isName.MatchString(pool):
		return "oc describe mcp"
	}
	return "oc describe mcp " + pool
}

// draw returns a problem as lines. Commands are not broken: they are pasted.
func (p Problem) draw(o Options) []Line {
	most := mostMessageLines
	if o.Whole {
		most = 0
	}
	ls := append([]Line{{}}, lines(p.Tone, headline(p.Headline, o.Width)...)...)
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
