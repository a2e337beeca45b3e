package scope

import (
	"context"
	"errors"
	"fmt"
	"strings"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgclient "github.com/openshift/client-go/machineconfiguration/clientset/versioned/typed/machineconfiguration/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openshift/upgrademonitor/internal/validate"
)

// ErrOutOfScope means that a request was not sent, because it was for an object other than the
// MachineConfigNode of this node. Test for ErrOutOfScope with errors.Is.
var ErrOutOfScope = errors.New("out of scope: a node may access only its own MachineConfigNode")

var clientPath = field.NewPath("scope", "NewClient")

// Client reads and writes the MachineConfigNode of one node. Get, Create and Patch have the
// signatures of the typed client, and return the errors of the typed client. For any other object,
// they send no request and return ErrOutOfScope. A Client is safe for concurrent use.
type Client struct {
	nodes    mcfgclient.MachineConfigNodeInterface
	nodeName string
}

// NewClient returns a Client for the MachineConfigNode of a node. It makes no request. If c is nil,
// or nodeName is not a valid name of a Node, the error is a *field.Error.
func NewClient(c mcfgclient.MachineConfigNodeInterface, nodeName string) (*Client, error) {
	if validate.IsNil(c) {
		return nil, field.Required(clientPath.Child("client"), "pass MachineconfigurationV1().MachineConfigNodes() of a clientset")
	}
	if nodeName == "" {
		return nil, field.Required(clientPath.Child("nodeName"), "pass the name of the Node that the daemon runs on")
	}
	if problems := validation.NameIsDNSSubdomain(nodeName, false); len(problems) > 0 {
		return nil, field.Invalid(clientPath.Child("nodeName"), nodeName, "this is not a valid name of a Node: "+strings.Join(problems, "; "))
	}
	return &Client{nodes: c, nodeName: nodeName}, nil
}

// NodeName returns the name of the node, which is also the name of its MachineConfigNode.
func (c *Client) NodeName() string {
	return c.nodeName
}

// Get reads the object.
func (c *Client) Get(ctx context.Context, name string, opts metav1.GetOptions) (*mcfgv1.MachineConfigNode, error) {
	if err := c.inScope("name", name); err != nil {
		return nil, err
	}
	return c.nodes.Get(ctx, name, opts)
}

// Create creates the object. metadata.name and spec.node.name must be the name of the node. The API
// server drops the status.
func (c *Client) Create(ctx context.Context, mcn *mcfgv1.MachineConfigNode, opts metav1.CreateOptions) (*mcfgv1.MachineConfigNode, error) {
	if mcn == nil {
		return nil, field.Required(field.NewPath("mcn"), "pass the MachineConfigNode to create")
	}
	if err := c.inScope("metadata.name", mcn.Name); err != nil {
		return nil, err
	}
	if err := c.inScope("spec.node.name", mcn.Spec.Node.Name); err != nil {
		return nil, err
	}
	return c.nodes.Create(ctx, mcn, opts)
}

// Patch patches the object or one of its subresources.
func (c *Client) Patch(ctx context.Context, name string, pt types.PatchType, data []byte, opts metav1.PatchOptions, subresources ...string) (*mcfgv1.MachineConfigNode, error) {
	if err := c.inScope("name", name); err != nil {
		return nil, err
	}
	return c.nodes.Patch(ctx, name, pt, data, opts, subresources...)
}

func (c *Client) inScope(what, asked string) error {
	if asked != c.nodeName {
		return fmt.Errorf("%w: %s is %q, but the name of this node is %q", ErrOutOfScope, what, asked, c.nodeName)
	}
	return nil
}
