package scope

import (
	"context"
	"encoding/json"
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
	"k8s.io/client-go/rest"

	"github.com/openshift/upgrademonitor/internal/validate"
)

// ErrOutOfScope means that the caller passed an object or a spec with the name of another node. No
// request was made. Fix the caller: a daemon may access only the MachineConfigNode of its own node.
var ErrOutOfScope = errors.New("out of scope: a node may access only its own MachineConfigNode")

// ErrUnexpectedResponse means that a response is about another object, has no UID or no
// resourceVersion, or cannot be decoded. Such a response does not come from the API server. A write
// may have taken effect, or not: read the object before the next write. If the error persists,
// check the proxies between this process and the API server.
var ErrUnexpectedResponse = errors.New("unexpected response")

const (
	resource = "machineconfignodes"
	// acceptMetadata requests a response with only the metadata, because the sender of a patch knows
	// the other fields.
	acceptMetadata = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"
	// fieldValidation is Ignore, because otherwise the API server parses each write twice.
	fieldValidation = metav1.FieldValidationIgnore
)

// Client reads and writes the MachineConfigNode of one node. Create a Client with NewClient. Errors of
// its methods name the request and the node, and wrap the error of client-go, ErrOutOfScope or
// ErrUnexpectedResponse. A Client is safe for concurrent use.
type Client struct {
	nodes        mcfgclient.MachineConfigNodeInterface
	rest         rest.Interface // nil for a fake clientset
	nodeName     string
	fieldManager string
}

// NewClient returns a Client for the MachineConfigNode of a node, and makes no request. All writes
// have the given field manager, which may be empty. The clientset may be a fake clientset. If an
// argument is invalid, the error is a *field.Error.
func NewClient(clientset mcfgclientset.Interface, nodeName, fieldManager string) (*Client, error) {
	path := field.NewPath("scope", "NewClient")
	if validate.IsNil(clientset) {
		detail := "pass the machineconfiguration clientset of openshift/client-go"
		return nil, field.Required(path.Child("clientset"), detail)
	}
	if problems := validation.NameIsDNSSubdomain(nodeName, false); len(problems) > 0 {
		detail := "this is not a valid name of a Node: " + strings.Join(problems, "; ")
		return nil, field.Invalid(path.Child("nodeName"), nodeName, detail)
	}
	if errs := metav1validation.ValidateFieldManager(fieldManager, path.Child("fieldManager")); len(errs) > 0 {
		return nil, errs[0]
	}
	group := clientset.MachineconfigurationV1()
	c := &Client{nodes: group.MachineConfigNodes(), nodeName: nodeName, fieldManager: fieldManager}
	if r := group.RESTClient(); !validate.IsNil(r) {
		c.rest = r
	}
	return c, nil
}

// Get reads the object from the API server.
func (c *Client) Get(ctx context.Context) (*mcfgv1.MachineConfigNode, error) {
	mcn, err := c.nodes.Get(ctx, c.nodeName, metav1.GetOptions{})
	return checked(c, "get", mcn, err)
}

// Create creates the object with these owner references and this spec, and returns it as stored. If
// spec.node.name is not the name of the node, Create makes no request, and the error wraps
// ErrOutOfScope.
func (c *Client) Create(
	ctx context.Context, owners []metav1.OwnerReference, spec mcfgv1.MachineConfigNodeSpec,
) (*mcfgv1.MachineConfigNode, error) {
	if spec.Node.Name != c.nodeName {
		return nil, c.failed("create", fmt.Errorf("%w: spec.node.name is %q", ErrOutOfScope, spec.Node.Name))
	}
	mcn := &mcfgv1.MachineConfigNode{
		ObjectMeta: metav1.ObjectMeta{Name: c.nodeName, OwnerReferences: owners},
		Spec:       spec,
	}
	opts := metav1.CreateOptions{FieldManager: c.fieldManager, FieldValidation: fieldValidation}
	created, err := c.nodes.Create(ctx, mcn, opts)
	return checked(c, "create", created, err)
}

// PatchSpec sends a JSON merge patch of the spec and the metadata. It returns the metadata of the
// object after the patch. If the patch has a metadata.resourceVersion that is out of date, the object
// stays unchanged, and apierrors.IsConflict(err) is true.
func (c *Client) PatchSpec(ctx context.Context, patch []byte) (*metav1.PartialObjectMetadata, error) {
	response, err := c.patch(ctx, patch)
	return checked(c, "patch spec of", response, err)
}

// PatchStatus is like PatchSpec, but patches the status.
func (c *Client) PatchStatus(ctx context.Context, patch []byte) (*metav1.PartialObjectMetadata, error) {
	response, err := c.patch(ctx, patch, "status")
	return checked(c, "patch status of", response, err)
}

// patch requests a response that has only the metadata. A fake clientset has no REST client, and
// responds with the whole object.
func (c *Client) patch(
	ctx context.Context, data []byte, subresources ...string,
) (*metav1.PartialObjectMetadata, error) {
	if c.rest == nil {
		opts := metav1.PatchOptions{FieldManager: c.fieldManager, FieldValidation: fieldValidation}
		mcn, err := c.nodes.Patch(ctx, c.nodeName, types.MergePatchType, data, opts, subresources...)
		if err != nil {
			return nil, err
		}
		return &metav1.PartialObjectMetadata{ObjectMeta: mcn.ObjectMeta}, nil
	}
	result := c.rest.Patch(types.MergePatchType).
		Resource(resource).
		Name(c.nodeName).
		SubResource(subresources...).
		Param("fieldManager", c.fieldManager).
		Param("fieldValidation", fieldValidation).
		SetHeader("Accept", acceptMetadata).
		Body(data).
		Do(ctx)
	if err := result.Error(); err != nil { // the error of result.Raw lacks the Status of the API server
		return nil, err
	}
	body, _ := result.Raw()
	response := &metav1.PartialObjectMetadata{}
	if err := json.Unmarshal(body, response); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnexpectedResponse, err)
	}
	return response, nil
}

// checked returns the response. It returns an error if the request has failed (err), or if the
// response is about another object, or lacks the UID or the resourceVersion. The response of a fake
// clientset may lack both.
func checked[T metav1.Object](c *Client, verb string, response T, err error) (T, error) {
	if err == nil {
		err = c.check(response)
	}
	if err != nil {
		var none T
		return none, c.failed(verb, err)
	}
	return response, nil
}

func (c *Client) check(response metav1.Object) error {
	switch {
	case response.GetName() != c.nodeName:
		return fmt.Errorf("%w: it is about an object named %q", ErrUnexpectedResponse, response.GetName())
	case c.rest != nil && (response.GetUID() == "" || response.GetResourceVersion() == ""):
		return fmt.Errorf("%w: it has no UID or no resourceVersion", ErrUnexpectedResponse)
	}
	return nil
}

func (c *Client) failed(verb string, err error) error {
	return fmt.Errorf("%s MachineConfigNode %s: %w", verb, c.nodeName, err)
}
