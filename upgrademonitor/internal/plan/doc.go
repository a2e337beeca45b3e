// Package plan computes the writes of a change: the states that the object must have, one after the
// other. Each write makes one of these states visible to watchers.
//
//	State ──┐
//	        ├──► Change.Plan ──► Writes
//	Change ─┘
//
// The package is pure. If only some writes of a change succeed, call Plan again with the new state of
// the object: it returns the remaining writes. So a process does not store which writes have
// succeeded. It stores only [State].Target, because the object does not contain this value.
//
// Package conditions computes the conditions. This package computes the other fields: the configs and
// images, the image sets, the owner and the spec. It also decides which update is running (see
// [State.Pin]), and whether a report starts another update.
package plan
