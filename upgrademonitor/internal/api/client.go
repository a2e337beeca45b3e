package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/openshift/upgrademonitor/internal/validate"
	"github.com/openshift/upgrademonitor/scope"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/core"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// ErrUnexpectedResponse means that a response is not from the API server, or is about another
// object, for example because of a broken proxy. The request may or may not have taken effect.
var ErrUnexpectedResponse = errors.New("unexpected response")

const (
	resource = "machineconfignodes"
	// acceptMetadata requests a response with only the metadata, because core knows the other fields.
	acceptMetadata = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"
	// fieldValidation is Ignore, because otherwise the API server parses each write twice.
	fieldValidation = metav1.FieldValidationIgnore
)

// Client makes the requests for one object. It is immutable, and safe for concurrent use.
type Client struct {
	scope        *scope.Client
	rest         rest.Interface // nil for a fake clientset
	fieldManager string
}

// New returns a Client. r is MachineconfigurationV1().RESTClient() of the clientset. Patches use r
// to request a response with only the metadata. For a fake clientset, r is a nil pointer, and
// patches use the typed client.
func New(client *scope.Client, r rest.Interface, fieldManager string) Client {
	if validate.IsNil(r) || r.APIVersion() != mcfgv1.GroupVersion {
		r = nil
	}
	return Client{scope: client, rest: r, fieldManager: fieldManager}
}

var verbs = map[core.Verb]string{core.Get: "get", core.Create: "create", core.PatchSpec: "patch spec", core.PatchStatus: "patch status"}

// Do makes a request. Result.Err names the request.
func (c Client) Do(ctx context.Context, r core.Request) core.Result {
	var o core.Object
	var err error
	switch r.Verb {
	case core.Get:
		o, err = c.object(c.scope.Get(ctx, c.scope.NodeName(), metav1.GetOptions{}))
	case core.Create:
		o, err = c.create(ctx, r.Node)
	case core.PatchSpec:
		o, err = c.patch(ctx, r.Base, specPatch(r))
	case core.PatchStatus:
		o, err = c.patch(ctx, r.Base, statusPatch(r), "status")
	}
	if err != nil {
		return core.Result{Outcome: apierr.Classify(err), Err: fmt.Errorf("%s MachineConfigNode %s: %w", verbs[r.Verb], c.scope.NodeName(), err)}
	}
	return core.Result{Object: o}
}

// object converts and checks a response of the typed client.
func (c Client) object(mcn *mcfgv1.MachineConfigNode, err error) (core.Object, error) {
	if err != nil {
		return core.Object{}, err
	}
	return FromTyped(mcn), c.check(metadataOf(mcn))
}

// create creates the object for a Node, without a status, which the API server would drop.
func (c Client) create(ctx context.Context, node plan.Node) (core.Object, error) {
	created := plan.State{}.Sync(node)
	return c.object(c.scope.Create(ctx, &mcfgv1.MachineConfigNode{
		ObjectMeta: metav1.ObjectMeta{Name: c.scope.NodeName(), OwnerReferences: created.Owners},
		Spec:       created.Spec,
	}, metav1.CreateOptions{FieldManager: c.fieldManager, FieldValidation: fieldValidation}))
}

// patch sends a merge patch, and returns the metadata of the object after the patch.
func (c Client) patch(ctx context.Context, base core.Object, body patch, subresources ...string) (core.Object, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return core.Object{}, err
	}
	meta, err := c.send(ctx, data, subresources...)
	if err != nil {
		return core.Object{}, err
	}
	if err := c.check(meta); err != nil {
		return core.Object{}, err
	}
	if meta.UID != base.UID {
		return core.Object{}, fmt.Errorf("%w: the response has UID %q, but the object has UID %q", ErrUnexpectedResponse, meta.UID, base.UID)
	}
	return core.Object{UID: meta.UID, ResourceVersion: meta.ResourceVersion, State: plan.State{Generation: meta.Generation}}, nil
}

func (c Client) send(ctx context.Context, data []byte, subresources ...string) (metadata, error) {
	if c.rest == nil {
		opts := metav1.PatchOptions{FieldManager: c.fieldManager, FieldValidation: fieldValidation}
		mcn, err := c.scope.Patch(ctx, c.scope.NodeName(), types.MergePatchType, data, opts, subresources...)
		if err != nil {
			return metadata{}, err
		}
		return metadataOf(mcn), nil
	}
	result := c.rest.Patch(types.MergePatchType).Resource(resource).Name(c.scope.NodeName()).SubResource(subresources...).
		Param("fieldManager", c.fieldManager).Param("fieldValidation", fieldValidation).
		SetHeader("Accept", acceptMetadata).Body(data).Do(ctx)
	if err := result.Error(); err != nil { // the error of result.Raw lacks the Status of the API server
		return metadata{}, err
	}
	response, err := result.Raw()
	if err != nil {
		return metadata{}, err
	}
	var partial struct{ Metadata metadata }
	if err := json.Unmarshal(response, &partial); err != nil {
		return metadata{}, fmt.Errorf("%w: %w", ErrUnexpectedResponse, err)
	}
	return partial.Metadata, nil
}

// metadata has the fields that are read from the response to a patch. Other fields are not decoded.
type metadata struct {
	Name            string
	UID             types.UID
	ResourceVersion string
	Generation      int64
}

func metadataOf(mcn *mcfgv1.MachineConfigNode) metadata {
	return metadata{mcn.Name, mcn.UID, mcn.ResourceVersion, mcn.Generation}
}

// check returns an error if a response is not about the object. Objects of a fake clientset may
// lack a UID and a resourceVersion.
func (c Client) check(m metadata) error {
	switch {
	case m.Name != c.scope.NodeName():
		return fmt.Errorf("%w: the response is about an object named %q", ErrUnexpectedResponse, m.Name)
	case c.rest != nil && (m.UID == "" || m.ResourceVersion == ""):
		return fmt.Errorf("%w: the response has no UID or no resourceVersion", ErrUnexpectedResponse)
	}
	return nil
}
