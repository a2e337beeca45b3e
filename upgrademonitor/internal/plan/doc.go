// Package plan computes the writes of a change. Each write publishes one state of the object.
//
//	State ──┐
//	        ├──► Change.Plan ──► Writes{States, StartsUpdate}
//	Change ─┘
//
// The package is pure. If only some writes of a change succeed, a new plan of the same change
// returns the remaining writes. So the progress of a change is not stored. The only value that a
// process must remember is [State].Target, because the object does not contain it.
//
// Package conditions computes the conditions. This package computes the versions, images, image
// sets and the spec. It also finds the update that a report belongs to (see [State.Pin]).
package plan
