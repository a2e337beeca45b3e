// Package screen renders the progress of a rollout as lines of text: for a terminal, for a log,
// and as the chart of an update.
//
//	progress.Pools ──► Snapshot ──► lines of a screen
//	               ──► Moves    ──► a line for each change
//	History.Spans  ──► Timeline ──► lines of a chart, CSV, SVG
//
// No line is wider than requested. Lines are printable ASCII: other characters in a name or a
// message are escaped, so that no object of a cluster can send a control sequence to the
// terminal, and every character takes one column.
//
// The package is pure: no I/O, no logging and no clock, time is passed in.
package screen
