package planner_test

import (
	"strings"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/planner"
)

// A patch has all fields that the Monitor writes, the unchanged conditions of other clients, and the UID and the
// resourceVersion of the object that it was computed from. The resourceVersion alone is not enough: after etcd was
// restored from a backup, another object can have the same resourceVersion.
func TestAPatchReplacesAllFieldsOfOneVersion(t *testing.T) {
	known := &mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: "worker-0", UID: "u", ResourceVersion: "6", Labels: map[string]string{"a": "b"}}}
	known.Status.Conditions = []metav1.Condition{{Type: "InternalReleaseImageDegraded", Status: "True", LastTransitionTime: now, Reason: "R"}}
	known.Status.IrreconcilableChanges = []mcfgv1.IrreconcilableChangeDiff{{FieldPath: "p"}}
	full := known.DeepCopy()
	full.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: "worker-0", UID: "n"}}
	full.Spec = mcfgv1.MachineConfigNodeSpec{
		Node:          mcfgv1.MCOObjectReference{Name: "worker-0"},
		Pool:          mcfgv1.MCOObjectReference{Name: "worker"},
		ConfigVersion: mcfgv1.MachineConfigNodeSpecMachineConfigVersion{Desired: "b"},
		ConfigImage:   mcfgv1.MachineConfigNodeSpecConfigImage{DesiredImage: "j"},
	}
	full.Status.ObservedGeneration = 2
	full.Status.Conditions = append(full.Status.Conditions, metav1.Condition{Type: "Drained", Status: "Unknown", LastTransitionTime: now, Reason: "R", Message: "m"})
	full.Status.ConfigVersion = &mcfgv1.MachineConfigNodeStatusMachineConfigVersion{Desired: "b"}
	full.Status.ConfigImage = mcfgv1.MachineConfigNodeStatusConfigImage{DesiredImage: "j"}
	full.Status.PinnedImageSets = []mcfgv1.MachineConfigNodeStatusPinnedImageSet{{Name: "a", DesiredGeneration: 1, LastFailedGeneration: 1}, {Name: "b", DesiredGeneration: 1}}
	const foreign = `{"type":"InternalReleaseImageDegraded","status":"True","lastTransitionTime":"2026-05-22T12:37:24Z","reason":"R","message":""}`

	for name, tc := range map[string]struct {
		verb planner.Verb
		next *mcfgv1.MachineConfigNode
		want string
	}{
		"a spec": {planner.PatchSpec, full, `{"metadata":{"uid":"u","resourceVersion":"6","ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"worker-0","uid":"n"}]},
			"spec":{"node":{"name":"worker-0"},"pool":{"name":"worker"},"configVersion":{"desired":"b"},"configImage":{"desiredImage":"j"}}}`},
		"a status": {planner.PatchStatus, full, `{"metadata":{"uid":"u","resourceVersion":"6"},
			"status":{"observedGeneration":2,"conditions":[
				{"type":"Drained","status":"Unknown","lastTransitionTime":"2026-05-22T12:37:24Z","reason":"R","message":"m"},` + foreign + `],
				"configVersion":{"current":null,"desired":"b"},"configImage":{"currentImage":null,"desiredImage":"j"},
				"pinnedImageSets":[{"name":"a","desiredGeneration":1,"lastFailedGeneration":1},{"name":"b","desiredGeneration":1}]}}`},
		"a status without the optional fields": {planner.PatchStatus, known, `{"metadata":{"uid":"u","resourceVersion":"6"},
			"status":{"observedGeneration":null,"conditions":[` + foreign + `],"configImage":null,"pinnedImageSets":null}}`},
		"a spec without an image": {planner.PatchSpec, known, `{"metadata":{"uid":"u","resourceVersion":"6","ownerReferences":null},
			"spec":{"node":{"name":""},"pool":{"name":""},"configVersion":{"desired":""},"configImage":null}}`},
	} {
		t.Run(name, func(t *testing.T) {
			patch, err := planner.Request{Verb: tc.verb, Base: planner.FromTyped(known), Next: planner.FromTyped(tc.next).State}.Patch()
			require.NoError(t, err)
			assert.JSONEq(t, tc.want, string(patch))
		})
	}
}

// A time of another client that Go cannot encode, because its year in UTC is not between 0 and 9999, is replaced by a
// time that Go can encode. The CRD accepts such times.
func TestATimeThatGoCannotEncodeIsReplaced(t *testing.T) {
	for read, want := range map[string]string{
		"0001-01-01T00:00:00Z":      "0001-01-01T00:00:00Z",
		"0000-01-01T00:00:00+01:00": "0000-01-01T00:00:00Z",
		"9999-12-31T23:59:59-01:00": "9999-12-31T23:59:59Z",
		"9999-12-31T23:59:59Z":      "9999-12-31T23:59:59Z",
		"2026-05-22T12:37:24+02:00": "2026-05-22T10:37:24Z",
	} {
		at, err := time.Parse(time.RFC3339, read)
		require.NoError(t, err)
		for _, isForeign := range []bool{false, true} {
			r := planner.Request{Verb: planner.PatchStatus}
			list := []metav1.Condition{{Type: "T", LastTransitionTime: metav1.NewTime(at)}}
			if r.Next.Status.Conditions = list; isForeign {
				r.Next.Status.Conditions, r.Base.Foreign = nil, list
			}
			patch, err := r.Patch()
			require.NoError(t, err)
			assert.Contains(t, string(patch), `"lastTransitionTime":"`+want+`"`, read)
			assert.Equal(t, strings.Contains(read, "01:00"), r.ReplacedTime() != nil, read)
		}
	}
}
