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
// It has no List, Update or Delete: a daemon needs none of them. With the REST client of the
// clientset ([Client.WithREST]) it also reads and patches JSON, for what others have written in
// the same object: the typed client drops what it does not know.
//
// The client is defence in depth. It protects against a mistake in the daemon's own code, not
// against a hostile daemon: that takes admission control. [Guard] describes the objects that an
// administrator installs for it:
//
//	err := scope.Guard{}.WriteManifests(os.Stdout) // | kubectl apply -f -
//
// [Operator] describes the roles of the operator's controllers.
package scope
