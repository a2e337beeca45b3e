// Package conditions reads the conditions of a MachineConfigNode.
//
//	drained := conditions.StatusOf(mcn.Status.Conditions, phases.Drained)
//
// The condition of a phase that was never reported is False, with the reason NotYetOccurred.
// After an update, the conditions of its steps are False again, and their messages have the prefix
// "Action during update to <name of the update>: ".
//
// The package is pure: it has no I/O, log or clock. No function changes its arguments, and all functions
// are safe for concurrent use.
package conditions
