// Package screen renders the progress of a rollout as lines of text: for a terminal, for a log,
// and as the chart of an update.
//
// No line is wider than requested, but for commands and names, which are never broken. Characters that a terminal
// would obey are escaped. The package is pure: no I/O, no logging and no clock, time is passed in.
package screen
