package writer_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/writer"
)

const image = mcfgv1.ImageDigestFormat("registry.example.com/os/rhcos@sha256:1111111111111111111111111111111111111111111111111111111111111111")

var kinds = []plan.Kind{plan.ApplyStatus, plan.MergeStatus, plan.MergeSpec}

// read is the state of the object, read before the test.
func read(t testing.TB) plan.State {
	t.Helper()
	w, _ := serve(t, free(t).answer())
	state, err := w.Read(t.Context())
	require.NoError(t, err)
	return state
}

// written is the object at the resource version after a write.
func written(t testing.TB) object {
	return free(t).set("252", "metadata", "resourceVersion").set(3, "metadata", "generation")
}

// changed is a status in which everything that this library owns differs.
func changed(base plan.State) plan.State {
	status := base.Object.Status
	status.Conditions = append([]metav1.Condition{}, status.Conditions...)
	status.Conditions[0].Status, status.Conditions[0].Message = metav1.ConditionUnknown, `about <a> & "b"`
	status.Conditions[1].ObservedGeneration = 1
	status.ConfigVersion = &mcfgv1.MachineConfigNodeStatusMachineConfigVersion{Desired: "b"}
	status.ConfigImage = mcfgv1.MachineConfigNodeStatusConfigImage{DesiredImage: image}
	status.PinnedImageSets = []mcfgv1.MachineConfigNodeStatusPinnedImageSet{
		{Name: "done", CurrentGeneration: 2, DesiredGeneration: 2},
		{Name: "failed", DesiredGeneration: 2, LastFailedGeneration: 1},
	}
	return base.WithStatus(status)
}

func conditionsJSON(t *testing.T, list []metav1.Condition) string {
	t.Helper()
	data, err := json.Marshal(list)
	require.NoError(t, err)
	return string(data)
}

func TestApplyStatus(t *testing.T) {
	base := read(t)
	next := changed(base)
	next.Update, next.NoImageField = plan.Update{FromImage: "x"}, true
	for name, answer := range map[string]answer{"metadata": written(t).metadata(), "a whole object": written(t).answer()} {
		t.Run(name, func(t *testing.T) {
			w, server := serve(t, answer)

			got, err := w.Write(t.Context(), base, plan.Step{Kind: plan.ApplyStatus, Next: next})

			require.NoError(t, err)
			require.Len(t, server.requests, 1)
			sent := server.requests[0]
			assert.Equal(t, request{method: http.MethodPatch, path: path + "/status", query: "fieldManager=machine-config-operator&fieldValidation=Ignore&force=true",
				accept:      "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json",
				contentType: "application/apply-patch+yaml", body: sent.body}, sent)
			assert.JSONEq(t, fmt.Sprintf(`{"apiVersion":"machineconfiguration.openshift.io/v1","kind":"MachineConfigNode",
				"metadata":{"name":"worker-0","resourceVersion":"251"},
				"status":{"conditions":%s,"observedGeneration":1,"configVersion":{"desired":"b"},"configImage":{"desiredImage":%q},
				"pinnedImageSets":[{"name":"done","currentGeneration":2,"desiredGeneration":2},
				{"name":"failed","desiredGeneration":2,"lastFailedGeneration":1,"lastFailedGenerationError":""}]}}`,
				conditionsJSON(t, next.Object.Status.Conditions), image), sent.body, "all that is owned, and nothing else")

			want := next
			object := *next.Object
			object.ResourceVersion, object.Generation = "252", 3
			want.Object = &object
			assert.Equal(t, want, got, "what was sent is what is there")
			assert.Equal(t, "251", base.Object.ResourceVersion, "the base is not changed")
			assert.Equal(t, "251", next.Object.ResourceVersion, "nor is the step")
		})
	}
}

