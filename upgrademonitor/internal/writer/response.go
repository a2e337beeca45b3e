package writer

import (
	"context"
	"encoding/json"
	"fmt"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/bounded"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// The kinds of responses.
const (
	kind         = "MachineConfigNode"
	metadataKind = "PartialObjectMetadata"
)

// response is what is wanted of the response to a write, be it an object or its metadata: what was
// sent is what is there, so the rest is known.
type response struct {
	Kind     string `json:"kind"`
	Metadata struct {
		Name            string    `json:"name"`
		UID             types.UID `json:"uid"`
		ResourceVersion string    `json:"resourceVersion"`
		Generation      int64     `json:"generation"`
	} `json:"metadata"`
	Spec struct {
		ConfigImage mcfgv1.MachineConfigNodeSpecConfigImage `json:"configImage"`
	} `json:"spec"`
	Status struct {
		ConfigImage mcfgv1.MachineConfigNodeStatusConfigImage `json:"configImage"`
	} `json:"status"`
}

// responseOf is the response of a typed client.
func responseOf(mcn *mcfgv1.MachineConfigNode) response {
	r := response{Kind: kind}
	r.Metadata.Name, r.Metadata.UID = mcn.Name, mcn.UID
	r.Metadata.ResourceVersion, r.Metadata.Generation = mcn.ResourceVersion, mcn.Generation
	r.Spec.ConfigImage, r.Status.ConfigImage = mcn.Spec.ConfigImage, mcn.Status.ConfigImage
	return r
}

// patch sends a patch for the object of the base, and checks the response.
func (w Writer) patch(ctx context.Context, base plan.State, pt types.PatchType, body any, opts metav1.PatchOptions, subresources ...string) (response, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return response{}, err
	}
	r, err := w.send(ctx, pt, data, opts, subresources)
	if err != nil {
		return response{}, err
	}
	check := w.checkWhole
	if pt == types.ApplyPatchType {
		check = w.check
	}
	if err := check(r); err != nil {
		return response{}, err
	}
	if err := checkFollows(r, base.Object); err != nil {
		return response{}, err
	}
	return r, nil
}

// checkFollows makes sure that a response is about the object that was patched, and not older, as
// one from a cache.
func checkFollows(r response, base *mcfgv1.MachineConfigNode) error {
	m := r.Metadata
	order, err := resourceversion.CompareResourceVersion(m.ResourceVersion, base.ResourceVersion)
	switch {
	case m.UID != base.UID:
		return fmt.Errorf("%w: it has UID %q, the object has %q", ErrUnexpectedResponse, m.UID, base.UID)
	case err == nil && order < 0, m.Generation < base.Generation:
		return fmt.Errorf("%w: it is older than the request: resource version %s after %s, generation %d after %d",
			ErrUnexpectedResponse, m.ResourceVersion, base.ResourceVersion, m.Generation, base.Generation)
	}
	return nil
}

// send sends a patch. Of an apply the metadata are enough: it changes nothing but what it has.
func (w Writer) send(ctx context.Context, pt types.PatchType, data []byte, opts metav1.PatchOptions, subresources []string) (response, error) {
	name := w.client.NodeName()
	if !w.client.HasREST() {
		mcn, err := bounded.Call(ctx, func() (*mcfgv1.MachineConfigNode, error) {
			return w.client.Patch(ctx, name, pt, data, opts, subresources...)
		})
		if err != nil {
			return response{}, err
		}
		return responseOf(mcn), nil
	}
	request := w.client.PatchRaw
	if pt == types.ApplyPatchType {
		request = w.client.PatchMetadata
	}
	body, err := bounded.Call(ctx, func() ([]byte, error) { return request(ctx, name, pt, data, opts, subresources...) })
	if err != nil {
		return response{}, err
	}
	var r response
	if err := json.Unmarshal(body, &r); err != nil {
		return response{}, fmt.Errorf("%w: %w", ErrUnexpectedResponse, err)
	}
	return r, nil
}

// check makes sure that a response is about the object. A fake clientset gives neither UIDs nor
// resource versions.
func (w Writer) check(r response) error {
	switch m := r.Metadata; {
	case r.Kind != kind && r.Kind != metadataKind:
		return fmt.Errorf("%w: it is of kind %q", ErrUnexpectedResponse, r.Kind)
	case m.Name != w.client.NodeName():
		return fmt.Errorf("%w: it is about an object named %q", ErrUnexpectedResponse, m.Name)
	case w.client.HasREST() && (m.UID == "" || m.ResourceVersion == ""):
		return fmt.Errorf("%w: it has no UID or no resource version", ErrUnexpectedResponse)
	}
	return nil
}

// checkWhole makes sure that a response is the whole object, and not its metadata alone.
func (w Writer) checkWhole(r response) error {
	if r.Kind != kind {
		return fmt.Errorf("%w: it is of kind %q", ErrUnexpectedResponse, r.Kind)
	}
	return w.check(r)
}
