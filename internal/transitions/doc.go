// Package transitions computes the conditions of a MachineConfigNode after a [Report], in which a
// daemon says that a phase of an update has started, failed or ended.
//
// [Path] has the rule for the status of a single phase. [Next] adds the effects of a phase on other
// phases. It takes the list of conditions and a report. It returns the list of the next write, and says
// whether more writes follow:
//
//	list ──┐
//	       ├──► Next ──► list of the next write
//	report ┘
//
// An update starts with Updated=False, and ends with Updated=True. Every other Parent and Child is a
// step of the update. A report changes the condition of its phase, and has these further effects:
//
//   - A child also changes its parent, in the same writes. While the parent is Unknown, it has the
//     name of the last reported child as its reason, and the message of that report. But if one
//     child turns True while another child is Unknown, the parent shows the Unknown child, because
//     that child may have failed. A report of Unknown does not change the parent if the parent
//     turned True after the time of the report.
//   - The start of an update sets all steps to False. Updated=False sets UpdatePrepared to Unknown.
//   - While no update is under way, a report of Unknown or True for a step that runs only during an
//     update also starts one. Example: an administrator drains the node.
//   - A report of Resumed, UpdateComplete or Uncordoned changes no status while Updated is True,
//     because a daemon also reports these phases when it restarts.
//   - The end of an update sets all steps to False. The message of each step that was ever reported, and
//     has no prefix yet, gets the prefix "Action during update to <name of the update>: ". So does the
//     message of a failure. The start of an update does the same with what the last update has left.
//
// The package is pure: it has no I/O, log or clock, and the time is an argument. No function changes
// its arguments. The returned lists have only conditions whose type is a phase.
package transitions
