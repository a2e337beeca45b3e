// Package plan computes what a change means for an object: the states to publish, one write each.
//
//	State ──┐
//	        ├──► Change.Plan ──► Writes{States, StartsUpdate}
//	Change ─┘
//
// It is pure and total, and planning again is harmless: after any of the writes of a plan, by
// whomever it was interrupted, the same change leads to the writes that are left. So a change
// needs no memory of its own; what a process remembers of an object is [State].Target.
//
// The package adds to the rules of package conditions the versions, the images, the image sets,
// the spec, and which update a report belongs to (see [State.Pin]).
package plan
