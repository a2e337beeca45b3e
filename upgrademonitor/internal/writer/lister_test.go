package writer_test

import (
	"encoding/json"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/scope"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/writer"
)

// typed is an object as an informer decodes it: none has a time that Go cannot parse.
func typed(t testing.TB, o object) *mcfgv1.MachineConfigNode {
	t.Helper()
	for _, c := range o.conditions() {
		c.(map[string]any)["lastTransitionTime"] = "2026-01-01T00:00:00Z"
	}
	var mcn mcfgv1.MachineConfigNode
	require.NoError(t, json.Unmarshal([]byte(o.answer().body), &mcn))
	return &mcn
}

func TestFromLister(t *testing.T) {
	mcn := typed(t, free(t))
	before := mcn.DeepCopy()

	w, _ := serve(t, free(t).answer())
	state, err := w.FromLister(mcn, plan.State{})

	require.NoError(t, err)
	assert.Equal(t, before, mcn, "informers share it")
	read, err := w.Read(t.Context())
	require.NoError(t, err)
	assert.Equal(t, read.Object, state.Object, "what a read returns")
	assert.False(t, state.Unowned.Exact, "what others have was decoded")
	require.Len(t, state.Unowned.Conditions, 1)
	var c metav1.Condition
	require.NoError(t, json.Unmarshal(state.Unowned.Conditions[0], &c))
	assert.Equal(t, string(mcfgv1.MachineConfigNodeInternalReleaseImageDegraded), c.Type)
}

func TestFromListerIsExactWithoutOthers(t *testing.T) {
	mcn := typed(t, free(t))
	mcn.Status.Conditions = mcn.Status.Conditions[:3]
	w, _ := serve(t)
	state, err := w.FromLister(mcn, plan.State{})
	require.NoError(t, err)
	assert.True(t, state.Unowned.Exact)
	assert.Len(t, state.Object.Status.Conditions, 3)
}

func TestFromListerNeedsARead(t *testing.T) {
	for name, tc := range map[string]struct {
		object object
		change func(*mcfgv1.MachineConfigNode)
		want   string // "": none
	}{
		"claims":            {claimed(t), func(*mcfgv1.MachineConfigNode) {}, `"machine-config-operator" owns fields of other managers`},
		"claims of another": {claimed(t), func(o *mcfgv1.MachineConfigNode) { o.ManagedFields[0].Manager = "other" }, ""},
		"no managed fields": {claimed(t), func(o *mcfgv1.MachineConfigNode) { o.ManagedFields = nil }, "no managed fields"},
		"no reason":         {free(t), func(o *mcfgv1.MachineConfigNode) { o.Status.Conditions[2].Reason = "" }, "no reason or time of condition"},
		"no time":           {free(t), func(o *mcfgv1.MachineConfigNode) { o.Status.Conditions[2].LastTransitionTime = metav1.Time{} }, "no reason or time of condition"},
		"no message": {free(t), func(o *mcfgv1.MachineConfigNode) {
			o.Status.Conditions[2].Reason, o.Status.Conditions[2].Message = "NotYetOccurred", ""
		}, "no message of condition"},
		"an empty message": {free(t), func(o *mcfgv1.MachineConfigNode) { o.Status.Conditions[2].Message = "" }, ""},
		"no image sets": {free(t), func(o *mcfgv1.MachineConfigNode) {
			o.Status.PinnedImageSets = nil
			o.ManagedFields[0].FieldsV1 = metav1.NewFieldsV1(`{"f:status":{"f:pinnedImageSets":{"k:{\"name\":\"set\"}":{".":{}}}}}`)
		}, "no image sets"},
		"others' have none":  {free(t), func(o *mcfgv1.MachineConfigNode) { o.Status.Conditions[len(o.Status.Conditions)-1].Reason = "" }, ""},
		"no conditions":      {free(t), func(o *mcfgv1.MachineConfigNode) { o.Status.Conditions = nil }, ""},
		"fields of nonsense": {free(t), func(o *mcfgv1.MachineConfigNode) { o.ManagedFields[0].FieldsV1 = metav1.NewFieldsV1("nonsense") }, ""},
		"entry of no fields": {free(t), func(o *mcfgv1.MachineConfigNode) { o.ManagedFields[0].FieldsV1 = nil }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			mcn := typed(t, tc.object)
			tc.change(mcn)
			w, _ := serve(t)
			state, err := w.FromLister(mcn, plan.State{})
			if tc.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, writer.ErrReadRequired)
			assert.ErrorContains(t, err, tc.want)
			assert.Equal(t, apierr.Conflict, apierr.Classify(err))
			assert.Nil(t, state.Object)
		})
	}
}

// TestFromListerWithoutManagedFields has a transformer trim them: what is known tells who owns what.
func TestFromListerWithoutManagedFields(t *testing.T) {
	set := func(name string) mcfgv1.MachineConfigNodeStatusPinnedImageSet {
		return mcfgv1.MachineConfigNodeStatusPinnedImageSet{Name: name, DesiredGeneration: 1}
	}
	known := changed(read(t))
	known.Object.Status.PinnedImageSets = []mcfgv1.MachineConfigNodeStatusPinnedImageSet{set("own")}
	known.Unowned.ImageSets = []mcfgv1.MachineConfigNodeStatusPinnedImageSet{set("theirs")}
	mcn := typed(t, free(t))
	mcn.ManagedFields = nil
	w, _ := serve(t)

	mcn.Status.PinnedImageSets = []mcfgv1.MachineConfigNodeStatusPinnedImageSet{set("theirs"), set("own")}
	state, err := w.FromLister(mcn, known)
	require.NoError(t, err)
	assert.Equal(t, known.Object.Status.PinnedImageSets, state.Object.Status.PinnedImageSets)
	assert.Equal(t, known.Unowned.ImageSets, state.Unowned.ImageSets)

	mcn.Status.PinnedImageSets = []mcfgv1.MachineConfigNodeStatusPinnedImageSet{set("own"), set("new")}
	_, err = w.FromLister(mcn, known)
	require.ErrorIs(t, err, writer.ErrReadRequired, "it may be another manager's")
}

// TestFromListerOfAFakeClientset, which records no managed fields, costs no read.
func TestFromListerOfAFakeClientset(t *testing.T) {
	client, err := scope.NewClient(mcfgfake.NewClientset().MachineconfigurationV1().MachineConfigNodes(), nodeName)
	require.NoError(t, err)
	mcn := typed(t, free(t))
	mcn.ManagedFields = nil
	_, err = writer.New(client, manager).FromLister(mcn, plan.State{})
	assert.NoError(t, err)
}

// TestInexactStateCanBeApplied has a state of an informer applied at once, and merged only after
// a read.
func TestInexactStateCanBeApplied(t *testing.T) {
	mcn := typed(t, free(t))
	w, server := serve(t, written(t).metadata())
	state, err := w.FromLister(mcn, plan.State{})
	require.NoError(t, err)
	state, err = w.Write(t.Context(), state, plan.Step{Kind: plan.ApplyStatus, Next: state})
	require.NoError(t, err)
	assert.NotContains(t, server.requests[0].body, "InternalReleaseImageDegraded")
	assert.False(t, state.Unowned.Exact)
	_, err = w.Write(t.Context(), state, plan.Step{Kind: plan.MergeStatus, Next: state})
	require.ErrorIs(t, err, writer.ErrReadRequired)
	assert.Len(t, server.requests, 1)
	assert.WithinDuration(t, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), state.Object.Status.Conditions[0].LastTransitionTime.Time, 0)
}
