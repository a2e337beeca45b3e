package writer

import (
	"encoding/json"
	"slices"
	"strings"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// fieldSet is a set of fields as managed fields encode it: "f:" and the name of a field, "k:" and
// the keys of a list's item, or "." for the value itself, each with the set below it.
type fieldSet map[string]fieldSet

// The names of what this library owns in the status, and of the status.
const (
	self            = "."
	status          = "f:status"
	conditionsField = "f:conditions"
	pinnedImageSets = "f:pinnedImageSets"
)

var ownedFields = []string{self, conditionsField, pinnedImageSets, "f:observedGeneration", "f:configVersion", "f:configImage"}

// statusFields returns the fields that an entry is about, nil where it is not about a status.
func statusFields(entry metav1.ManagedFieldsEntry) fieldSet {
	var fields fieldSet
	if entry.Subresource != "status" || entry.FieldsV1 == nil || json.Unmarshal(entry.FieldsV1.GetRawBytes(), &fields) != nil {
		return nil
	}
	return fields
}

// itemKey is what the items of a list are known by: a condition by its type, a set by its name.
type itemKey struct {
	Type string `json:"type"`
	Name string `json:"name"`
}

func itemKeyOf(path string) (itemKey, bool) {
	var key itemKey
	text, ok := strings.CutPrefix(path, "k:")
	return key, ok && json.Unmarshal([]byte(text), &key) == nil
}

// splitImageSets separates the image sets of this library from those that others own: items that
// another manager has claimed and this one has not.
func splitImageSets(sets []mcfgv1.MachineConfigNodeStatusPinnedImageSet, entries []metav1.ManagedFieldsEntry, fieldManager string) (owned, unowned []mcfgv1.MachineConfigNodeStatusPinnedImageSet) {
	if len(sets) == 0 {
		return nil, nil
	}
	own, others := map[string]bool{}, map[string]bool{}
	for _, entry := range entries {
		for path := range statusFields(entry)[status][pinnedImageSets] {
			key, ok := itemKeyOf(path)
			switch {
			case !ok:
			case entry.Manager == fieldManager:
				own[key.Name] = true
			default:
				others[key.Name] = true
			}
		}
	}
	for _, set := range sets {
		if others[set.Name] && !own[set.Name] {
			unowned = append(unowned, set)
		} else {
			owned = append(owned, set)
		}
	}
	return owned, unowned
}

// ownsImageSets reports whether the field manager owns an image set.
func ownsImageSets(entries []metav1.ManagedFieldsEntry, fieldManager string) bool {
	return slices.ContainsFunc(entries, func(entry metav1.ManagedFieldsEntry) bool {
		for path := range statusFields(entry)[status][pinnedImageSets] {
			if _, ok := itemKeyOf(path); ok && entry.Manager == fieldManager {
				return true
			}
		}
		return false
	})
}

// releaseUnowned returns the managed fields without what the field manager owns in the status and
// is not this library's, and whether there is such a thing.
func releaseUnowned(entries []metav1.ManagedFieldsEntry, fieldManager string) (kept []metav1.ManagedFieldsEntry, released bool) {
	kept = make([]metav1.ManagedFieldsEntry, 0, len(entries))
	for _, entry := range entries {
		if entry.Manager == fieldManager {
			if fields := statusFields(entry); fields.dropUnowned() {
				released = true
				data, err := json.Marshal(fields)
				if len(fields) == 0 || err != nil {
					continue
				}
				entry.FieldsV1 = metav1.NewFieldsV1(string(data))
			}
		}
		kept = append(kept, entry)
	}
	return kept, released
}

// dropUnowned removes what is not this library's from the set, and reports whether there was any.
func (f fieldSet) dropUnowned() bool {
	fields := f[status]
	dropped := fields.drop(func(path string) bool { return !slices.Contains(ownedFields, path) })
	dropped = fields[conditionsField].drop(func(path string) bool {
		key, ok := itemKeyOf(path)
		return ok && !plan.Owned(metav1.Condition{Type: key.Type})
	}) || dropped
	if dropped {
		fields.dropEmpty(conditionsField)
		f.dropEmpty(status)
	}
	return dropped
}

func (f fieldSet) drop(unowned func(path string) bool) bool {
	before := len(f)
	for path := range f {
		if unowned(path) {
			delete(f, path)
		}
	}
	return len(f) < before
}

// dropEmpty removes a field of which nothing but the field itself is left.
func (f fieldSet) dropEmpty(path string) {
	if below := f[path]; len(below) == 0 || len(below) == 1 && below[self] != nil {
		delete(f, path)
	}
}

// releasePatch is the merge patch that makes the managed fields those given, if the object is
// still at the resource version. An empty list would change nothing: one with an empty entry
// removes them.
func releasePatch(resourceVersion string, kept []metav1.ManagedFieldsEntry) ([]byte, error) {
	if len(kept) == 0 {
		kept = []metav1.ManagedFieldsEntry{{}}
	}
	return json.Marshal(map[string]any{"metadata": map[string]any{"resourceVersion": resourceVersion, "managedFields": kept}})
}
