// Package plan computes the writes that an intent takes: a report of a phase, of the pinned
// image sets, or the spec.
//
//	State ──┐
//	Memo  ──┼──► Intent.Plan ──► Plan{Steps, Final, Memo}
//	Intent ─┘
//
// It is pure and total: the same state, memo and intent give the same plan, and nothing that
// was passed in is changed, so that predicting what a queue of intents leads to is planning it.
// A [Step] describes a request by data; package writer makes it.
//
// The package has no I/O, no clock, no logging and no locks. It knows the rules of package
// conditions, and adds to them the versions, the images, the image sets and the spec.
package plan
