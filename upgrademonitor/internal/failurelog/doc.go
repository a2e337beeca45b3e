// Package failurelog logs what cannot be written: once as an error when it begins, again when
// its cause changes, and once when it is over, however often it is tried in between.
//
//	var failures failurelog.Log
//	…
//	if err := write(ctx); err != nil {
//		failures.Failed(ctx, name, err, "Failed to write a MachineConfigNode", "node", name)
//		return err
//	}
//	failures.Recovered(ctx, name, "Wrote a MachineConfigNode again", "node", name)
package failurelog
