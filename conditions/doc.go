// Package conditions computes the list of conditions of a MachineConfigNode from the list
// before and a report on one of its phases.
//
// [Next] is the entry point. It takes a list and a [Report], and returns the lists to publish,
// one per write:
//
//	list ──┐
//	       ├──► Next ──► list after the first write, after the second, …
//	report ┘
//
// Besides the transition of the phase itself (see package phases), a report has these effects:
//
//   - A child moves its parent, in the same writes. While the parent is Unknown, its reason and
//     message are those of the last report on any of its children. A child that started before
//     the parent turned True, by the time of its report, leaves the parent.
//   - Updated=False begins an update: every Parent and Child becomes False, and
//     UpdatePrepared becomes Unknown.
//   - A phase that only an update has, reported while Updated is True, also begins one
//     (a disruption).
//   - Resumed, UpdateComplete and Uncordoned, reported while Updated is True by a daemon that
//     restarted, change no status.
//   - Updated=True ends the update: every Parent and Child becomes False, and the message of
//     each that ran is prefixed with the name of the update.
//
// The package is pure: no I/O, no logging, no clock; time is an argument. It never changes a
// list that was passed in, and all functions are safe for concurrent use.
//
// It does not handle versions, images and resource versions, nor how a list is written.
// Conditions of types that are not in package phases are not in its results.
package conditions
