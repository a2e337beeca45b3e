package writer_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/writer"
)

const path = "/apis/machineconfiguration.openshift.io/v1/machineconfignodes/worker-0"

// unowned is the condition of another manager in the objects, verbatim: Go cannot parse
// its time.
const unowned = `{"lastTransitionTime":"2026-01-01t00:00:00.500z","message":"ok","reason":"Broken","status":"True","type":"InternalReleaseImageDegraded"}`

func TestRead(t *testing.T) {
	w, server := serve(t, free(t).answer())

	state, err := w.Read(t.Context())

	require.NoError(t, err)
	assert.Equal(t, []request{{method: http.MethodGet, path: path, accept: "application/json"}}, server.requests)
	require.Len(t, state.Unowned.Conditions, 1)
	assert.Equal(t, unowned, string(state.Unowned.Conditions[0]))
	assert.True(t, state.Unowned.Exact)
	assert.Len(t, state.Object.Status.Conditions, len(phases.All(false)))
	for _, c := range state.Object.Status.Conditions {
		assert.True(t, plan.Owned(c), c.Type)
		assert.Equal(t, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), c.LastTransitionTime.UTC())
	}
	assert.Empty(t, state.Object.ManagedFields, "nobody asks for them")
	assert.Empty(t, state.Object.Status.IrreconcilableChanges, "not this library's")
	assert.Equal(t, nodeName, state.Object.Spec.Node.Name)
	assert.Equal(t, &mcfgv1.MachineConfigNodeStatusMachineConfigVersion{Current: "a", Desired: "a"}, state.Object.Status.ConfigVersion)
	assert.EqualValues(t, 1, state.Object.Status.ObservedGeneration)
	assert.NotEmpty(t, state.Object.UID)
	assert.NotEmpty(t, state.Object.ResourceVersion)
}

// TestReadReleases has the field manager own what is not this library's.
func TestReadReleases(t *testing.T) {
	before, after := claimed(t), free(t).set("4711", "metadata", "resourceVersion")
	w, server := serve(t, before.answer(), after.answer())

	state, err := w.Read(t.Context())

	require.NoError(t, err)
	assert.Equal(t, "4711", state.Object.ResourceVersion, "the answer is the read")
	assert.Equal(t, unowned, string(state.Unowned.Conditions[0]))
	require.Len(t, server.requests, 2)
	sent := server.requests[1]
	assert.Equal(t, request{method: http.MethodPatch, path: path, query: "fieldManager=machine-config-operator&fieldValidation=Ignore",
		accept: "application/json", contentType: "application/merge-patch+json", body: sent.body}, sent)
	want, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"resourceVersion": before.at("metadata", "resourceVersion"),
		"managedFields":   after.at("metadata", "managedFields"),
	}})
	require.NoError(t, err)
	assert.JSONEq(t, string(want), sent.body, "a precondition, the entries, and no value")
}

