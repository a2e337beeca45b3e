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
// It has no List, Watch, Update or Delete: a daemon needs none of them.
//
// The client is defence in depth. It protects against a mistake in the daemon's own code, not
// against a hostile daemon: that takes admission control. [Guard] describes the objects that an
// administrator installs for it:
//
//	err := scope.Guard{}.WriteManifests(os.Stdout) // | kubectl apply -f -
package scope

import (
	mcfgclient "github.com/openshift/client-go/machineconfiguration/clientset/versioned/typed/machineconfiguration/v1"

	"github.com/openshift/upgrademonitor/internal/scoped"
	"github.com/openshift/upgrademonitor/scope/guard"
)

// Client reads and writes the MachineConfigNode of one node. Its methods Get, Create and Patch have
// the signatures of the typed client and return its errors; NodeName returns the name. A request for any other object is not sent and
// returns ErrOutOfScope. A Client is safe for concurrent use.
type Client = scoped.Client

// ErrOutOfScope is returned for a request, or a Node, that is for another object than the
// MachineConfigNode of this node. No request was made. Test for it with errors.Is.
var ErrOutOfScope = scoped.ErrOutOfScope

// Guard describes the objects that restrict the daemon of each node to the MachineConfigNode of
// its node: see package guard.
type Guard = guard.Guard

// NewClient returns a client for the object of the named node. It makes no request. A nil
// client, and a name that is not a valid name of a Node, are a *field.Error.
func NewClient(c mcfgclient.MachineConfigNodeInterface, nodeName string) (*Client, error) {
	return scoped.NewClient(c, nodeName)
}
