package api_test

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/internal/scoped"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/api"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/core"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// server answers each request with the same code and body, and records the last one.
type server struct {
	code       int
	body, sent string
	request    *http.Request
}

func (s *server) RoundTrip(r *http.Request) (*http.Response, error) {
	s.request, s.sent = r, ""
	if r.Body != nil {
		sent, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		s.sent = string(sent)
	}
	if s.code == 0 {
		return nil, errors.New("connection refused")
	}
	return &http.Response{StatusCode: s.code, Header: http.Header{"Content-Type": []string{"application/json"}},
		Body: io.NopCloser(strings.NewReader(s.body)), Request: r}, nil
}

func newClient(t *testing.T, s *server) api.Client {
	t.Helper()
	clientset, err := mcfgclientset.NewForConfig(&rest.Config{Host: "http://canned", Transport: s, QPS: -1})
	require.NoError(t, err)
	group := clientset.MachineconfigurationV1()
	client, err := scoped.NewClient(group.MachineConfigNodes(), "worker-0")
	require.NoError(t, err)
	return api.New(client, group.RESTClient(), "machine-config-operator")
}

const metadata = `"metadata":{"name":"worker-0","uid":"u","resourceVersion":"7","generation":2}`

// What others have written is kept as it is: a condition that is no phase to the byte, a time that
// Go cannot parse as far as it can be understood, and unknown fields are no error.
func TestObjectOfOthers(t *testing.T) {
	foreign := `{"type":"InternalReleaseImageDegraded","status":"True","lastTransitionTime":"2026-01-02t03:04:05z","reason":"R","message":"","extra":1}`
	s := &server{code: 200, body: `{"kind":"MachineConfigNode",` + metadata + `,"status":{"conditions":[` + foreign + `,
		{"type":"Drained","status":"Unknown","lastTransitionTime":"2026-01-02t03:04:05z","reason":"R","message":"m"}],"x":{"y":1}}}`}
	client := newClient(t, s)
	got := client.Do(t.Context(), core.Request{Kind: core.Get})
	require.NoError(t, got.Err)
	drained := conditions.Find(got.Object.Status.Conditions, phases.Drained)
	require.NotNil(t, drained)
	assert.True(t, drained.LastTransitionTime.Time.Equal(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)))

	s.body = `{"kind":"PartialObjectMetadata",` + metadata + `}`
	next := got.Object.State
	next.Status.ObservedGeneration = 2
	wrote := client.Do(t.Context(), core.Request{Kind: core.PatchStatus, Base: got.Object, Next: next})
	require.NoError(t, wrote.Err)
	assert.Contains(t, s.sent, strings.TrimSpace(foreign))
	assert.Equal(t, "application/merge-patch+json", s.request.Header.Get("Content-Type"))
	assert.Equal(t, "fieldManager=machine-config-operator&fieldValidation=Ignore", s.request.URL.RawQuery)
	assert.Contains(t, s.request.Header.Get("Accept"), "PartialObjectMetadata", "the metadata are enough")
	var sent map[string]map[string]any
	require.NoError(t, json.Unmarshal([]byte(s.sent), &sent))
	assert.Equal(t, "7", sent["metadata"]["resourceVersion"])
	assert.NotContains(t, sent["status"], "pinnedImageSets", "what does not change")
}

// A generation that no typed client can read, which others have written, is not in the way.
func TestGenerationBeyondItsType(t *testing.T) {
	s := &server{code: 200, body: `{"kind":"MachineConfigNode",` + metadata + `,"status":{"pinnedImageSets":[{"name":"a","currentGeneration":2,"desiredGeneration":3000000000}]}}`}
	got := newClient(t, s).Do(t.Context(), core.Request{Kind: core.Get})
	require.NoError(t, got.Err)
	assert.Equal(t, []mcfgv1.MachineConfigNodeStatusPinnedImageSet{{Name: "a", CurrentGeneration: 2, DesiredGeneration: math.MaxInt32}}, got.Object.Status.PinnedImageSets)
}

