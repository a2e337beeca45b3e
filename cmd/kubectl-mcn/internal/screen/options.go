// Package screen renders the progress of a rollout as lines of text: for a terminal, and for a log.
//
// No line is wider than requested, except a line with a command. Characters that a terminal would
// obey are escaped. The package is pure: no I/O, no logging and no clock, time is passed in.
package screen

import (
	"fmt"
	"time"
)

// Options are the options of a screen.
type Options struct {
	// Now is the time on the screen; other times are in its zone.
	Now time.Time
	// Origin is where objects come from that a cluster does not serve, a file for example.
	Origin string
	// Width is how many columns a line may have; 0 is no limit.
	Width int
	// Height is how many lines there may be; 0 is no limit.
	Height int
	// LastContact is the last response of an unreachable server; zero while it is reachable.
	LastContact time.Time
	// Health is a line on a component that is not healthy, "" for none.
	Health string
	// Releases are the OpenShift versions of rendered configs, if they are known.
	Releases map[string]string
	// Unmanaged is set if no object has managedFields, which have the times of requests.
	Unmanaged bool
	// Whole shows everything: every node in a row of its own, and every message whole.
	Whole bool
}

// mostRows is how many nodes have a row of their own without a limit of the height.
const mostRows = 20

// Moment returns the time of a screen, with date and zone, and where it comes from.
func Moment(o Options) string {
	text := o.Now.Format("2006-01-02 15:04:05 MST")
	if o.Origin != "" {
		text += ", from " + clean(o.Origin)
	}
	return text
}

// fit cuts a screen at its height.
func fit(screen []Line, o Options) []Line {
	if o.Height <= 0 || len(screen) <= o.Height {
		return screen
	}
	left := len(screen) - o.Height + 1
	return append(screen[:o.Height-1:o.Height-1], Line{Text: Cut(fmt.Sprintf("... %d more lines", left), o.Width)})
}
