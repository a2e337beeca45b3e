package planner

import (
	"encoding/json"
	"fmt"

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
		"conditions":         encoded(next.Conditions, r.Base.Foreign),
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

// condition is a condition in a patch. Its time hides that of the metav1.Condition, which would encode year 1,
// the zero time, to null. The CRD accepts year 1 from other clients.
type condition struct {
	metav1.Condition
	LastTransitionTime string `json:"lastTransitionTime"`
}

func encoded(lists ...[]metav1.Condition) []condition {
	all := []condition{}
	for _, list := range lists {
		for _, c := range list {
			all = append(all, condition{c, writable(c.LastTransitionTime).UTC().Format("2006-01-02T15:04:05Z")})
		}
	}
	return all
}

// The first and the last time that RFC 3339 has, in UTC. The CRD accepts other times from clients in other zones.
var firstTime, lastTime = metav1.Unix(-62167219200, 0), metav1.Unix(253402300799, 0) // of the years 0 and 9999

// writable returns the nearest time that RFC 3339 has in UTC.
func writable(t metav1.Time) metav1.Time {
	switch {
	case t.Unix() < firstTime.Unix():
		return firstTime
	case t.Unix() > lastTime.Unix():
		return lastTime
	}
	return t
}

// ReplacedTime returns an error that names a condition whose time the patch of a status replaces, or nil.
func (r Request) ReplacedTime() error {
	for _, list := range [][]metav1.Condition{r.Next.Status.Conditions, r.Base.Foreign} {
		for _, c := range list {
			if w := writable(c.LastTransitionTime); w != c.LastTransitionTime {
				return fmt.Errorf("no client can write the lastTransitionTime %v of %s: it becomes %v", c.LastTransitionTime, c.Type, w)
			}
		}
	}
	return nil
}
