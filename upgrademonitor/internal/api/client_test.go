package api_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/openshift/upgrademonitor/scope"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/api"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/core"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// server responds to each request with the same code and body, and records the last request.
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
	client, err := scope.NewClient(group.MachineConfigNodes(), "worker-0")
	require.NoError(t, err)
	return api.New(client, group.RESTClient(), "machine-config-operator")
}

const metadata = `"metadata":{"name":"worker-0","uid":"u","resourceVersion":"7","generation":2}`

// A patch of the status has the whole list of conditions, foreign conditions included, and the
// other fields that change. The metadata are enough as the response.
func TestStatusPatch(t *testing.T) {
	at := metav1.NewTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	s := &server{code: 200, body: `{"kind":"MachineConfigNode",` + metadata + `,"status":{"conditions":[
		{"type":"InternalReleaseImageDegraded","status":"True","lastTransitionTime":"2026-01-02T05:04:05+02:00","reason":"R","message":"","extra":1},
		{"type":"Drained","status":"Unknown","lastTransitionTime":"2026-01-02T03:04:05Z","reason":"R","message":"m"}]}}`}
	client := newClient(t, s)
	got := client.Do(t.Context(), core.Request{Verb: core.Get})
	require.NoError(t, got.Err)
	assert.EqualValues(t, 2, got.Object.Generation)
	require.Len(t, got.Object.Status.Conditions, 1)
	assert.Equal(t, "Drained", got.Object.Status.Conditions[0].Type)
	require.Len(t, got.Object.Foreign, 1)
	assert.True(t, got.Object.Foreign[0].LastTransitionTime.Equal(&at))

	s.body = `{"kind":"PartialObjectMetadata",` + metadata + `}`
	next := got.Object.State
	next.Status.ObservedGeneration = 2
	wrote := client.Do(t.Context(), core.Request{Verb: core.PatchStatus, Base: got.Object, Next: next})
	require.NoError(t, wrote.Err)
	assert.JSONEq(t, `{"metadata":{"resourceVersion":"7"},"status":{"observedGeneration":2,"conditions":[
		{"type":"Drained","status":"Unknown","lastTransitionTime":"2026-01-02T03:04:05Z","reason":"R","message":"m"},
		{"type":"InternalReleaseImageDegraded","status":"True","lastTransitionTime":"2026-01-02T03:04:05Z","reason":"R","message":""}]}}`, s.sent)
	assert.Equal(t, "/apis/machineconfiguration.openshift.io/v1/machineconfignodes/worker-0/status", s.request.URL.Path)
	assert.Equal(t, "fieldManager=machine-config-operator&fieldValidation=Ignore", s.request.URL.RawQuery)
	assert.Equal(t, "application/merge-patch+json", s.request.Header.Get("Content-Type"))
	assert.Contains(t, s.request.Header.Get("Accept"), "as=PartialObjectMetadata;g=meta.k8s.io;v=v1,")
}

