// Package scope restricts the daemon of a node to the MachineConfigNode of that node.
//
// A [Client] reads and writes one MachineConfigNode, which has the name of the node. No method takes
// a name, and a response about another object is an error. The Monitor of package upgrademonitor
// makes all requests through a Client:
//
//	Monitor ──► scope.Client ──► API server
//
//	c, err := scope.NewClient(clientset, "worker-0", "machine-config-operator")
//	mcn, err := c.Get(ctx)
//	mcn, err = c.PatchStatus(ctx, patch)
//
// Client has no List, Watch, Update or Delete, because a daemon does not need these methods.
//
// A Client catches mistakes in the code of a daemon. To stop hostile code, install the admission
// policies of package scope/guard.
package scope
