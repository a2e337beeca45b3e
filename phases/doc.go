// Package phases defines the phases of a node update.
//
// The conditions of a MachineConfigNode show how far the update of a node has come. Each condition
// type is a [Phase]. A Phase has one of three kinds:
//
//	Parent     a stage of an update: UpdatePrepared, UpdateExecuted, … Updated
//	Child      a part of a parent: Cordoned, Drained, … Uncordoned
//	Singleton  independent of updates: NodeDegraded, PinnedImageSets…
//
// Updated is True between updates, and False during an update. Every other Parent and Child is a
// step of the update. A step goes through three statuses, one status per write:
//
//	False ───► Unknown ───► True ───► False
//	not        running      done      the update
//	started    or failed              is over
//
// A report may skip Unknown, or run a step again. A report of False for a running step, of Unknown for
// Updated, or of True for a parent with a running child is a [TransitionError].
//
// A node is in image mode if the feature gate ImageModeStatusReporting is enabled. Otherwise it is
// in standard mode. The mode determines the children of UpdateExecuted.
//
// The start or the end of an update sets all steps to False, and a child changes its parent.
//
// The package has only data and pure functions, and is safe for concurrent use.
package phases
