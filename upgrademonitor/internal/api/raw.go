package api

import (
	"context"
	"encoding/json"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/openshift/upgrademonitor/internal/scoped"
	"github.com/openshift/upgrademonitor/internal/validate"
)

const (
	resource     = "machineconfignodes"
	acceptHeader = "Accept"
	acceptJSON   = "application/json"
	// acceptMetadata has the whole object as the second choice.
	acceptMetadata = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"
)

// raw reads and patches the JSON of the object of one node, and returns it as the API server sent
// it: with the fields and the values that the typed client drops, or cannot decode. No request can
// name another object.
type raw struct {
	*scoped.Client
	rest rest.Interface // nil for a fake clientset
}

// newRaw returns a raw client over the REST client of a clientset. A fake clientset has none, but a
// nil pointer: then, and with a REST client of another API, the typed client makes the requests.
func newRaw(client *scoped.Client, r rest.Interface) raw {
	if validate.IsNil(r) || r.APIVersion() != mcfgv1.GroupVersion {
		r = nil
	}
	return raw{Client: client, rest: r}
}

// isFake reports whether the client has no REST client, as with a fake clientset: objects may have
// neither a UID nor a resourceVersion then.
func (c raw) isFake() bool { return c.rest == nil }

func (c raw) get(ctx context.Context) ([]byte, error) {
	if c.isFake() {
		return typed(c.Get(ctx, c.NodeName(), metav1.GetOptions{}))
	}
	return body(c.rest.Get().Resource(resource).Name(c.NodeName()).SetHeader(acceptHeader, acceptJSON).Do(ctx))
}

// patch sends a merge patch. It sets the options in the query as VersionedParams does, in half the
// memory.
func (c raw) patch(ctx context.Context, data []byte, fieldManager, accept string, subresources ...string) ([]byte, error) {
	if c.isFake() {
		opts := metav1.PatchOptions{FieldManager: fieldManager, FieldValidation: fieldValidation}
		return typed(c.Patch(ctx, c.NodeName(), types.MergePatchType, data, opts, subresources...))
	}
	return body(c.rest.Patch(types.MergePatchType).Resource(resource).Name(c.NodeName()).SubResource(subresources...).
		Param("fieldManager", fieldManager).Param("fieldValidation", fieldValidation).
		SetHeader(acceptHeader, accept).Body(data).Do(ctx))
}

// body returns the body of an answer, or the error that it is: Result.Raw alone has no Status.
func body(result rest.Result) ([]byte, error) {
	if err := result.Error(); err != nil {
		return nil, err
	}
	return result.Raw()
}

// typed encodes what the typed client returns.
func typed(mcn *mcfgv1.MachineConfigNode, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	object := *mcn
	object.APIVersion, object.Kind = mcfgv1.GroupVersion.String(), kind
	return json.Marshal(&object)
}