// A list that is empty, and an image that is gone, are removed. An image that changes has the whole object answered: a
// CRD without the field drops it.
func TestWhatIsRemoved(t *testing.T) {
	s := &server{code: 200, body: `{"kind":"MachineConfigNode",` + metadata + `}`}
	base := core.Object{UID: "u", ResourceVersion: "6", State: plan.State{Status: mcfgv1.MachineConfigNodeStatus{
		PinnedImageSets: []mcfgv1.MachineConfigNodeStatusPinnedImageSet{{Name: "a", DesiredGeneration: 1}},
		ConfigImage:     mcfgv1.MachineConfigNodeStatusConfigImage{CurrentImage: "old", DesiredImage: "old"},
	}}}
	result := newClient(t, s).Do(t.Context(), core.Request{Kind: core.PatchStatus, Base: base})
	require.NoError(t, result.Err)
	assert.Contains(t, s.sent, `"pinnedImageSets":null`)
	assert.Contains(t, s.sent, `"configImage":null`)
	assert.False(t, result.NoImages)

	next := base.State
	next.Status.ConfigImage = mcfgv1.MachineConfigNodeStatusConfigImage{DesiredImage: "new"}
	result = newClient(t, s).Do(t.Context(), core.Request{Kind: core.PatchStatus, Base: base, Next: next})
	require.NoError(t, result.Err)
	assert.Contains(t, s.sent, `"configImage":{"currentImage":null,"desiredImage":"new"}`)
	assert.True(t, result.NoImages, "the answer has none")
}

// What an answer means. One that is not believed may have taken effect.
func TestAnswers(t *testing.T) {
	status := func(reason metav1.StatusReason, message string) string {
		data, err := json.Marshal(metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure, Reason: reason, Message: message})
		require.NoError(t, err)
		return string(data)
	}
	for name, tc := range map[string]struct {
		code int
		body string
		want apierr.Outcome
	}{
		"no answer":               {0, "", apierr.Retry},
		"500":                     {500, status("", "etcd"), apierr.Retry},
		"a stale resourceVersion": {409, status(metav1.StatusReasonConflict, "modified"), apierr.Conflict},
		"deleted":                 {404, status(metav1.StatusReasonNotFound, `machineconfignodes "worker-0" not found`), apierr.NotFound},
		"no CRD":                  {404, "404 page not found", apierr.NoCRD},
		"RBAC":                    {403, status(metav1.StatusReasonForbidden, "RBAC"), apierr.Denied},
		"a policy":                {422, status(metav1.StatusReasonInvalid, "ValidatingAdmissionPolicy 'mcn-guards' with binding 'b' denied request: no"), apierr.Denied},
		"invalid":                 {422, status(metav1.StatusReasonInvalid, "status.conditions[0].reason"), apierr.Terminal},
		"too large":               {413, status(metav1.StatusReasonRequestEntityTooLarge, "limit"), apierr.Terminal},
		"no JSON":                 {200, "<html>", apierr.Retry},
		"empty":                   {200, "", apierr.Retry},
		"another kind":            {200, `{"kind":"Pod",` + metadata + `}`, apierr.Retry},
		"another object":          {200, `{"kind":"MachineConfigNode","metadata":{"name":"worker-1","uid":"u","resourceVersion":"7"}}`, apierr.Retry},
		"another UID":             {200, `{"kind":"MachineConfigNode","metadata":{"name":"worker-0","uid":"v","resourceVersion":"7"}}`, apierr.Retry},
		"no resourceVersion":      {200, `{"kind":"MachineConfigNode","metadata":{"name":"worker-0","uid":"u"}}`, apierr.Retry},
		"the object":              {200, `{"kind":"MachineConfigNode",` + metadata + `}`, apierr.OK},
		"its metadata":            {200, `{"kind":"PartialObjectMetadata",` + metadata + `}`, apierr.OK},
	} {
		t.Run(name, func(t *testing.T) {
			base := core.Object{UID: "u", ResourceVersion: "6"}
			result := newClient(t, &server{code: tc.code, body: tc.body}).Do(t.Context(), core.Request{Kind: core.PatchStatus, Base: base})
			assert.Equal(t, tc.want, result.Outcome, "%v", result.Err)
			if tc.want == apierr.OK {
				assert.Equal(t, core.Object{UID: "u", ResourceVersion: "7", State: plan.State{Generation: 2}}, result.Object)
				return
			}
			assert.ErrorContains(t, result.Err, "patch status MachineConfigNode worker-0: ")
		})
	}
}
