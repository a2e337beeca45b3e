package screen

import (
	"fmt"
	"strings"
	"time"

	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// Options are the options of a screen.
type Options struct {
	// Now is the time on the screen; other times are in its zone.
	Now time.Time
	// Width is how many columns a line may have; 0 is no limit.
	Width int
	// Height is how many lines there may be; 0 is no limit.
	Height int
	// LastContact is the last response of an unreachable server; zero while it is reachable.
	LastContact time.Time
	// Show chooses the nodes that are shown themselves; nil: those in flight.
	Show func(progress.Node) bool
	// List shows the nodes that Show chooses, in flight or not.
	List bool
	// Whole shows every stuck node with its whole message, and every chosen one in a row of its own.
	Whole bool
}

// NotFound is what kubectl prints where there is nothing to show.
const NotFound = "No resources found"

// mostRows is how many nodes have a row of their own without a limit of the height.
const mostRows = 20

// Snapshot returns the screen of a rollout, from the top: a summary in one line, a row for each
// pool, the stuck nodes and why, and the nodes in flight or, if there are too many, a row for each
// step.
func Snapshot(pools []progress.Pool, o Options) []Line {
	screen := append(title(pools, o), Line{})
	if len(pools) == 0 {
		return fit(append(screen, Paragraph(NotFound, o.Width)...), o)
	}
	shown, more := foldPools(pools, mostPools(o.Height))
	for i, row := range poolTable(shown, o.Width) {
		tone := Plain
		if i == 0 {
			tone = Header
		}
		screen = append(screen, Line{row, tone})
	}
	if more > 0 {
		screen = append(screen, Line{Text: Cut(fmt.Sprintf("... and %d more pools", more), o.Width)})
	}
	for _, p := range pools {
		screen = append(screen, stuckNodes(p, o)...)
	}
	for _, p := range pools {
		screen = append(screen, halted(p, o)...)
	}
	screen = append(screen, nodeRows(pools, o, o.Height-len(screen)-2)...)
	return fit(screen, o)
}

// title summarizes the rollout.
func title(pools []progress.Pool, o Options) []Line {
	var all, updating, stuck, unreported int
	for _, p := range pools {
		all += Total(p)
		updating += p.Updating + p.Ordered
		stuck += len(p.Stuck)
		unreported += p.Unreported + p.Missing
	}
	text := fmt.Sprintf("%s  %s, %s updating, %s stuck", o.Now.Format(time.TimeOnly), nodes(all), count(updating), count(stuck))
	if unreported > 0 {
		text += fmt.Sprintf(", %s unreported", count(unreported))
	}
	tone := Plain
	if !o.LastContact.IsZero() {
		text += fmt.Sprintf("; last heard %s, reconnecting", clockTime(o.LastContact, o.Now))
		tone = Alarm
	}
	return lines(tone, wrap(text, o.Width, 2, 0)...)
}

// mostPools returns how many pools have a row on a screen of a height.
func mostPools(height int) int {
	if height <= 0 {
		return 0
	}
	return max(4, height/3)
}

// fit cuts a screen at its height. No line of it ends with a space.
func fit(screen []Line, o Options) []Line {
	for i := range screen {
		screen[i].Text = strings.TrimRight(screen[i].Text, " ")
	}
	if o.Height <= 0 || len(screen) <= o.Height {
		return screen
	}
	left := len(screen) - o.Height + 1
	return append(screen[:o.Height-1:o.Height-1], Line{Text: Cut(fmt.Sprintf("... %d more lines", left), o.Width)})
}
