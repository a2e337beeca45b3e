// Package plan computes the writes of a change: the states to publish, one write each.
//
//	State ──┐
//	        ├──► Change.Plan ──► Writes{States, StartsUpdate}
//	Change ─┘
//
// It is pure, and planning again is harmless: if a plan is interrupted after any of its writes, the
// same change leads to the remaining writes. So a change needs no memory of its own. A process
// remembers only [State].Target of an object.
//
// Package conditions has the rules of the conditions. This package adds the versions, the images,
// the image sets, the spec, and the update that a report belongs to (see [State.Pin]).
package plan
