// Package conditions computes the conditions of a MachineConfigNode after a report on a phase.
//
// [Next] takes a list of conditions and a [Report]. It returns the lists to publish, one per write:
//
//	list ──┐
//	       ├──► Next ──► list after the first write, after the second, …
//	report ┘
//
// A report changes the condition of its phase (see package phases), and has these further effects:
//
//   - A report of a child also changes its parent, in the same writes. While the parent is Unknown,
//     its reason is the name of the child that was reported last, and its message is the message of
//     that report. But if a child turns True while another child is Unknown, the parent shows the
//     Unknown child, which may have failed. If a child was reported Unknown before its parent turned
//     True, but the report is written later, the parent stays True.
//   - Updated=False starts an update: UpdatePrepared becomes Unknown, and every other Parent and
//     Child becomes False. A step that was not required is as if it was never reported.
//   - While Updated is True, a report of a phase that runs only during an update also starts an
//     update. This is called a disruption.
//   - While Updated is True, a report of Resumed, UpdateComplete or Uncordoned changes no status,
//     because a daemon also reports these phases when it restarts.
//   - Updated=True ends the update: every other Parent and Child becomes False. The message of each
//     phase that ran gets the prefix "Action during update to <name of the update>: ". The message of
//     Updated names each child that was Unknown.
//
// The package is pure: it has no I/O, log or clock, and the time is an argument. No function
// changes its arguments, and all functions are safe for concurrent use.
//
// The functions read and return only conditions, not the other fields of the status. The returned
// lists have only conditions of phases.
package conditions