// TestReadReleasesAnything has claims of all kinds, and what stays of them.
func TestReadReleasesAnything(t *testing.T) {
	const condition = `{".":{},"f:message":{},"f:reason":{},"f:status":{},"f:type":{}}`
	entry := func(manager, operation, subresource, fields string) map[string]any {
		e := map[string]any{"manager": manager, "operation": operation, "apiVersion": "machineconfiguration.openshift.io/v1", "fieldsType": "FieldsV1",
			"fieldsV1": json.RawMessage(fields)}
		if subresource != "" {
			e["subresource"] = subresource
		}
		return e
	}
	for name, tc := range map[string]struct {
		entry map[string]any
		kept  string // the fields; "": no entry; "=": all
	}{
		"an update":         {entry(manager, "Update", "status", `{"f:status":{"f:conditions":{"k:{\"type\":\"Unowned\"}":`+condition+`}}}`), ""},
		"a part of one":     {entry(manager, "Apply", "status", `{"f:status":{"f:conditions":{".":{},"k:{\"type\":\"Unowned\"}":{"f:reason":{}}}}}`), ""},
		"a field":           {entry(manager, "Update", "status", `{"f:status":{".":{},"f:internalReleaseImage":{"f:releases":{}}}}`), ""},
		"with one of ours":  {entry(manager, "Apply", "status", `{"f:status":{"f:conditions":{"k:{\"type\":\"Unowned\"}":`+condition+`,"k:{\"type\":\"Drained\"}":`+condition+`}}}`), `{"f:status":{"f:conditions":{"k:{\"type\":\"Drained\"}":` + condition + `}}}`},
		"with another":      {entry(manager, "Apply", "status", `{"f:status":{"f:new":{},"f:observedGeneration":{}}}`), `{"f:status":{"f:observedGeneration":{}}}`},
		"ours alone":        {entry(manager, "Apply", "status", `{"f:status":{"f:conditions":{".":{},"k:{\"type\":\"Drained\"}":`+condition+`},"f:configImage":{},"f:configVersion":{},"f:pinnedImageSets":{"k:{\"name\":\"a\"}":{}}}}`), "="},
		"a spec":            {entry(manager, "Update", "", `{"f:spec":{"f:new":{}}}`), "="},
		"of others":         {entry("other", "Apply", "status", `{"f:status":{"f:conditions":{"k:{\"type\":\"Unowned\"}":`+condition+`}}}`), "="},
		"an atomic list":    {entry(manager, "Apply", "status", `{"f:status":{"f:conditions":{}}}`), "="},
		"keys of no kind":   {entry(manager, "Apply", "status", `{"f:status":{"f:conditions":{"v:1":{},"k:x":{}}}}`), "="},
		"no fields":         {entry(manager, "Apply", "status", `{}`), "="},
		"nothing but a dot": {entry(manager, "Apply", "status", `{"f:status":{".":{}}}`), "="},
	} {
		t.Run(name, func(t *testing.T) {
			o := free(t).set([]any{tc.entry}, "metadata", "managedFields")
			w, server := serve(t, o.answer(), o.set([]any{}, "metadata", "managedFields").answer())

			_, err := w.Read(t.Context())

			require.NoError(t, err)
			if tc.kept == "=" {
				require.Len(t, server.requests, 1)
				return
			}
			require.Len(t, server.requests, 2)
			var sent struct {
				Metadata struct{ ManagedFields []metav1.ManagedFieldsEntry }
			}
			require.NoError(t, json.Unmarshal([]byte(server.requests[1].body), &sent))
			require.Len(t, sent.Metadata.ManagedFields, 1, "an empty list would change nothing")
			if tc.kept == "" {
				assert.Equal(t, metav1.ManagedFieldsEntry{}, sent.Metadata.ManagedFields[0])
				return
			}
			assert.JSONEq(t, tc.kept, sent.Metadata.ManagedFields[0].FieldsV1.GetRawString())
			assert.Equal(t, manager, sent.Metadata.ManagedFields[0].Manager)
		})
	}
}

// TestReadReleaseFails has errors and answers that are none to the release.
func TestReadReleaseFails(t *testing.T) {
	conflict := answer{code: http.StatusConflict, body: `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Conflict","code":409,"message":"modified"}`}
	for name, tc := range map[string]struct {
		answer answer
		check  func(error) bool
	}{
		"a conflict":      {conflict, apierrors.IsConflict},
		"another object":  {free(t).set("other", "metadata", "uid").answer(), isUnexpected},
		"metadata only":   {free(t).metadata(), isUnexpected},
		"an empty object": {answer{body: `{}`}, isUnexpected},
	} {
		t.Run(name, func(t *testing.T) {
			w, _ := serve(t, claimed(t).answer(), tc.answer)
			_, err := w.Read(t.Context())
			assert.True(t, tc.check(err), "%v", err)
		})
	}
}

// TestTimesThatGoCannotParse are ones that the CRD accepts.
func TestTimesThatGoCannotParse(t *testing.T) {
	created := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"2026-03-04T05:06:07Z":       time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC),
		"2026-03-04T05:06:07.25Z":    time.Date(2026, 3, 4, 5, 6, 7, 250e6, time.UTC),
		"2026-03-04t05:06:07z":       time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC),
		"2026-03-04T07:06:07+02:00":  time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC),
		"2026-03-04T05:06:07x5Z":     created,
		"2026-03-04T05:06:07+99:99Z": created,
	} {
		t.Run(text, func(t *testing.T) {
			o := free(t)
			for _, c := range o.conditions() {
				c.(map[string]any)["lastTransitionTime"] = text
			}
			w, _ := serve(t, o.answer())
			state, err := w.Read(t.Context())
			require.NoError(t, err)
			assert.Equal(t, want, state.Object.Status.Conditions[0].LastTransitionTime.UTC())
			assert.Contains(t, string(state.Unowned.Conditions[0]), text)
		})
	}
}

