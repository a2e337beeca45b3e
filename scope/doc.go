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
// It has no List, Watch, Update or Delete, which a daemon does not need.
//
// The client is defense in depth. It protects against a mistake in the daemon's own code, but not
// against a hostile daemon. Admission policies protect against a hostile daemon: see package guard.
package scope
