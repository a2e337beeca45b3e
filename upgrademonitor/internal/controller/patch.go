package controller

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
)

// MergePatch returns the JSON merge patch from one state of an object to another: lists are
// replaced as a whole, and what is missing in the second state is null. Fields of before that are
// in always are written, even where they do not change.
func MergePatch(before, after any, always ...string) (json.RawMessage, error) {
	from, err := fieldsOf(before)
	if err != nil {
		return nil, err
	}
	for _, field := range always {
		delete(from, field)
	}
	original, err := json.Marshal(from)
	if err != nil {
		return nil, err
	}
	modified, err := json.Marshal(after)
	if err != nil {
		return nil, err
	}
	return jsonmergepatch.CreateThreeWayJSONMergePatch(original, modified, original)
}

func fieldsOf(object any) (fields map[string]json.RawMessage, err error) {
	data, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	return fields, json.Unmarshal(data, &fields)
}
