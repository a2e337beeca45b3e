package progress

import (
	"encoding/json"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// requested returns when the spec of an object changed last. At generation 1 it never changed: the
// spec of a new object does not request an update.
func requested(mcn *mcfgv1.MachineConfigNode) time.Time {
	var newest time.Time
	if mcn.Generation <= 1 {
		return newest
	}
	for i := range mcn.ManagedFields {
		if entry := &mcn.ManagedFields[i]; ownsSpec(entry) {
			newest = later(newest, entry.Time.UTC())
		}
	}
	return newest
}

func ownsSpec(entry *metav1.ManagedFieldsEntry) bool {
	if entry.Subresource != "" || entry.Time == nil || entry.FieldsV1 == nil {
		return false
	}
	var fields struct {
		Spec json.RawMessage `json:"f:spec"`
	}
	return json.Unmarshal(entry.FieldsV1.GetRawBytes(), &fields) == nil && fields.Spec != nil
}
