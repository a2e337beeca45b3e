package screen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
)

const (
	margin     = "    "
	maxEntries = 3  // limits the entries of each section
	maxNames   = 10 // limits a list of names
	maxNext    = 3  // limits the lines "next:" of an entry
	manySame   = 3  // so many nodes with the same cause are counted, and no more of their names are shown
)

// ProblemID identifies a problem of a pool, of a node, or of a pinned image set on a node.
type ProblemID struct {
	Pool, Node, Kind string
	UID              types.UID // the UID of the MachineConfigNode
}

// Problem is an entry on a screen. It describes a problem of a pool, a node, a component or the ClusterOperator.
type Problem struct {
	ProblemID
	// Since is when the problem started. It is zero if the time is not known.
	Since time.Time
	// Subject says whose problem it is, What describes the problem, Message is the cause, and Next
	// has commands that show more.
	Subject, What, Message string
	// Details are further facts about the cause.
	Details []string
	Next    []string
	// About has the names of the nodes that the entry is about.
	About []string
	// Tone is Alarm if the problem stops the rollout.
	Tone Tone

	began time.Time // when the step or the outage of the node began
	marks string    // the signs of the node's steps
	also  string    // the end of What, if it is not about all nodes with the same cause
	cause any       // a comparable value; problems with the same cause share an entry
}

// Began returns Since or, if it is zero, when the step or the outage of the node began.
func (p Problem) Began() time.Time { return cmp.Or(p.Since, p.began) }

// about returns a problem of a node with the tone Warn. It does not say yet what the problem is.
func about(n cluster.Node, kind string) Problem {
	return Problem{ProblemID: ProblemID{n.Pool, n.Name, kind, n.UID}, Subject: Clean(n.Name), Tone: Warn, About: []string{n.Name}}
}

// draw returns the lines of a problem. Commands are not wrapped, so that the user can paste them.
func (p Problem) draw(o Options) []Line {
	sign, gap := map[Tone]string{Alarm: "! ", Warn: "~ "}[p.Tone], ": "
	if p.marks != "" {
		gap = "  " + p.marks + "  "
	}
	ls := append([]Line{{}}, wrapped(p.Tone, sign+p.Subject+gap, margin, p.What, o.Width)...)
	if message := Clean(p.Message); message != "" {
		if !o.Whole {
			message = cutMiddle(message, 6*(o.Width-len(margin)))
		}
		ls = append(ls, wrapped(Plain, margin, margin, message, o.Width)...)
	}
	for _, detail := range p.Details {
		ls = append(ls, wrapped(Plain, margin, margin, detail, o.Width)...)
	}
	for i, next := range p.Next {
		if i < maxNext || o.Whole {
			ls = append(ls, Line{Text: margin + "next: " + next})
		}
	}
	return ls
}

// grouped draws an entry for each cause. The entry has the first problem with this cause, the names of all other nodes
// with this cause, and the commands that change them. If there are more than maxEntries causes, a last line
// counts the remaining nodes; more is the format of this line.
func grouped(all []Problem, more string, o Options) (ls []Line) {
	causes := mco.Groups(all, func(p Problem) any { return p.cause })
	for i, same := range causes {
		if i == maxEntries && !o.Whole {
			left := len(slices.Concat(causes[i:]...))
			return append(ls, o.paragraph(same[0].Tone, fmt.Sprintf(more, nodes(left)))...)
		}
		slices.SortStableFunc(same, func(a, b Problem) int { return len(a.also) - len(b.also) })
		first := same[0]
		for _, p := range slices.Backward(same[1:]) { // one command shows what all have
			isOther := func(command string) bool { return !changesNode(command) || p.also != first.also }
			first.Next = slices.Insert(slices.Clone(first.Next), 1+slices.IndexFunc(first.Next, changesNode), slices.DeleteFunc(slices.Clone(p.Next), isOther)...)
		}
		ls = append(ls, first.draw(o)...)
		if len(same) > 1 {
			ls = append(ls, wrapped(same[0].Tone, margin, margin, "the same: "+o.same(same[0], same[1:]), o.Width)...)
		}
	}
	return ls
}

// same names the nodes with the same cause as the first problem. Many nodes are counted, with their times and pools.
func (o Options) same(first Problem, all []Problem) string {
	var names, subjects, pools []string
	var times []time.Time
	for _, p := range all {
		names = append(names, p.Subject+p.differs(first, o))
		subjects, pools = append(subjects, p.Subject), addOnce(pools, p.Pool)
		times = append(times, p.Began())
	}
	if len(all) <= maxNames || o.Whole {
		return o.names(names)
	}
	text := nodes(len(all)) + o.span(times)
	if len(pools) > 1 || pools[0] != first.Pool {
		text += " in " + Clean(strings.Join(pools, ", "))
	}
	return text + " (" + o.firstOf(subjects) + "): kubectl mcn -o wide"
}

// span returns the first and the last of the times that are known, for example " since 10:49:00 to 10:49:39".
func (o Options) span(times []time.Time) string {
	times = slices.DeleteFunc(slices.SortedFunc(slices.Values(times), time.Time.Compare), time.Time.IsZero)
	if len(times) == 0 {
		return ""
	}
	text, last := " since "+clockTime(times[0], o.Now), times[len(times)-1]
	if last.After(times[0]) {
		text += " to " + clockTime(last, o.Now)
	}
	return text
}

// differs returns the pool and the time of a problem, if they differ from those of another problem with
// the same cause.
func (p Problem) differs(first Problem, o Options) string {
	var parts []string
	if p.Pool != first.Pool {
		parts = append(parts, "pool "+p.Pool)
	}
	if began := p.Began(); !began.IsZero() && !began.Equal(first.Began()) {
		parts = append(parts, "since "+clockTime(began, o.Now))
	}
	if p.also != first.also {
		parts = append(parts, p.also)
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// firstOf joins the first names, and counts the others. Unlike the result of names, its result may be followed by more
// text.
func (o Options) firstOf(all []string) string { return o.join(all, manySame, "") }

// names joins at most maxNames names, and counts the remaining names.
func (o Options) names(all []string) string { return o.join(all, maxNames, ": kubectl mcn -o wide") }

func (o Options) join(all []string, most int, hint string) string {
	if more := len(all) - most; more > 0 && !o.Whole {
		all = append(slices.Clone(all[:most]), fmt.Sprintf("and %d more%s", more, hint))
	}
	return Clean(strings.Join(all, ", "))
}

// masked returns a message without the parts that differ between nodes with the same cause. node is
// the name of the node.
func masked(message, node string) string {
	host, _, _ := strings.Cut(node, ".")
	message = mco.Different.ReplaceAllString(message, "*") // first, because worker-1 is the beginning of worker-1f0a7de7
	return strings.ReplaceAll(message, host, "")
}