// TestApplyStatusLeavesOut has a status with nothing but conditions.
func TestApplyStatusLeavesOut(t *testing.T) {
	base := read(t)
	object := *base.Object
	object.Generation, object.Status = 0, mcfgv1.MachineConfigNodeStatus{Conditions: base.Object.Status.Conditions[:1]}
	base.Object = &object
	w, server := serve(t, written(t).metadata())

	_, err := w.Write(t.Context(), base, plan.Step{Kind: plan.ApplyStatus, Next: base})

	require.NoError(t, err)
	assert.JSONEq(t, `{"apiVersion":"machineconfiguration.openshift.io/v1","kind":"MachineConfigNode","metadata":{"name":"worker-0","resourceVersion":"251"},
		"status":{"conditions":`+conditionsJSON(t, object.Status.Conditions)+`}}`, server.requests[0].body)
}

func TestObservedGenerationNeverDecreases(t *testing.T) {
	for _, tc := range []struct{ observed, generation, want int64 }{{0, 0, 0}, {0, 2, 2}, {3, 2, 3}, {2, 3, 3}} {
		base := read(t)
		object := *base.Object
		object.Generation, object.Status.ObservedGeneration = tc.generation, tc.observed
		base.Object = &object
		for _, kind := range []plan.Kind{plan.ApplyStatus, plan.MergeStatus} {
			w, server := serve(t, written(t).answer())
			got, err := w.Write(t.Context(), base, plan.Step{Kind: kind, Next: base})
			require.NoError(t, err)
			var sent struct {
				Status struct{ ObservedGeneration int64 }
			}
			require.NoError(t, json.Unmarshal([]byte(server.requests[0].body), &sent))
			assert.Equal(t, tc.want, sent.Status.ObservedGeneration, kind)
			assert.Equal(t, tc.want, got.Object.Status.ObservedGeneration, kind)
		}
	}
}

func TestMergeStatus(t *testing.T) {
	base := read(t)
	const zeros = `{"name":"zeros","desiredGeneration":7,"currentGeneration":0,"lastFailedGenerationError":""}`
	base.Unowned.ImageSets = []mcfgv1.MachineConfigNodeStatusPinnedImageSet{{Name: "other", DesiredGeneration: 7}, {Name: "zeros", DesiredGeneration: 7}}
	base.Unowned.Verbatim = map[string]json.RawMessage{"zeros": json.RawMessage(zeros)}
	next := changed(base)
	answer := written(t).set(map[string]any{"desiredImage": image}, "status", "configImage").answer()
	w, server := serve(t, answer)

	got, err := w.Write(t.Context(), base, plan.Step{Kind: plan.MergeStatus, Next: next})

	require.NoError(t, err)
	sent := server.requests[0]
	assert.Equal(t, request{method: http.MethodPatch, path: path + "/status", query: "fieldManager=machine-config-operator&fieldValidation=Ignore",
		accept: "application/json", contentType: "application/merge-patch+json", body: sent.body}, sent)
	own := conditionsJSON(t, next.Object.Status.Conditions)
	assert.JSONEq(t, fmt.Sprintf(`{"metadata":{"resourceVersion":"251"},"status":{"conditions":%s,%s],"observedGeneration":1,
		"configVersion":{"current":null,"desired":"b"},"configImage":{"currentImage":null,"desiredImage":%q},
		"pinnedImageSets":[{"name":"done","currentGeneration":2,"desiredGeneration":2},
		{"name":"failed","desiredGeneration":2,"lastFailedGeneration":1,"lastFailedGenerationError":""},
		{"name":"other","desiredGeneration":7},%s]}}`, own[:len(own)-1], unowned, image, zeros), sent.body)
	assert.Contains(t, sent.body, unowned, "unchanged")
	assert.Contains(t, sent.body, zeros, "unchanged")
	want := next
	object := *next.Object
	object.ResourceVersion, object.Generation = "252", 3
	want.Object = &object
	assert.Equal(t, want, got)
}

