// Package scope keeps a node to its own MachineConfigNode.
//
// [Client] is a typed client that can touch one object:
//
//	caller ──► scope.Client ──► typed client ──► API server
//	               │
//	               └── ErrOutOfScope, and no request, for any other object
//
//	c, err := scope.NewClient(clientset.MachineconfigurationV1().MachineConfigNodes(), "worker-0")
//	mcn, err := c.Get(ctx, "worker-0", metav1.GetOptions{})
//
// It has no List, Update or Delete: a daemon needs none of them.
//
// The client is defence in depth. It guards against a mistake in the daemon's own code,
// not against a hostile daemon: that takes the API server's admission. [Guard] describes
// the objects that an administrator installs for it:
//
//	err := scope.Guard{}.WriteManifests(os.Stdout) // | kubectl apply -f -
package scope
