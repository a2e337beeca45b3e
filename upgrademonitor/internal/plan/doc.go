// Package plan computes the writes of a change: the states to publish, one write each.
//
//	State ──┐
//	        ├──► Change.Plan ──► Writes{States, StartsUpdate}
//	Change ─┘
//
// The package is pure. If a plan is interrupted after any of its writes, planning the same change
// again returns the remaining writes. So progress is not stored with a change. A process remembers
// only [State].Target of an object.
//
// Package conditions computes the conditions. This package adds the versions, the images, the image
// sets, the spec, and the update that a report belongs to (see [State.Pin]).
package plan
