// Package writer makes the requests that package plan describes.
//
//	plan.Step ──┐
//	plan.State ─┴► Writer.Write ──► scope.Client ──► API server
//	                    │
//	                    └──► the plan.State that the step leads to
//
//	w := writer.New(client, "machine-config-operator")
//	state, err := w.Read(ctx)
//	…
//	for _, step := range p.Steps {
//		if state, err = w.Write(ctx, state, step); err != nil {
//			return err
//		}
//	}
//
// It has no state of its own: what is known of the object is in the plan.State that it takes and
// returns. Three things are known here and nowhere else: how a step is encoded, who owns what in
// the status ([Writer.Read]), and whether a response can be believed.
//
// The package decides nothing: whether an error is tried again, and when the object is read, is
// up to the caller, with package apierr.
package writer
