// Package screen renders the progress of a rollout as lines of text: for a terminal, and for a log.
//
// No line but a command is wider than requested. Characters that a terminal would obey are escaped. The package is
// pure: no I/O, no logging and no clock, time is passed in.
package screen