// TestMergeStatusRemoves has a status of which the images and the sets are removed.
func TestMergeStatusRemoves(t *testing.T) {
	next := read(t)
	base := changed(next)
	w, server := serve(t, written(t).answer())

	_, err := w.Write(t.Context(), base, plan.Step{Kind: plan.MergeStatus, Next: next})

	require.NoError(t, err)
	var sent struct{ Status map[string]json.RawMessage }
	require.NoError(t, json.Unmarshal([]byte(server.requests[0].body), &sent))
	assert.Equal(t, "null", string(sent.Status["configImage"]))
	assert.Equal(t, "null", string(sent.Status["pinnedImageSets"]))
}

func TestMergeStatusTouchesNothingElse(t *testing.T) {
	base := read(t)
	w, server := serve(t, written(t).answer())

	_, err := w.Write(t.Context(), base, plan.Step{Kind: plan.MergeStatus, Next: base})

	require.NoError(t, err)
	var sent struct{ Status map[string]json.RawMessage }
	require.NoError(t, json.Unmarshal([]byte(server.requests[0].body), &sent))
	assert.NotContains(t, sent.Status, "configImage")
	assert.NotContains(t, sent.Status, "pinnedImageSets")
	assert.NotContains(t, sent.Status, "irreconcilableChanges")
}

func TestMergeSpec(t *testing.T) {
	base := read(t)
	object := *base.Object
	object.Spec.Pool.Name, object.Spec.ConfigVersion.Desired, object.Spec.ConfigImage.DesiredImage = "master", "b", image
	object.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: nodeName, UID: "1a01a163"}}
	next := base
	next.Object, next.Unowned = &object, plan.Unowned{}
	for name, tc := range map[string]struct {
		before, dropped bool
	}{
		"it has images":               {false, false},
		"it has images now":           {true, false},
		"it has no images":            {false, true},
		"it still has no images":      {true, true},
		"it had images, and has none": {false, true},
	} {
		t.Run(name, func(t *testing.T) {
			next.NoImageField = tc.before
			answer := written(t)
			if !tc.dropped {
				answer.set(map[string]any{"desiredImage": image}, "spec", "configImage")
			}
			w, server := serve(t, answer.answer())

			got, err := w.Write(t.Context(), base, plan.Step{Kind: plan.MergeSpec, Next: next})

			require.NoError(t, err)
			sent := server.requests[0]
			assert.Equal(t, request{method: http.MethodPatch, path: path, query: "fieldManager=machine-config-operator&fieldValidation=Ignore",
				accept: "application/json", contentType: "application/merge-patch+json", body: sent.body}, sent)
			assert.JSONEq(t, fmt.Sprintf(`{"metadata":{"resourceVersion":"251","ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"worker-0","uid":"1a01a163"}]},
				"spec":{"node":{"name":"worker-0"},"pool":{"name":"master"},"configVersion":{"desired":"b"},"configImage":{"desiredImage":%q}}}`, image), sent.body)
			assert.Equal(t, tc.dropped, got.NoImageField)
			want := object
			want.ResourceVersion, want.Generation = "252", 3
			if tc.dropped {
				want.Spec.ConfigImage.DesiredImage = ""
			}
			assert.Equal(t, &want, got.Object)
			assert.Equal(t, base.Unowned, got.Unowned)
		})
	}
}

func TestMergeSpecRemovesTheImage(t *testing.T) {
	base := read(t)
	object := *base.Object
	object.Spec.ConfigImage.DesiredImage = image
	next := base
	base.Object = &object
	w, server := serve(t, written(t).answer())

	got, err := w.Write(t.Context(), base, plan.Step{Kind: plan.MergeSpec, Next: next})

	require.NoError(t, err)
	assert.Contains(t, server.requests[0].body, `"configImage":null`)
	assert.False(t, got.NoImageField, "nothing indicates it")
}

