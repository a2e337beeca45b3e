package e2e

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// wrongStates make a state of a Monitor wrong.
var wrongStates = map[string]func(*known){
	"UID":                 func(k *known) { k.Object.UID = "other" },
	"generation":          func(k *known) { k.Object.Generation++ },
	"owner references":    func(k *known) { k.Object.OwnerReferences = nil },
	"labels":              func(k *known) { k.Object.Labels = map[string]string{"a": "b"} },
	"pool":                func(k *known) { k.Object.Spec.Pool.Name = "other" },
	"desired config":      func(k *known) { k.Object.Spec.ConfigVersion.Desired = "other" },
	"desired image":       func(k *known) { k.Object.Spec.ConfigImage.DesiredImage = "other" },
	"status of a phase":   func(k *known) { k.Object.Status.Conditions[3].Status = metav1.ConditionUnknown },
	"reason":              func(k *known) { k.Object.Status.Conditions[3].Reason = "Other" },
	"message":             func(k *known) { k.Object.Status.Conditions[3].Message = "other" },
	"time":                func(k *known) { k.Object.Status.Conditions[3].LastTransitionTime.Time = time.Unix(0, 0) },
	"no condition":        func(k *known) { k.Object.Status.Conditions = k.Object.Status.Conditions[1:] },
	"no conditions":       func(k *known) { k.Object.Status.Conditions = nil },
	"version":             func(k *known) { k.Object.Status.ConfigVersion.Current = "other" },
	"no version":          func(k *known) { k.Object.Status.ConfigVersion = nil },
	"image":               func(k *known) { k.Object.Status.ConfigImage.CurrentImage = "other" },
	"observed generation": func(k *known) { k.Object.Status.ObservedGeneration++ },
	"image set":           func(k *known) { k.Object.Status.PinnedImageSets[0].CurrentGeneration++ },
	"no image sets":       func(k *known) { k.Object.Status.PinnedImageSets = nil },
	"unowned image set":   func(k *known) { k.ImageSets = nil },
	"image set claimed": func(k *known) {
		k.Object.Status.PinnedImageSets, k.ImageSets = append(k.Object.Status.PinnedImageSets, k.ImageSets...), nil
	},
	"no verbatim set":     func(k *known) { k.Verbatim = nil },
	"unowned condition":   func(k *known) { k.Conditions = []json.RawMessage{[]byte(`{"type":"` + unownedType + `"}`)} },
	"unowned conditions":  func(k *known) { k.Conditions = nil },
	"status lost":         func(k *known) { k.StatusLost = true },
	"no field for images": func(k *known) { k.NoImageField = true },
	"update under way":    func(k *known) { k.UpdateTarget = "other" },
}

// The check itself can fail: by each field of a state, and by a resource version of no object.
func TestConsistencyNoticesAWrongState(t *testing.T) {
	w := newTestNode(t, "consistency")
	w.reportUpdated()
	w.addUnowned()
	w.applyImageSet(`{"name":"theirs","desiredGeneration":2,"lastFailedGenerationError":""}`)
	w.annotate(oldConfig, oldConfig)
	m, _ := w.monitor("master")
	require.NoError(t, m.ReportPinnedImageSets(t.Context(), []upgrademonitor.PinnedImageSet{{Name: "pinned", Generation: 1, Done: true}}))

	right := w.consistency.last
	v, err := w.consistency.versions.read(t.Context(), right.Object.ResourceVersion)
	require.NoError(t, err)
	require.Empty(t, right.differences(v, true))
	for name, change := range wrongStates {
		t.Run(name, func(t *testing.T) {
			wrong := right
			wrong.Object = right.Object.DeepCopy()
			change(&wrong)
			assert.NotEmpty(t, wrong.differences(v, true))
		})
	}
	none, err := w.consistency.versions.read(t.Context(), "1")
	assert.NoError(t, err)
	assert.Nil(t, none)
}
