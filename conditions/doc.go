// Package conditions says what becomes of a MachineConfigNode's list of conditions
// when one of them is reported.
//
// [Next] is the whole of it: it takes the list as it is and one [Report], and gives
// the lists to publish, one a write:
//
//	list ──┐
//	       ├──► Next ──► list after the first write, after the second, …
//	report ┘
//
// What a report sets off, beside the phase's own way (see package phases):
//
//   - A child moves its parent, in the same writes.
//   - Updated=False begins an update: every Parent and Child goes back to False, and
//     UpdatePrepared to Unknown.
//   - A phase that only an update has, reported while Updated is True, begins one too
//     (a disruption).
//   - Resumed, UpdateComplete and Uncordoned reported while Updated is True come from a
//     daemon that restarted, and move nothing.
//   - Updated=True ends the update: every Parent and Child goes back to False, and the
//     messages of those that ran say in which update they did.
//
// The package is pure: no I/O, no logging, and no clock, time is passed in. A list
// that was passed in is never changed, and all functions may be used from any number
// of goroutines.
//
// It knows nothing of versions and images, of resource versions, and of how a list is
// written. Conditions of other types than those of package phases are not its own: it
// drops them from what it gives, so that nobody claims them.
package conditions
