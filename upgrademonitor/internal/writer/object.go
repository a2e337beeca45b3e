package writer

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// object is what a read returned.
type object struct {
	state         plan.State
	managedFields []metav1.ManagedFieldsEntry
}

// encoded is a MachineConfigNode as far as it is decoded: the items of lists one by one, and
// nothing of what only others know about.
type encoded struct {
	metav1.TypeMeta `json:",inline"`
	Metadata        metav1.ObjectMeta            `json:"metadata"`
	Spec            mcfgv1.MachineConfigNodeSpec `json:"spec"`
	Status          struct {
		Conditions         []json.RawMessage                                   `json:"conditions"`
		ObservedGeneration int64                                               `json:"observedGeneration"`
		ConfigVersion      *mcfgv1.MachineConfigNodeStatusMachineConfigVersion `json:"configVersion"`
		ConfigImage        mcfgv1.MachineConfigNodeStatusConfigImage           `json:"configImage"`
		PinnedImageSets    []json.RawMessage                                   `json:"pinnedImageSets"`
	} `json:"status"`
}

// decode decodes the JSON of a response with the whole object, and checks it.
func (w Writer) decode(data []byte) (object, error) {
	var e encoded
	if err := utiljson.Unmarshal(data, &e); err != nil {
		return object{}, fmt.Errorf("%w: %w", ErrUnexpectedResponse, err)
	}
	r := response{Kind: e.Kind}
	r.Metadata.Name, r.Metadata.UID, r.Metadata.ResourceVersion = e.Metadata.Name, e.Metadata.UID, e.Metadata.ResourceVersion
	if err := w.checkWhole(r); err != nil {
		return object{}, err
	}
	owned, unowned, err := splitConditions(e.Status.Conditions, e.Metadata.CreationTimestamp)
	if err != nil {
		return object{}, fmt.Errorf("%w: %w", ErrUnexpectedResponse, err)
	}
	list, err := decodeImageSets(e.Status.PinnedImageSets)
	if err != nil {
		return object{}, fmt.Errorf("%w: %w", ErrUnexpectedResponse, err)
	}
	sets, unownedSets := splitImageSets(list, e.Metadata.ManagedFields, w.fieldManager)
	managedFields := e.Metadata.ManagedFields
	e.Metadata.ManagedFields = nil
	return object{
		managedFields: managedFields,
		state: plan.State{
			Object: &mcfgv1.MachineConfigNode{
				TypeMeta:   e.TypeMeta,
				ObjectMeta: e.Metadata,
				Spec:       e.Spec,
				Status: mcfgv1.MachineConfigNodeStatus{
					Conditions:         owned,
					ObservedGeneration: e.Status.ObservedGeneration,
					ConfigVersion:      e.Status.ConfigVersion,
					ConfigImage:        e.Status.ConfigImage,
					PinnedImageSets:    sets,
				},
			},
			Unowned: plan.Unowned{Conditions: unowned, ImageSets: unownedSets, Verbatim: verbatim(unownedSets, list, e.Status.PinnedImageSets), Exact: true},
		},
	}, nil
}

// splitConditions decodes the conditions of this library, and leaves the others encoded.
func splitConditions(list []json.RawMessage, created metav1.Time) (owned []metav1.Condition, unowned []json.RawMessage, err error) {
	for _, data := range list {
		var c struct {
			metav1.Condition
			LastTransitionTime string `json:"lastTransitionTime"` // one that Go cannot parse is no error
		}
		if err := json.Unmarshal(data, &c); err != nil {
			return nil, nil, err
		}
		if !plan.Owned(c.Condition) {
			unowned = append(unowned, data)
			continue
		}
		c.Condition.LastTransitionTime = parseTime(c.LastTransitionTime, created)
		owned = append(owned, c.Condition)
	}
	return owned, unowned, nil
}

func decodeImageSets(encoded []json.RawMessage) ([]mcfgv1.MachineConfigNodeStatusPinnedImageSet, error) {
	var list []mcfgv1.MachineConfigNodeStatusPinnedImageSet
	for _, data := range encoded {
		var set mcfgv1.MachineConfigNodeStatusPinnedImageSet
		if err := json.Unmarshal(data, &set); err != nil {
			return nil, err
		}
		list = append(list, set)
	}
	return list, nil
}

// verbatim returns some sets of a list by their names, as they are encoded.
func verbatim(some, list []mcfgv1.MachineConfigNodeStatusPinnedImageSet, encoded []json.RawMessage) map[string]json.RawMessage {
	if len(some) == 0 {
		return nil
	}
	byName := make(map[string]json.RawMessage, len(some))
	for i, set := range list {
		if slices.Contains(some, set) {
			byName[set.Name] = encoded[i]
		}
	}
	return byName
}

// parseTime parses the time of a condition. The CRD accepts some that Go does not: lower case is
// understood, for the rest the fallback has to do.
func parseTime(text string, fallback metav1.Time) metav1.Time {
	parsed, err := time.Parse(time.RFC3339, strings.ToUpper(text))
	if err != nil {
		return fallback
	}
	return metav1.NewTime(parsed.Local())
}
