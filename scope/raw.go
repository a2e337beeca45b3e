package scope

import (
	"context"
	"errors"
	"strconv"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/openshift/upgrademonitor/internal/validate"
)

// ErrNoREST is returned for a raw request of a client that has no REST client: see
// Client.WithREST.
var ErrNoREST = errors.New("scope: the client has no REST client for raw requests, as with a fake clientset")

const (
	acceptHeader = "Accept"
	acceptJSON   = "application/json"
	// acceptMetadata has the whole object as the second choice.
	acceptMetadata = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"
)

// WithREST returns a client that makes raw requests, too, over the REST client of a clientset:
// MachineconfigurationV1().RESTClient(). A fake clientset has none, but a nil pointer: then, and
// with a REST client of another API, the client is returned as it is.
func (c *Client) WithREST(r rest.Interface) *Client {
	if validate.IsNil(r) || r.APIVersion() != mcfgv1.GroupVersion {
		return c
	}
	with := *c
	with.rest = r
	return &with
}

// HasREST reports whether the client makes raw requests.
func (c *Client) HasREST() bool { return c.rest != nil }

// GetRaw reads the object, and returns the JSON of the API server unchanged: with the fields
// and the values that the typed client drops, or cannot decode.
func (c *Client) GetRaw(ctx context.Context, name string) ([]byte, error) {
	if err := c.checkRaw(name); err != nil {
		return nil, err
	}
	return raw(c.rest.Get().Resource(resource).Name(name).SetHeader(acceptHeader, acceptJSON).Do(ctx))
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
	if err := c.checkRaw(name); err != nil {
		return nil, err
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

func (c *Client) checkRaw(name string) error {
	if err := c.check("name", name); err != nil {
		return err
	}
	if c.rest == nil {
		return ErrNoREST
	}
	return nil
}

// raw returns the body of an answer, or the error that it is: Result.Raw alone has no Status.
func raw(result rest.Result) ([]byte, error) {
	if err := result.Error(); err != nil {
		return nil, err
	}
	return result.Raw()
}
