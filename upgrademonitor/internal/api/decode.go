package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/core"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// ErrUnexpectedAnswer means that an answer is not one of the API server about this object, as a
// broken proxy gives it. Whether the request took effect is not known.
var ErrUnexpectedAnswer = errors.New("unexpected answer to the request")

const (
	kind         = "MachineConfigNode"
	metadataKind = "PartialObjectMetadata"
)

// encoded is a MachineConfigNode as far as it is decoded.
type encoded struct {
	Kind     string `json:"kind"`
	Metadata struct {
		encodedMetadata
		CreationTimestamp metav1.Time             `json:"creationTimestamp"`
		OwnerReferences   []metav1.OwnerReference `json:"ownerReferences"`
	} `json:"metadata"`
	Spec   mcfgv1.MachineConfigNodeSpec `json:"spec"`
	Status struct {
		Conditions         []json.RawMessage                                   `json:"conditions"`
		ObservedGeneration int64                                               `json:"observedGeneration"`
		ConfigVersion      *mcfgv1.MachineConfigNodeStatusMachineConfigVersion `json:"configVersion"`
		ConfigImage        mcfgv1.MachineConfigNodeStatusConfigImage           `json:"configImage"`
		PinnedImageSets    []encodedImageSet                                   `json:"pinnedImageSets"`
	} `json:"status"`
}

// encodedImageSet has the numbers that an API server before Kubernetes 1.36 accepts: it ignores the
// format int32 of a CRD.
type encodedImageSet struct {
	mcfgv1.MachineConfigNodeStatusPinnedImageSet
	CurrentGeneration    int64 `json:"currentGeneration"`
	DesiredGeneration    int64 `json:"desiredGeneration"`
	LastFailedGeneration int64 `json:"lastFailedGeneration"`
}

// encodedMetadata is what every answer is believed for.
type encodedMetadata struct {
	Name            string    `json:"name"`
	UID             types.UID `json:"uid"`
	ResourceVersion string    `json:"resourceVersion"`
	Generation      int64     `json:"generation"`
}

// decode decodes an answer with the whole object.
func (c Client) decode(data []byte) (core.Object, error) {
	var e encoded
	if err := utiljson.Unmarshal(data, &e); err != nil {
		return core.Object{}, fmt.Errorf("%w: %w", ErrUnexpectedAnswer, err)
	}
	if e.Kind != kind {
		return core.Object{}, fmt.Errorf("%w: it is of kind %q", ErrUnexpectedAnswer, e.Kind)
	}
	o := core.Object{UID: e.Metadata.UID, ResourceVersion: e.Metadata.ResourceVersion, State: plan.State{
		Generation: e.Metadata.Generation,
		Owners:     e.Metadata.OwnerReferences,
		Spec:       e.Spec,
		Status: mcfgv1.MachineConfigNodeStatus{
			ObservedGeneration: e.Status.ObservedGeneration,
			ConfigVersion:      e.Status.ConfigVersion,
			ConfigImage:        e.Status.ConfigImage,
		},
	}}
	for _, encoded := range e.Status.PinnedImageSets {
		set := encoded.MachineConfigNodeStatusPinnedImageSet
		set.CurrentGeneration = generation(encoded.CurrentGeneration)
		set.DesiredGeneration = generation(encoded.DesiredGeneration)
		set.LastFailedGeneration = generation(encoded.LastFailedGeneration)
		o.Status.PinnedImageSets = append(o.Status.PinnedImageSets, set)
	}
	for _, data := range e.Status.Conditions {
		var condition struct {
			metav1.Condition
			LastTransitionTime string `json:"lastTransitionTime"` // one that Go cannot parse is no error
		}
		if err := json.Unmarshal(data, &condition); err != nil {
			return core.Object{}, fmt.Errorf("%w: %w", ErrUnexpectedAnswer, err)
		}
		if phases.KindOf(phases.Phase(condition.Type)) == "" {
			o.Foreign = append(o.Foreign, data)
			continue
		}
		condition.Condition.LastTransitionTime = parseTime(condition.LastTransitionTime, e.Metadata.CreationTimestamp)
		o.Status.Conditions = append(o.Status.Conditions, condition.Condition)
	}
	return o, c.check(e.Metadata.encodedMetadata)
}

// decodeMetadata decodes an answer of which the metadata are enough.
func (c Client) decodeMetadata(data []byte) (core.Object, error) {
	var e struct {
		Kind     string          `json:"kind"`
		Metadata encodedMetadata `json:"metadata"`
	}
	if err := json.Unmarshal(data, &e); err != nil {
		return core.Object{}, fmt.Errorf("%w: %w", ErrUnexpectedAnswer, err)
	}
	if e.Kind != kind && e.Kind != metadataKind {
		return core.Object{}, fmt.Errorf("%w: it is of kind %q", ErrUnexpectedAnswer, e.Kind)
	}
	o := core.Object{UID: e.Metadata.UID, ResourceVersion: e.Metadata.ResourceVersion}
	o.Generation = e.Metadata.Generation
	return o, c.check(e.Metadata)
}

// check makes sure that an answer is about the object.
func (c Client) check(m encodedMetadata) error {
	switch {
	case m.Name != c.raw.NodeName():
		return fmt.Errorf("%w: it is about an object named %q", ErrUnexpectedAnswer, m.Name)
	case !c.raw.isFake() && (m.UID == "" || m.ResourceVersion == ""):
		return fmt.Errorf("%w: it has no UID or no resourceVersion", ErrUnexpectedAnswer)
	}
	return nil
}

// checkAnswer makes sure that the answer to a patch is about the object that was patched.
func checkAnswer(base, answer core.Object, err error) error {
	if err == nil && answer.UID != base.UID {
		return fmt.Errorf("%w: it has UID %q, the object has %q", ErrUnexpectedAnswer, answer.UID, base.UID)
	}
	return err
}

// parseTime parses the time of a condition. The CRD accepts some that Go does not: lower case is
// understood, for the rest the fallback has to do.
func parseTime(text string, fallback metav1.Time) metav1.Time {
	parsed, err := time.Parse(time.RFC3339, strings.ToUpper(text))
	if err != nil {
		return fallback
	}
	return metav1.NewTime(parsed)
}

// generation returns a generation that fits, the largest where others have written a larger one.
func generation(n int64) int32 { return int32(min(n, math.MaxInt32)) }

// FromLister returns an object of an informer, which is not changed.
func FromLister(mcn *mcfgv1.MachineConfigNode) core.Object {
	o := core.Object{UID: mcn.UID, ResourceVersion: mcn.ResourceVersion, State: plan.State{
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
		if phases.KindOf(phases.Phase(c.Type)) != "" {
			o.Status.Conditions = append(o.Status.Conditions, c)
		} else if data, err := json.Marshal(c); err == nil {
			o.Foreign = append(o.Foreign, data)
		}
	}
	return o
}