// TestImageSetsOfOthers are those that another manager owns, and this one does not.
func TestImageSetsOfOthers(t *testing.T) {
	set := func(name string) map[string]any { return map[string]any{"name": name, "desiredGeneration": 2} }
	entry := func(manager string, names ...string) map[string]any {
		fields := map[string]any{}
		for _, name := range names {
			fields[`k:{"name":"`+name+`"}`] = map[string]any{".": map[string]any{}}
		}
		return map[string]any{"manager": manager, "operation": "Apply", "subresource": "status", "fieldsType": "FieldsV1",
			"fieldsV1": map[string]any{"f:status": map[string]any{"f:pinnedImageSets": fields}}}
	}
	o := free(t).
		set([]any{set("own"), set("both"), set("other"), set("nobody")}, "status", "pinnedImageSets").
		set([]any{entry(manager, "own", "both"), entry("other", "both", "other")}, "metadata", "managedFields")
	w, _ := serve(t, o.answer())

	state, err := w.Read(t.Context())

	require.NoError(t, err)
	assert.Equal(t, []mcfgv1.MachineConfigNodeStatusPinnedImageSet{
		{Name: "own", DesiredGeneration: 2}, {Name: "both", DesiredGeneration: 2}, {Name: "nobody", DesiredGeneration: 2},
	}, state.Object.Status.PinnedImageSets)
	assert.Equal(t, []mcfgv1.MachineConfigNodeStatusPinnedImageSet{{Name: "other", DesiredGeneration: 2}}, state.Unowned.ImageSets)
	assert.Len(t, state.Unowned.Verbatim, 1)
	assert.JSONEq(t, `{"name":"other","desiredGeneration":2}`, string(state.Unowned.Verbatim["other"]))
}

func TestReadErrors(t *testing.T) {
	notFound := answer{code: http.StatusNotFound, body: `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404,"message":"machineconfignodes \"worker-0\" not found"}`}
	w, _ := serve(t, notFound)
	_, err := w.Read(t.Context())
	assert.True(t, apierrors.IsNotFound(err))
	assert.Equal(t, apierr.Conflict, apierr.Classify(err))
	assert.ErrorContains(t, err, `MachineConfigNode worker-0: read: machineconfignodes "worker-0" not found`)

	w, _ = serve(t, answer{code: http.StatusNotFound, contentType: "text/plain; charset=utf-8", body: "404 page not found\n"})
	_, err = w.Read(t.Context())
	assert.Equal(t, apierr.NoCRD, apierr.Classify(err))

	w, _ = serve(t) // no network
	_, err = w.Read(t.Context())
	assert.Equal(t, apierr.Retry, apierr.Classify(err))
}

// unexpected are answers with 200 that are none about the object.
func unexpected(t *testing.T) map[string]answer {
	return map[string]answer{
		"an empty object":     {body: `{}`},
		"nothing":             {body: ``},
		"null":                {body: `null`},
		"a list":              {body: `[]`},
		"a status":            {body: `{"kind":"Status","apiVersion":"v1","status":"Success"}`},
		"HTML":                {contentType: "text/html", body: `<html></html>`},
		"HTML sent as JSON":   {body: `<html></html>`},
		"half of it":          {body: free(t).answer().body[:200]},
		"metadata only":       free(t).metadata(),
		"another name":        free(t).set("worker-1", "metadata", "name").answer(),
		"no UID":              free(t).set("", "metadata", "uid").answer(),
		"no resource version": free(t).set("", "metadata", "resourceVersion").answer(),
	}
}

func isUnexpected(err error) bool {
	return apierr.Classify(err) == apierr.Retry && errors.Is(err, writer.ErrUnexpectedResponse)
}

func TestReadBelievesNotEverything(t *testing.T) {
	for name, answer := range unexpected(t) {
		t.Run(name, func(t *testing.T) {
			w, _ := serve(t, answer)
			state, err := w.Read(t.Context())
			assert.True(t, isUnexpected(err), "%v", err)
			assert.ErrorContains(t, err, "MachineConfigNode worker-0: read")
			assert.Nil(t, state.Object)
		})
	}
}

// FuzzRead has a server answer anything: a read is an error, or about the object.
func FuzzRead(f *testing.F) {
	f.Add([]byte(claimed(f).answer().body))
	f.Add([]byte(`{"kind":"MachineConfigNode","metadata":{"name":"worker-0","uid":"a","resourceVersion":"1","managedFields":[{"manager":"machine-config-operator","subresource":"status","fieldsV1":{"f:status":{"f:conditions":{"k:{\"type\":1}":{}},"f:x":{}}}}]},"status":{"conditions":[null,{"type":"Drained"}]}}`))
	f.Add([]byte(`{"kind":"MachineConfigNode","metadata":{"name":"worker-0","uid":"a","resourceVersion":"1","managedFields":[{"fieldsV1":null}]},"status":null}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		w, _ := serve(t, answer{body: string(body)}, answer{body: string(body)})
		state, err := w.Read(t.Context())
		if err != nil {
			assert.Nil(t, state.Object)
			return
		}
		assert.Equal(t, nodeName, state.Object.Name)
		assert.NotEmpty(t, state.Object.UID)
		assert.NotEmpty(t, state.Object.ResourceVersion)
		for _, c := range state.Object.Status.Conditions {
			assert.True(t, plan.Owned(c))
		}
		for _, c := range state.Unowned.Conditions {
			assert.True(t, json.Valid(c))
		}
	})
}
