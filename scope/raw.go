package scope

import (
	"context"
	"encoding/json"
	"strconv"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/openshift/upgrademonitor/internal/validate"
)

const (
	kind         = "MachineConfigNode"
	acceptHeader = "Accept"
	acceptJSON   = "application/json"
	// acceptMetadata has the whole object as the second choice.
	acceptMetadata = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"
)

// WithREST returns a client whose raw requests are made over the REST client of a clientset:
// MachineconfigurationV1().RESTClient(). A fake clientset has none, but a nil pointer: then, and
// with a REST client of another API, the typed client makes them.
func (c *Client) WithREST(r rest.Interface) *Client {
	if validate.IsNil(r) || r.APIVersion() != mcfgv1.GroupVersion {
		return c
	}
	with := *c
	with.rest = r
	return &with
}

// IsFake reports whether the client has no REST client, as with a fake clientset: objects may have
// neither a UID nor a resourceVersion then.
func (c *Client) IsFake() bool { return c.rest == nil }

// GetRaw reads the object, and returns the JSON of the API server unchanged: with the fields
// and the values that the typed client drops, or cannot decode.
func (c *Client) GetRaw(ctx context.Context, name string) ([]byte, error) {
	if err := c.inScope("name", name); err != nil {
		return nil, err
	}
	if c.rest == nil {
		return typed(ctx, func() (*mcfgv1.MachineConfigNode, error) { return c.nodes.Get(ctx, name, metav1.GetOptions{}) })
	}
	return raw(c.rest.Get().Resource(resource).Name(name).SetHeader(acceptHeader, acceptJSON).Do(ctx))
}

// CreateRaw creates the object as Create does, and returns it as GetRaw does.
func (c *Client) CreateRaw(ctx context.Context, mcn *mcfgv1.MachineConfigNode, opts metav1.CreateOptions) ([]byte, error) {
	return typed(ctx, func() (*mcfgv1.MachineConfigNode, error) { return c.Create(ctx, mcn, opts) })
}

// PatchRaw patches the object or one of its subresources, and returns it as GetRaw does.
func (c *Client) PatchRaw(ctx context.Context, name string, pt types.PatchType, data []byte, opts metav1.PatchOptions, subresources ...string) ([]byte, error) {
	return c.patchRaw(ctx, name, pt, data, opts, acceptJSON, subresources)
}

// PatchMetadata is PatchRaw with an answer that has the metadata only, if the API server knows
// how to: half the bytes.
func (c *Client) PatchMetadata(ctx context.Context, name string, pt types.PatchType, data []byte, opts metav1.PatchOptions, subresources ...string) ([]byte, error) {
	return c.patchRaw(ctx, name, pt, data, opts, acceptMetadata, subresources)
}

func (c *Client) patchRaw(ctx context.Context, name string, pt types.PatchType, data []byte, opts metav1.PatchOptions, accept string, subresources []string) ([]byte, error) {
	if err := c.inScope("name", name); err != nil {
		return nil, err
	}
	if c.rest == nil {
		return typed(ctx, func() (*mcfgv1.MachineConfigNode, error) {
			return c.nodes.Patch(ctx, name, pt, data, opts, subresources...)
		})
	}
	request := c.rest.Patch(pt).Resource(resource).Name(name).SubResource(subresources...).SetHeader(acceptHeader, accept).Body(data)
	return raw(withOptions(request, opts).Do(ctx))
}

// withOptions adds the options to the query as VersionedParams does, in half the memory.
func withOptions(request *rest.Request, opts metav1.PatchOptions) *rest.Request {
	for _, value := range opts.DryRun {
		request.Param("dryRun", value)
	}
	if opts.FieldManager != "" {
		request.Param("fieldManager", opts.FieldManager)
	}
	if opts.FieldValidation != "" {
		request.Param("fieldValidation", opts.FieldValidation)
	}
	if opts.Force != nil {
		request.Param("force", strconv.FormatBool(*opts.Force))
	}
	return request
}

// raw returns the body of an answer, or the error that it is: Result.Raw alone has no Status.
func raw(result rest.Result) ([]byte, error) {
	if err := result.Error(); err != nil {
		return nil, err
	}
	return result.Raw()
}

// typed encodes what a typed client returns. It returns when ctx ends: the reactors of a fake
// clientset do not get it.
func typed(ctx context.Context, call func() (*mcfgv1.MachineConfigNode, error)) ([]byte, error) {
	type answer struct {
		data []byte
		err  error
	}
	answers := make(chan answer, 1)
	go func() {
		mcn, err := call()
		if err != nil {
			answers <- answer{err: err}
			return
		}
		object := *mcn
		object.APIVersion, object.Kind = mcfgv1.GroupVersion.String(), kind
		data, err := json.Marshal(&object)
		answers <- answer{data, err}
	}()
	select {
	case a := <-answers:
		return a.data, a.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
