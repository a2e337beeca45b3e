package screen

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// Options are the options of a screen.
type Options struct {
	// Now is the time on the screen; other times are in its zone.
	Now time.Time
	// Origin is where objects come from that are not those of a cluster, a file for example.
	Origin string
	// Width is how many columns a line may have; 0 is no limit.
	Width int
	// Height is how many lines there may be; 0 is no limit.
	Height int
	// LastContact is the last response of an unreachable server; zero while it is reachable.
	LastContact time.Time
	// Health is a line on a component that is not healthy, "" for none.
	Health string
	// Show chooses the nodes that are shown themselves; nil: those that are updating or stuck.
	Show func(progress.Node) bool
	// List shows the nodes that Show chooses, whatever their state.
	List bool
	// Whole shows everything: every node in a row of its own, and every message whole.
	Whole bool
}

// NotFound is what kubectl prints where there is nothing to show.
const NotFound = "No resources found"

// mostRows is how many nodes have a row of their own without a limit of the height.
const mostRows = 20

// Snapshot returns the screen of a rollout, from the top: a summary in one line, a row for each
// pool, what is wrong with pools and nodes and what to do next, and the nodes that are updating.
func Snapshot(pools []progress.Pool, o Options) []Line {
	screen := append(title(pools, o), Line{})
	if len(pools) == 0 {
		return fit(append(screen, Paragraph(NotFound, o.Width)...), o)
	}
	screen = append(screen, poolTable(pools, o.Width)...)
	for _, p := range pools {
		for _, problem := range ofPool(p, o) {
			screen = append(screen, problem.draw(o)...)
		}
	}
	screen = append(screen, stuckNodes(pools, o)...)
	screen = append(screen, pinnedImageSets(pools, o)...)
	screen = append(screen, nodeRows(pools, o, o.Height-len(screen)-4)...)
	screen = append(screen, legend(pools, o)...)
	return fit(screen, o)
}

// title summarizes the rollout.
func title(pools []progress.Pool, o Options) []Line {
	var sum progress.Pool
	for _, p := range pools {
		sum.Done += p.Done
		sum.Updating += p.Updating
		sum.Stuck += p.Stuck
		sum.Waiting += p.Waiting
		sum.Unreported += p.Unreported
	}
	ls := lines(Plain, Moment(o)+"  "+Counts(sum))
	if o.Width > 0 && Width(ls[0].Text) > o.Width {
		ls = append(lines(Plain, indented("", "  ", Moment(o), o.Width, 0)...), lines(Plain, indented("", "  ", Counts(sum), o.Width, 0)...)...)
	}
	if !o.LastContact.IsZero() {
		ls = append(ls, lines(Alarm, indented("", "  ", "no answer from the server since "+clockTime(o.LastContact, o.Now)+", reconnecting", o.Width, 0)...)...)
	}
	if o.Health != "" {
		ls = append(ls, lines(Alarm, indented("", "  ", o.Health, o.Width, 2)...)...)
	}
	return ls
}

// Moment returns the time of a screen, with date and zone, and where it comes from.
func Moment(o Options) string {
	text := o.Now.Format("2006-01-02 15:04:05 MST")
	if o.Origin != "" {
		text += ", from " + clean(o.Origin)
	}
	return text
}

// Counts returns how many nodes a pool has, and how many in each state.
func Counts(p progress.Pool) string {
	parts := stateCounts(p)
	if len(parts) == 0 {
		return nodes(p.Total())
	}
	return nodes(p.Total()) + ": " + strings.Join(parts, ", ")
}

func stateCounts(p progress.Pool) (parts []string) {
	for _, s := range []struct {
		n    int
		name string
	}{{p.Done, "done"}, {p.Updating, "updating"}, {p.Stuck, "stuck"}, {p.Waiting, "waiting"}, {p.Unreported, "unreported"}} {
		if s.n > 0 {
			parts = append(parts, strconv.Itoa(s.n)+" "+s.name)
		}
	}
	return parts
}

// legend explains the signs, and names the command for one node: a stuck one, else one that is slow or updating.
func legend(pools []progress.Pool, o Options) []Line {
	var name string
	rank, text := 0, "# done  > running  . to come  - skipped"
	slow := ""
	for _, p := range pools {
		for _, n := range append(p.StuckNodes(), p.Nodes...) {
			if o.Show != nil && !o.Show(n) {
				continue
			}
			if n.Slow {
				slow = "  ~ slow"
			}
			r := map[progress.State]int{progress.Stuck: 3, progress.Updating: 1}[n.State]
			if r == 3 && !n.InUpdate() || n.Slow {
				r = 2
			}
			if r > rank {
				name, rank = n.Name, r
			}
		}
	}
	if name == "" {
		return nil
	}
	text += slow
	more := "kubectl mcn node " + clean(name) + " has all of it"
	if o.Width <= 0 || Width(text)+3+Width(more) <= o.Width {
		return lines(Plain, "", text+"   "+more)
	}
	return append(lines(Plain, append([]string{""}, headline(text, o.Width)...)...), Paragraph(more, o.Width)...)
}

// fit cuts a screen at its height.
func fit(screen []Line, o Options) []Line {
	if o.Height <= 0 || len(screen) <= o.Height {
		return screen
	}
	left := len(screen) - o.Height + 1
	return append(screen[:o.Height-1:o.Height-1], Line{Text: Cut(fmt.Sprintf("... %d more lines", left), o.Width)})
}
