// Package scope restricts a node to its own MachineConfigNode.
//
// A [Client] makes all requests of a daemon for MachineConfigNodes. No method takes a name, and
// each response is checked to be about the node's object:
//
//	Monitor ──► scope.Client ──► API server
//
//	c, err := scope.NewClient(clientset, "worker-0", "machine-config-operator")
//	mcn, err := c.Get(ctx)
//	meta, err := c.PatchStatus(ctx, patch)
//
// Client has no List, Watch, Update or Delete, because a daemon does not need these methods.
//
// The client is defense in depth: it catches mistakes in the daemon's own code. The admission
// policies of package guard also stop a hostile daemon.
package scope
