package controller

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
)

// MergePatch returns a JSON merge patch of metadata, and of one field from a state to another: lists
// are replaced as a whole, and what is missing in the second state is null. What of the field is in
// always is written even where it does not change.
func MergePatch(metadata map[string]any, field string, before, after any, always ...string) ([]byte, error) {
	var members map[string]json.RawMessage
	original, err := json.Marshal(before)
	if err == nil {
		err = json.Unmarshal(original, &members)
	}
	if err != nil {
		return nil, err
	}
	for _, member := range always {
		delete(members, member)
	}
	if original, err = json.Marshal(members); err != nil {
		return nil, err
	}
	modified, err := json.Marshal(after)
	if err != nil {
		return nil, err
	}
	changes, err := jsonmergepatch.CreateThreeWayJSONMergePatch(original, modified, original)
	if err != nil {
		return nil, err
	}
	return json.Marshal(map[string]any{"metadata": metadata, field: json.RawMessage(changes)})
}