// TestMergeStatusTellsThatTheCRDHasNoImages has it drop the images without an error.
func TestMergeStatusTellsThatTheCRDHasNoImages(t *testing.T) {
	base := read(t)
	w, _ := serve(t, written(t).answer())

	got, err := w.Write(t.Context(), base, plan.Step{Kind: plan.MergeStatus, Next: changed(base)})

	require.NoError(t, err)
	assert.True(t, got.NoImageField)
	assert.Zero(t, got.Object.Status.ConfigImage)
}

// TestStepsOfOnePlan has each step planned on the state before the first.
func TestStepsOfOnePlan(t *testing.T) {
	base := read(t)
	spec := base
	object := *base.Object
	object.Spec.Pool.Name = "master"
	spec.Object = &object
	object.Spec.ConfigImage.DesiredImage = image
	last := spec.WithStatus(changed(base).Object.Status)
	w, server := serve(t, written(t).answer(), written(t).set("253", "metadata", "resourceVersion").metadata())

	state, err := w.Write(t.Context(), base, plan.Step{Kind: plan.MergeSpec, Next: spec})
	require.NoError(t, err)
	state, err = w.Write(t.Context(), state, plan.Step{Kind: plan.ApplyStatus, Next: last})
	require.NoError(t, err)

	assert.Contains(t, server.requests[1].body, `"resourceVersion":"252"`)
	assert.Contains(t, server.requests[1].body, `"observedGeneration":3`)
	assert.Equal(t, "253", state.Object.ResourceVersion)
	assert.Equal(t, "master", state.Object.Spec.Pool.Name)
	assert.Empty(t, state.Object.Spec.ConfigImage, "the first step has shown that there is no such field")
	assert.True(t, state.NoImageField)
	assert.EqualValues(t, 3, state.Object.Status.ObservedGeneration)
}

// TestNothingIsSentWithoutWhatItTakes has bases that do not suffice.
func TestNothingIsSentWithoutWhatItTakes(t *testing.T) {
	base := read(t)
	unversioned := base
	object := *base.Object
	object.ResourceVersion = ""
	unversioned.Object = &object
	decoded := base
	decoded.Unowned.Exact = false
	for _, kind := range kinds {
		for name, tc := range map[string]struct {
			base plan.State
			sent bool
		}{
			"no object":           {plan.State{}, false},
			"no resource version": {unversioned, false},
			"decoded":             {decoded, kind != plan.MergeStatus},
		} {
			t.Run(string(kind)+", "+name, func(t *testing.T) {
				w, server := serve(t, written(t).answer())
				_, err := w.Write(t.Context(), tc.base, plan.Step{Kind: kind, Next: base})
				if tc.sent {
					require.NoError(t, err)
					return
				}
				require.ErrorIs(t, err, writer.ErrReadRequired)
				assert.Equal(t, apierr.Conflict, apierr.Classify(err))
				assert.Empty(t, server.requests)
			})
		}
	}
	decoded.Unowned.Conditions = nil
	w, _ := serve(t, written(t).answer())
	_, err := w.Write(t.Context(), decoded, plan.Step{Kind: plan.MergeStatus, Next: decoded})
	require.NoError(t, err, "nothing was decoded")

	w, server := serve(t)
	_, err = w.Write(t.Context(), base, plan.Step{Kind: "PUT", Next: base})
	require.Error(t, err)
	assert.Empty(t, server.requests)
}

func TestWriteBelievesNotEverything(t *testing.T) {
	base := read(t)
	for _, kind := range kinds {
		answers := unexpected(t)
		answers["another UID"] = written(t).set("other", "metadata", "uid").answer()
		answers["another kind"] = written(t).set("Pod", "kind").answer()
		answers["of a cache"] = written(t).set("250", "metadata", "resourceVersion").answer()
		answers["an older generation"] = written(t).set(0, "metadata", "generation").answer()
		if kind == plan.ApplyStatus {
			delete(answers, "metadata only")
		}
		for name, answer := range answers {
			t.Run(string(kind)+", "+name, func(t *testing.T) {
				w, _ := serve(t, answer)
				state, err := w.Write(t.Context(), base, plan.Step{Kind: kind, Next: base})
				assert.True(t, isUnexpected(err), "%v", err)
				assert.Nil(t, state.Object)
			})
		}
	}
}

