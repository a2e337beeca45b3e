// Package planner decides which request to make next for one MachineConfigNode.
//
//	Submit ──► pending changes ──┐
//	See ─────► the Lister ───────┼──► Next ──► Request
//	Done ────► the known object ─┘                │
//	  ▲                                           │
//	  └────────── Result ◄── the caller makes it ◄┘
//
// The caller passes events to a [Core], and the Core returns the next request. The package has no lock,
// clock, context, log or I/O. So a test can try every order of events.
//
// [Change.Plan] computes one write: the next [State] that watchers see. After each response, a conflict,
// a lost response or a restart, the next write is computed again from the latest object. So a process
// stores little: the Core says what, and why. The target of an update is in the status, from
// UpdatePrepared=True.
//
// Each file of testdata shows rules about requests and their order. It has commands, and the requests
// that follow from them.
package planner
