// Package screen renders the progress of a rollout as lines of text, for a terminal or a log.
//
// No line is wider than Options.Width, except a line with a command. Control characters are
// escaped. The package is pure: no I/O, no logging and no clock. The caller passes the time.
package screen

import (
	"fmt"
	"time"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
)

// Options are the options of a screen.
type Options struct {
	cluster.Facts
	// Now is the time of the screen. All times are shown in its time zone.
	Now time.Time
	// Origin names the files that the objects come from. It is "" for a cluster.
	Origin string
	// Width is the maximum number of columns of a line; 0 means no limit.
	Width int
	// Height is the maximum number of lines; 0 means no limit.
	Height int
	// LastContact is the time of the API server's last response. It is zero while the server
	// responds.
	LastContact time.Time
	// Health names the components whose health is Unhealthy or Unknown, if there are any.
	Health string
	// If Whole is set, the screen lists every node, and does not shorten messages.
	Whole bool
	// Node is the node that the screen is about. An entry of its pool has only the commands of this node. It is "" for
	// the screen of all nodes.
	Node string
}

// maxRows is the maximum number of rows in the table of nodes if Height is 0.
const maxRows = 20

const dateAndTime = "2006-01-02 15:04:05 MST"

// moment returns the time of a screen with date and zone, and the origin of the objects.
func moment(o Options) string {
	text := o.Now.Format(dateAndTime)
	if o.Origin != "" {
		text += ", from " + Clean(o.Origin)
	}
	return text
}

// fit limits a screen to o.Height lines.
func fit(screen []Line, o Options) []Line {
	if o.Height <= 0 || len(screen) <= o.Height {
		return screen
	}
	left := len(screen) - o.Height + 1
	return append(screen[:o.Height-1:o.Height-1], Line{Text: Cut(fmt.Sprintf("... %d more lines", left), o.Width)})
}
