package mergepatch_test

import (
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/mergepatch"
)

var at = metav1.NewTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))

func empty() *mcfgv1.MachineConfigNode {
	return &mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: "worker-0", UID: "u", ResourceVersion: "6"}}
}

func full() *mcfgv1.MachineConfigNode {
	mcn := empty()
	mcn.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: "worker-0", UID: "n"}}
	mcn.Spec = mcfgv1.MachineConfigNodeSpec{
		Node:          mcfgv1.MCOObjectReference{Name: "worker-0"},
		Pool:          mcfgv1.MCOObjectReference{Name: "worker"},
		ConfigVersion: mcfgv1.MachineConfigNodeSpecMachineConfigVersion{Desired: "b"},
		ConfigImage:   mcfgv1.MachineConfigNodeSpecConfigImage{DesiredImage: "j"},
	}
	mcn.Status = mcfgv1.MachineConfigNodeStatus{
		ObservedGeneration: 2,
		Conditions: []metav1.Condition{
			{Type: "Drained", Status: "Unknown", LastTransitionTime: at, Reason: "R", Message: "m"},
			{Type: "InternalReleaseImageDegraded", Status: "True", LastTransitionTime: at, Reason: "R"},
		},
		ConfigVersion:   &mcfgv1.MachineConfigNodeStatusMachineConfigVersion{Desired: "b"},
		ConfigImage:     mcfgv1.MachineConfigNodeStatusConfigImage{DesiredImage: "j"},
		PinnedImageSets: []mcfgv1.MachineConfigNodeStatusPinnedImageSet{{Name: "a", DesiredGeneration: 1, LastFailedGeneration: 1}, {Name: "b", DesiredGeneration: 1}},
	}
	return mcn
}

const preconditions = `"metadata":{"uid":"u","resourceVersion":"6"}`

// A patch has only the fields that change, the UID and the resourceVersion. A list is complete.
func TestCreate(t *testing.T) {
	for name, tc := range map[string]struct {
		before, after *mcfgv1.MachineConfigNode
		want          string
	}{
		"nothing": {full(), full(), `{` + preconditions + `}`},
		"everything": {empty(), full(), `{"metadata":{"uid":"u","resourceVersion":"6","ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"worker-0","uid":"n"}]},
			"spec":{"node":{"name":"worker-0"},"pool":{"name":"worker"},"configVersion":{"desired":"b"},"configImage":{"desiredImage":"j"}},
			"status":{"observedGeneration":2,"conditions":[
				{"type":"Drained","status":"Unknown","lastTransitionTime":"2026-01-02T03:04:05Z","reason":"R","message":"m"},
				{"type":"InternalReleaseImageDegraded","status":"True","lastTransitionTime":"2026-01-02T03:04:05Z","reason":"R","message":""}],
				"configVersion":{"current":null,"desired":"b"},"configImage":{"currentImage":null,"desiredImage":"j"},
				"pinnedImageSets":[{"name":"a","desiredGeneration":1,"lastFailedGeneration":1,"lastFailedGenerationError":""},{"name":"b","desiredGeneration":1}]}}`},
		"one condition": {full(), with(func(mcn *mcfgv1.MachineConfigNode) { mcn.Status.Conditions[0].Status = "True" }), `{` + preconditions + `,
			"status":{"conditions":[
				{"type":"Drained","status":"True","lastTransitionTime":"2026-01-02T03:04:05Z","reason":"R","message":"m"},
				{"type":"InternalReleaseImageDegraded","status":"True","lastTransitionTime":"2026-01-02T03:04:05Z","reason":"R","message":""}]}}`},
		"images and lists that go": {full(), with(func(mcn *mcfgv1.MachineConfigNode) {
			mcn.Spec.ConfigImage = mcfgv1.MachineConfigNodeSpecConfigImage{}
			mcn.Status.ConfigImage = mcfgv1.MachineConfigNodeStatusConfigImage{}
			mcn.Status.PinnedImageSets = nil
		}), `{` + preconditions + `,"spec":{"configImage":null},"status":{"configImage":null,"pinnedImageSets":null}}`},
		"versions": {full(), with(func(mcn *mcfgv1.MachineConfigNode) {
			mcn.Status.ConfigVersion = &mcfgv1.MachineConfigNodeStatusMachineConfigVersion{Current: "b", Desired: "b"}
			mcn.Status.ConfigImage = mcfgv1.MachineConfigNodeStatusConfigImage{CurrentImage: "j"}
		}), `{` + preconditions + `,"status":{"configVersion":{"current":"b","desired":"b"},"configImage":{"currentImage":"j","desiredImage":null}}}`},
		"fields that nobody reports": {full(), with(func(mcn *mcfgv1.MachineConfigNode) {
			mcn.UID, mcn.ResourceVersion, mcn.Labels = "another", "7", map[string]string{"a": "b"}
			mcn.Status.IrreconcilableChanges = []mcfgv1.IrreconcilableChangeDiff{{FieldPath: "p"}}
		}), `{` + preconditions + `}`},
	} {
		t.Run(name, func(t *testing.T) {
			patch, err := mergepatch.Create(tc.before, tc.after)
			require.NoError(t, err)
			assert.JSONEq(t, tc.want, string(patch))
		})
	}
}

func with(change func(*mcfgv1.MachineConfigNode)) *mcfgv1.MachineConfigNode {
	mcn := full()
	change(mcn)
	return mcn
}
