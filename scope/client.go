package scope

import (
	"context"
	"errors"
	"fmt"
	"strings"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	mcfgclient "github.com/openshift/client-go/machineconfiguration/clientset/versioned/typed/machineconfiguration/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openshift/upgrademonitor/internal/validate"
)

// ErrOutOfScope means that the caller passed an object or a spec with the name of another node. No
// request was made. Fix the caller: a daemon may access only the MachineConfigNode of its own node.
var ErrOutOfScope = errors.New("out of scope: a node may access only its own MachineConfigNode")

// fieldValidation is Ignore, because otherwise the API server parses each write twice.
const fieldValidation = metav1.FieldValidationIgnore

// Client reads and writes the MachineConfigNode of one node. Create a Client with NewClient. Errors of
// its methods name the request and the node, and wrap ErrOutOfScope or the error of client-go. A Client is
// safe for concurrent use.
type Client struct {
	nodes        mcfgclient.MachineConfigNodeInterface
	nodeName     string
	fieldManager string
}

// NewClient returns a Client for the MachineConfigNode of a node, and makes no request. All writes
// have the given field manager, which may be empty. The clientset may be a fake clientset. If an
// argument is invalid, the error is a *field.Error.
func NewClient(clientset mcfgclientset.Interface, nodeName, fieldManager string) (*Client, error) {
	path := field.NewPath("scope", "NewClient")
	required := validate.Field{Name: "clientset", Value: clientset, Hint: "pass the machineconfiguration clientset of openshift/client-go"}
	if err := validate.Required(path, required); err != nil {
		return nil, err
	}
	if problems := validation.NameIsDNSSubdomain(nodeName, false); len(problems) > 0 {
		detail := "this is not a valid name of a Node: " + strings.Join(problems, "; ")
		return nil, field.Invalid(path.Child("nodeName"), nodeName, detail)
	}
	if errs := metav1validation.ValidateFieldManager(fieldManager, path.Child("fieldManager")); len(errs) > 0 {
		return nil, errs[0]
	}
	nodes := clientset.MachineconfigurationV1().MachineConfigNodes()
	return &Client{nodes: nodes, nodeName: nodeName, fieldManager: fieldManager}, nil
}

// Get reads the object from the API server.
func (c *Client) Get(ctx context.Context) (*mcfgv1.MachineConfigNode, error) {
	mcn, err := c.nodes.Get(ctx, c.nodeName, metav1.GetOptions{})
	return c.checked("get", mcn, err)
}

// Create creates the object with these owner references and this spec, and returns it as stored. If
// spec.node.name is not the name of the node, Create makes no request, and the error wraps
// ErrOutOfScope.
func (c *Client) Create(
	ctx context.Context, owners []metav1.OwnerReference, spec mcfgv1.MachineConfigNodeSpec,
) (*mcfgv1.MachineConfigNode, error) {
	if spec.Node.Name != c.nodeName {
		return c.checked("create", nil, fmt.Errorf("%w: spec.node.name is %q", ErrOutOfScope, spec.Node.Name))
	}
	mcn := &mcfgv1.MachineConfigNode{
		ObjectMeta: metav1.ObjectMeta{Name: c.nodeName, OwnerReferences: owners},
		Spec:       spec,
	}
	opts := metav1.CreateOptions{FieldManager: c.fieldManager, FieldValidation: fieldValidation}
	created, err := c.nodes.Create(ctx, mcn, opts)
	return c.checked("create", created, err)
}

// PatchSpec sends a JSON merge patch of the spec and the metadata, and returns the object after the
// patch. If the patch has a metadata.resourceVersion that is out of date, the object stays unchanged,
// and apierrors.IsConflict(err) is true.
func (c *Client) PatchSpec(ctx context.Context, patch []byte) (*mcfgv1.MachineConfigNode, error) {
	return c.patch(ctx, "patch spec of", patch)
}

// PatchStatus is like PatchSpec, but patches the status.
func (c *Client) PatchStatus(ctx context.Context, patch []byte) (*mcfgv1.MachineConfigNode, error) {
	return c.patch(ctx, "patch status of", patch, "status")
}

func (c *Client) patch(
	ctx context.Context, verb string, data []byte, subresources ...string,
) (*mcfgv1.MachineConfigNode, error) {
	opts := metav1.PatchOptions{FieldManager: c.fieldManager, FieldValidation: fieldValidation}
	mcn, err := c.nodes.Patch(ctx, c.nodeName, types.MergePatchType, data, opts, subresources...)
	return c.checked(verb, mcn, err)
}

// checked returns the response, or an error if the request has failed or the response is about another
// object.
func (c *Client) checked(verb string, mcn *mcfgv1.MachineConfigNode, err error) (*mcfgv1.MachineConfigNode, error) {
	if err == nil && mcn.Name != c.nodeName {
		err = fmt.Errorf("the response is about an object named %q: check the proxies in front of the API server", mcn.Name)
	}
	if err != nil {
		return nil, fmt.Errorf("%s MachineConfigNode %s: %w", verb, c.nodeName, err)
	}
	return mcn, nil
}