// Fields that change, and fields that go.
func TestFieldsOfAPatch(t *testing.T) {
	empty := core.Object{UID: "u", ResourceVersion: "6"}
	full := empty
	full.Owners = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: "worker-0", UID: "n"}}
	full.Spec = mcfgv1.MachineConfigNodeSpec{
		Node: mcfgv1.MCOObjectReference{Name: "worker-0"}, Pool: mcfgv1.MCOObjectReference{Name: "worker"},
		ConfigVersion: mcfgv1.MachineConfigNodeSpecMachineConfigVersion{Desired: "b"}, ConfigImage: mcfgv1.MachineConfigNodeSpecConfigImage{DesiredImage: "j"}}
	full.Status = mcfgv1.MachineConfigNodeStatus{
		ConfigVersion:   &mcfgv1.MachineConfigNodeStatusMachineConfigVersion{Desired: "b"},
		ConfigImage:     mcfgv1.MachineConfigNodeStatusConfigImage{DesiredImage: "j"},
		PinnedImageSets: []mcfgv1.MachineConfigNodeStatusPinnedImageSet{{Name: "a", DesiredGeneration: 1, LastFailedGeneration: 1}},
	}
	withoutImage := full
	withoutImage.Spec.ConfigImage = mcfgv1.MachineConfigNodeSpecConfigImage{}
	const (
		resourceVersion = `{"metadata":{"resourceVersion":"6"},`
		spec            = `"spec":{"node":{"name":"worker-0"},"pool":{"name":"worker"},"configVersion":{"desired":"b"}`
	)
	for name, tc := range map[string]struct {
		kind       core.Verb
		base, next core.Object
		want       string
	}{
		"status": {core.PatchStatus, empty, full, resourceVersion + `"status":{"conditions":null,"configVersion":{"current":null,"desired":"b"},
			"configImage":{"currentImage":null,"desiredImage":"j"},"pinnedImageSets":[{"name":"a","desiredGeneration":1,"lastFailedGeneration":1,"lastFailedGenerationError":""}]}}`},
		"status that goes": {core.PatchStatus, full, empty, resourceVersion + `"status":{"conditions":null,"configImage":null,"pinnedImageSets":null}}`},
		"spec": {core.PatchSpec, empty, full, `{"metadata":{"resourceVersion":"6","ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"worker-0","uid":"n"}]},` +
			spec + `,"configImage":{"desiredImage":"j"}}}`},
		"the same image":  {core.PatchSpec, full, full, resourceVersion + spec + `}}`},
		"image that goes": {core.PatchSpec, full, withoutImage, resourceVersion + spec + `,"configImage":null}}`},
	} {
		t.Run(name, func(t *testing.T) {
			s := &server{code: 200, body: `{"kind":"PartialObjectMetadata",` + metadata + `}`}
			require.NoError(t, newClient(t, s).Do(t.Context(), core.Request{Verb: tc.kind, Base: tc.base, Next: tc.next.State}).Err)
			assert.JSONEq(t, tc.want, s.sent)
		})
	}
}

// otherAPI is a REST client of another API.
type otherAPI struct{ rest.Interface }

func (otherAPI) APIVersion() schema.GroupVersion {
	return schema.GroupVersion{Group: "apps", Version: "v1"}
}

// Without a REST client of its API, the typed client makes the requests.
func TestWithoutREST(t *testing.T) {
	for name, r := range map[string]rest.Interface{
		"nil":                 nil,
		"of a fake clientset": mcfgfake.NewClientset().MachineconfigurationV1().RESTClient(),
		"of another API":      otherAPI{},
	} {
		clientset := mcfgfake.NewClientset()
		client, err := scope.NewClient(clientset.MachineconfigurationV1().MachineConfigNodes(), "worker-0")
		require.NoError(t, err)
		c := api.New(client, r, "m")
		node := plan.Node{Owner: metav1.OwnerReference{Kind: "Node", APIVersion: "v1", Name: "worker-0", UID: "n"}}
		for _, request := range []core.Request{{Verb: core.Create, Node: node}, {Verb: core.Get}, {Verb: core.PatchSpec}, {Verb: core.PatchStatus}} {
			result := c.Do(t.Context(), request)
			require.NoError(t, result.Err, "%s %s", name, request.Verb)
		}
		require.Len(t, clientset.Actions(), 4)
	}
}

// The meaning of a response. A request may have taken effect if its response is not trusted.
func TestResponses(t *testing.T) {
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
		"no response":             {0, "", apierr.Retry},
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
		"another object":          {200, `{"kind":"MachineConfigNode","metadata":{"name":"worker-1","uid":"u","resourceVersion":"7"}}`, apierr.Retry},
		"another UID":             {200, `{"kind":"MachineConfigNode","metadata":{"name":"worker-0","uid":"v","resourceVersion":"7"}}`, apierr.Retry},
		"no resourceVersion":      {200, `{"kind":"MachineConfigNode","metadata":{"name":"worker-0","uid":"u"}}`, apierr.Retry},
		"the object":              {200, `{"kind":"MachineConfigNode",` + metadata + `}`, apierr.OK},
		"its metadata":            {200, `{"kind":"PartialObjectMetadata",` + metadata + `}`, apierr.OK},
	} {
		t.Run(name, func(t *testing.T) {
			base := core.Object{UID: "u", ResourceVersion: "6"}
			result := newClient(t, &server{code: tc.code, body: tc.body}).Do(t.Context(), core.Request{Verb: core.PatchStatus, Base: base})
			assert.Equal(t, tc.want, result.Outcome, "%v", result.Err)
			if tc.want == apierr.OK {
				assert.Equal(t, core.Object{UID: "u", ResourceVersion: "7", State: plan.State{Generation: 2}}, result.Object)
				return
			}
			assert.ErrorContains(t, result.Err, "patch status MachineConfigNode worker-0: ")
		})
	}
}
