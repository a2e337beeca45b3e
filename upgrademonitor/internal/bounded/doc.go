// Package bounded returns from a request when its context ends, whatever the client does.
//
//	mcn, err := bounded.Call(ctx, func() (*mcfgv1.MachineConfigNode, error) {
//		return client.Get(ctx, name, metav1.GetOptions{})
//	})
//
// The request must keep its results to itself: it may still be running when Call has returned.
package bounded