func TestWriteErrors(t *testing.T) {
	status := func(code int, reason metav1.StatusReason, message string) answer {
		data, err := json.Marshal(metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure, Code: int32(code), Reason: reason, Message: message})
		require.NoError(t, err)
		return answer{code: code, body: string(data)}
	}
	base := read(t)
	for name, tc := range map[string]struct {
		answer answer
		want   apierr.Outcome
	}{
		"a conflict":   {status(409, metav1.StatusReasonConflict, "modified"), apierr.Conflict},
		"gone":         {status(404, metav1.StatusReasonNotFound, "gone"), apierr.Conflict},
		"invalid":      {status(422, metav1.StatusReasonInvalid, "invalid"), apierr.Terminal},
		"too large":    {status(500, "", "etcdserver: request is too large"), apierr.Terminal},
		"denied":       {status(403, metav1.StatusReasonForbidden, "no"), apierr.Denied},
		"no images":    {status(500, "", ".status.configImage: field not declared in schema"), apierr.NoImageField},
		"no such page": {answer{code: 404, contentType: "text/plain", body: "404 page not found"}, apierr.NoCRD},
		"a proxy":      {answer{code: 502, contentType: "text/html", body: "<html>"}, apierr.Retry},
	} {
		for _, kind := range kinds {
			t.Run(name+", "+string(kind), func(t *testing.T) {
				w, _ := serve(t, tc.answer)
				_, err := w.Write(t.Context(), base, plan.Step{Kind: kind, Next: base})
				assert.Equal(t, tc.want, apierr.Classify(err), "%v", err)
				assert.EqualValues(t, tc.answer.code, codeOf(err))
				assert.ErrorContains(t, err, "MachineConfigNode worker-0: ")
			})
		}
	}
}

func codeOf(err error) int32 {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return 0
	}
	return status.Status().Code
}

func TestCreate(t *testing.T) {
	mcn := &mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: nodeName}, Spec: mcfgv1.MachineConfigNodeSpec{
		Node: mcfgv1.MCOObjectReference{Name: nodeName}, Pool: mcfgv1.MCOObjectReference{Name: "worker"},
		ConfigVersion: mcfgv1.MachineConfigNodeSpecMachineConfigVersion{Desired: "a"}}}
	created := written(t)
	delete(created, "status")
	w, server := serve(t, created.answer())

	state, err := w.Create(t.Context(), mcn)

	require.NoError(t, err)
	require.Len(t, server.requests, 1)
	assert.Equal(t, http.MethodPost, server.requests[0].method)
	assert.Equal(t, "fieldManager=machine-config-operator&fieldValidation=Ignore", server.requests[0].query)
	assert.Equal(t, "252", state.Object.ResourceVersion)
	assert.Empty(t, state.Object.Status.Conditions)
	assert.True(t, state.Unowned.Exact)
	assert.False(t, state.NoImageField)

	mcn.Spec.ConfigImage.DesiredImage = image
	w, _ = serve(t, created.answer())
	state, err = w.Create(t.Context(), mcn)
	require.NoError(t, err)
	assert.True(t, state.NoImageField, "the CRD has dropped it")

	w, _ = serve(t, answer{code: 409, body: `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"AlreadyExists","code":409}`})
	_, err = w.Create(t.Context(), mcn)
	assert.True(t, apierrors.IsAlreadyExists(err))
	assert.Equal(t, apierr.Conflict, apierr.Classify(err))

	w, _ = serve(t, created.set("worker-1", "metadata", "name").answer())
	_, err = w.Create(t.Context(), mcn)
	assert.ErrorIs(t, err, writer.ErrUnexpectedResponse)
}
