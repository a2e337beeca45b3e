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

// The kinds of answers.
const (
	kind         = "MachineConfigNode"
	metadataKind = "PartialObjectMetadata"
)

// answer is what is wanted of the answer to a write, be it an object or its metadata: what was
// sent is what is there, so the rest is known.
type answer struct {
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

// answerOf is the answer of a typed client.
func answerOf(mcn *mcfgv1.MachineConfigNode) answer {
	a := answer{Kind: kind}
	a.Metadata.Name, a.Metadata.UID = mcn.Name, mcn.UID
	a.Metadata.ResourceVersion, a.Metadata.Generation = mcn.ResourceVersion, mcn.Generation
	a.Spec.ConfigImage, a.Status.ConfigImage = mcn.Spec.ConfigImage, mcn.Status.ConfigImage
	return a
}

// patch sends a patch for the object of the base, and checks the answer.
func (w Writer) patch(ctx context.Context, base plan.State, pt types.PatchType, body any, opts metav1.PatchOptions, subresources ...string) (answer, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return answer{}, err
	}
	a, err := w.send(ctx, pt, data, opts, subresources)
	if err != nil {
		return answer{}, err
	}
	check := w.checkWhole
	if pt == types.ApplyPatchType {
		check = w.check
	}
	if err := check(a); err != nil {
		return answer{}, err
	}
	if err := checkFollows(a, base.Object); err != nil {
		return answer{}, err
	}
	return a, nil
}

// checkFollows makes sure that an answer is about the object that was patched, and not older, as
// one from a cache.
func checkFollows(a answer, base *mcfgv1.MachineConfigNode) error {
	m := a.Metadata
	order, err := resourceversion.CompareResourceVersion(m.ResourceVersion, base.ResourceVersion)
	switch {
	case m.UID != base.UID:
		return fmt.Errorf("%w: it has UID %q, the object has %q", ErrUnexpectedAnswer, m.UID, base.UID)
	case err == nil && order < 0, m.Generation < base.Generation:
		return fmt.Errorf("%w: it is older than the request: resource version %s after %s, generation %d after %d",
			ErrUnexpectedAnswer, m.ResourceVersion, base.ResourceVersion, m.Generation, base.Generation)
	}
	return nil
}

// send sends a patch. Of an apply the metadata are enough: it changes nothing but what it has.
func (w Writer) send(ctx context.Context, pt types.PatchType, data []byte, opts metav1.PatchOptions, subresources []string) (answer, error) {
	name := w.client.NodeName()
	if !w.client.HasREST() {
		mcn, err := bounded.Call(ctx, func() (*mcfgv1.MachineConfigNode, error) {
			return w.client.Patch(ctx, name, pt, data, opts, subresources...)
		})
		if err != nil {
			return answer{}, err
		}
		return answerOf(mcn), nil
	}
	request := w.client.PatchRaw
	if pt == types.ApplyPatchType {
		request = w.client.PatchMetadata
	}
	body, err := bounded.Call(ctx, func() ([]byte, error) { return request(ctx, name, pt, data, opts, subresources...) })
	if err != nil {
		return answer{}, err
	}
	var a answer
	if err := json.Unmarshal(body, &a); err != nil {
		return answer{}, fmt.Errorf("%w: %w", ErrUnexpectedAnswer, err)
	}
	return a, nil
}

// check makes sure that an answer is about the object. A fake clientset gives neither UIDs nor
// resource versions.
func (w Writer) check(a answer) error {
	switch m := a.Metadata; {
	case a.Kind != kind && a.Kind != metadataKind:
		return fmt.Errorf("%w: it is of kind %q", ErrUnexpectedAnswer, a.Kind)
	case m.Name != w.client.NodeName():
		return fmt.Errorf("%w: it is about an object named %q", ErrUnexpectedAnswer, m.Name)
	case w.client.HasREST() && (m.UID == "" || m.ResourceVersion == ""):
		return fmt.Errorf("%w: it has no UID or no resource version", ErrUnexpectedAnswer)
	}
	return nil
}

// checkWhole makes sure that an answer is the whole object, and not its metadata alone.
func (w Writer) checkWhole(a answer) error {
	if a.Kind != kind {
		return fmt.Errorf("%w: it is of kind %q", ErrUnexpectedAnswer, a.Kind)
	}
	return w.check(a)
}
