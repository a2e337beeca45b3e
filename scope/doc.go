// Package scope restricts a node to its own MachineConfigNode.
//
// [Client] is a typed client that can access one object:
//
//	caller ──► scope.Client ──► typed client ──► API server
//	               │
//	               └── ErrOutOfScope, and no request, for any other object
//
//	c, err := scope.NewClient(clientset.MachineconfigurationV1().MachineConfigNodes(), "worker-0")
//	mcn, err := c.Get(ctx, "worker-0", metav1.GetOptions{})
//
// Client has no List, Watch, Update or Delete, because a daemon does not need these methods.
//
// The client is defense in depth: it catches mistakes in the daemon's own code. The admission
// policies of package guard also stop a hostile daemon.
package scope
