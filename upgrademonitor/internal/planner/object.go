package planner

import (
	"encoding/json"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/phases"
)

// Object is one version of a MachineConfigNode. It is immutable.
type Object struct {
	UID             types.UID
	ResourceVersion string
	State
	// Foreign has the conditions whose types are not phases. Other clients write them.
	Foreign []metav1.Condition
}

// FromTyped converts an object of a typed client or an informer. The result shares memory with mcn.
func FromTyped(mcn *mcfgv1.MachineConfigNode) Object {
	o := Object{UID: mcn.UID, ResourceVersion: mcn.ResourceVersion, State: State{
		Generation: mcn.Generation,
		Owners:     mcn.OwnerReferences,
		Spec:       mcn.Spec,
		Status: mcfgv1.MachineConfigNodeStatus{
			ObservedGeneration: mcn.Status.ObservedGeneration,
			ConfigVersion:      mcn.Status.ConfigVersion,
			ConfigImage:        mcn.Status.ConfigImage,
			PinnedImageSets:    mcn.Status.PinnedImageSets,
		},
	}}
	for _, c := range mcn.Status.Conditions {
		if phases.KindOf(phases.Phase(c.Type)) == "" {
			o.Foreign = append(o.Foreign, c)
		} else {
			o.Status.Conditions = append(o.Status.Conditions, c)
		}
	}
	return o
}

// fields has the fields of a merge patch. The value nil removes a field.
type fields map[string]any

// Patch returns the JSON merge patch of a request PatchSpec or PatchStatus. A merge patch replaces a
// whole list, so it contains all conditions, including the conditions of other clients. It also contains
// the UID and the resourceVersion of the object that it was computed from. If another client has written
// the object in the meantime, the patch fails with a 409, and reverts nothing.
func (r Request) Patch() ([]byte, error) {
	metadata := fields{"uid": r.Base.UID, "resourceVersion": orNil(r.Base.ResourceVersion)}
	patch := fields{"metadata": metadata}
	if r.Verb == PatchSpec {
		metadata["ownerReferences"] = r.Next.Owners
		patch["spec"] = fields{
			"node":          r.Next.Spec.Node,
			"pool":          r.Next.Spec.Pool,
			"configVersion": r.Next.Spec.ConfigVersion,
			"configImage":   orNil(r.Next.Spec.ConfigImage),
		}
		return json.Marshal(patch)
	}
	next := r.Next.Status
	status := fields{
		"conditions":         append(append([]metav1.Condition{}, next.Conditions...), r.Base.Foreign...),
		"observedGeneration": orNil(next.ObservedGeneration),
		"configImage":        nil,
		"pinnedImageSets":    next.PinnedImageSets, // nil encodes to null
	}
	if v := next.ConfigVersion; v != nil {
		status["configVersion"] = fields{"current": orNil(v.Current), "desired": v.Desired}
	}
	if next.ConfigImage != (mcfgv1.MachineConfigNodeStatusConfigImage{}) {
		status["configImage"] = fields{
			"currentImage": orNil(next.ConfigImage.CurrentImage),
			"desiredImage": orNil(next.ConfigImage.DesiredImage),
		}
	}
	patch["status"] = status
	return json.Marshal(patch)
}

// orNil returns nil for an empty value, because the CRD does not accept empty values.
func orNil[T comparable](value T) any {
	if value == *new(T) {
		return nil
	}
	return value
}
