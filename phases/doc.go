// Package phases names the phases of a node update and says how one phase may move.
//
// A MachineConfigNode (MCN) shows a node update as a list of conditions. Each
// condition type is a [Phase]. There are three kinds of them:
//
//	Parent     the arc of an update: UpdatePrepared, UpdateExecuted, … Updated
//	Child      a step inside a parent: Cordoned, Drained, … Uncordoned
//	Singleton  apart from the update: NodeDegraded, PinnedImageSets…
//
// One phase of an update moves around a ring, one arrow per published write:
//
//	False ───► Unknown ───► True ───► False
//	not        running      done      the update
//	started    or failed              is over
//
// [Path] gives the arrows between what is and what is asked for:
//
//	steps, err := phases.Path(phases.Drained, metav1.ConditionFalse, metav1.ConditionTrue)
//	// steps: Unknown, True
//
// The package is pure data and pure functions: no I/O, no clock, no logging. All
// of it may be used from any number of goroutines.
//
// It does not know about the update as a whole. That a child moves its parent, and
// that a new update takes back what ran, is the business of package conditions.
package phases
