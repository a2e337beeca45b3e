// Package phases defines the phases of a node update, and their state machine.
//
// A MachineConfigNode (MCN) represents a node update as a list of conditions. Each condition type
// is a [Phase]. A Phase has one of three kinds:
//
//	Parent     a stage of an update: UpdatePrepared, UpdateExecuted, … Updated
//	Child      a step of a parent: Cordoned, Drained, … Uncordoned
//	Singleton  independent of updates: NodeDegraded, PinnedImageSets…
//
// The status of a phase of an update changes in a cycle. Each write publishes one transition:
//
//	False ───► Unknown ───► True ───► False
//	not        running      done      the update
//	started    or failed              is over
//
// [Path] returns the statuses to publish, one per write, from one status to another:
//
//	steps, err := phases.Path(phases.Drained, metav1.ConditionFalse, metav1.ConditionTrue)
//	// steps: Unknown, True
//
// The package has only data and pure functions, and is safe for concurrent use.
//
// A report may also affect other phases: a report of a child changes its parent, and the start or
// end of an update resets phases to False. Package conditions computes these effects.
package phases
