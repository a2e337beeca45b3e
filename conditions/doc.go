// Package conditions computes the conditions of a MachineConfigNode after a report on a phase.
//
// [Next] takes a list and a [Report], and returns the lists to publish, one per write:
//
//	list ──┐
//	       ├──► Next ──► list after the first write, after the second, …
//	report ┘
//
// A report changes its phase (see package phases). It has further effects:
//
//   - A child changes its parent, in the same writes. While the parent is Unknown, it has the
//     reason and the message of the last report on any of its children. If a child started before
//     its parent turned True, the report is late, and leaves the parent unchanged.
//   - Updated=False starts an update: every Parent and Child becomes False, and UpdatePrepared
//     becomes Unknown.
//   - A phase that runs only during an update starts an update if it is reported while Updated is
//     True (a disruption).
//   - A report of Resumed, UpdateComplete or Uncordoned while Updated is True changes no status: a
//     daemon also makes these reports when it restarts.
//   - Updated=True ends the update: every Parent and Child becomes False, and the message of each
//     phase that ran gets the name of the update as a prefix.
//
// The package is pure: no I/O, no logging, no clock; time is an argument. It never changes an
// argument, and all functions are safe for concurrent use.
//
// It does not handle versions, images or resource versions, and it makes no request. Its results
// have only conditions whose types are in package phases.
package conditions
