package scope_test

import (
	"context"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"

	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/openshift/upgrademonitor/scope"
)

// transport answers all requests alike, and keeps them.
type transport struct {
	code     int
	body     string
	requests []*http.Request
	sent     []string
}

func (r *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	sent := []byte(nil)
	if request.Body != nil {
		defer func() { _ = request.Body.Close() }()
		var err error
		if sent, err = io.ReadAll(request.Body); err != nil {
			return nil, err
		}
	}
	r.requests, r.sent = append(r.requests, request), append(r.sent, string(sent))
	return &http.Response{StatusCode: r.code, Header: http.Header{"Content-Type": []string{"application/json"}},
		Body: io.NopCloser(strings.NewReader(r.body)), Request: request}, nil
}

func newRawClient(t *testing.T, code int, body string) (*scope.Client, *transport) {
	t.Helper()
	server := &transport{code: code, body: body}
	clientset, err := mcfgclientset.NewForConfig(&rest.Config{Host: "http://canned", Transport: server, QPS: -1,
		ContentConfig: rest.ContentConfig{AcceptContentTypes: "application/vnd.kubernetes.protobuf", ContentType: "application/vnd.kubernetes.protobuf"}})
	require.NoError(t, err)
	c, err := scope.NewClient(clientset.MachineconfigurationV1().MachineConfigNodes(), nodeName)
	require.NoError(t, err)
	c = c.WithREST(clientset.MachineconfigurationV1().RESTClient())
	require.False(t, c.IsFake())
	return c, server
}

// rawCalls are the raw requests.
func rawCalls(ctx context.Context, c *scope.Client, name string) map[string]func() ([]byte, error) {
	patch, opts := []byte(`{"a":"b"}`), metav1.PatchOptions{FieldManager: "mine"}
	return map[string]func() ([]byte, error){
		"get":          func() ([]byte, error) { return c.GetRaw(ctx, name) },
		"patch":        func() ([]byte, error) { return c.PatchRaw(ctx, name, types.MergePatchType, patch, opts) },
		"patch status": func() ([]byte, error) { return c.PatchRaw(ctx, name, types.MergePatchType, patch, opts, "status") },
		"metadata":     func() ([]byte, error) { return c.PatchMetadata(ctx, name, types.ApplyPatchType, patch, opts, "status") },
	}
}

func TestRawRequests(t *testing.T) {
	const object = "/apis/machineconfiguration.openshift.io/v1/machineconfignodes/worker-0"
	for call, want := range map[string]struct{ method, path, accept, contentType, body string }{
		"get":          {http.MethodGet, object, "application/json", "", ""},
		"patch":        {http.MethodPatch, object, "application/json", "application/merge-patch+json", `{"a":"b"}`},
		"patch status": {http.MethodPatch, object + "/status", "application/json", "application/merge-patch+json", `{"a":"b"}`},
		"metadata": {http.MethodPatch, object + "/status", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json",
			"application/apply-patch+yaml", `{"a":"b"}`},
	} {
		t.Run(call, func(t *testing.T) {
			const body = `{"kind": "X",  "lastTransitionTime": "whatever"}`
			c, server := newRawClient(t, http.StatusOK, body)

			got, err := rawCalls(t.Context(), c, nodeName)[call]()

			require.NoError(t, err)
			assert.Equal(t, body, string(got))
			require.Len(t, server.requests, 1)
			r := server.requests[0]
			assert.Equal(t, []string{want.method, want.path, want.accept, want.contentType, want.body},
				[]string{r.Method, r.URL.Path, r.Header.Get("Accept"), r.Header.Get("Content-Type"), server.sent[0]})
			if call != "get" {
				assert.Equal(t, "fieldManager=mine", r.URL.RawQuery)
			}
		})
	}
}

// TestRawRequestsSendAllOptions compares the query with that of the typed client.
func TestRawRequestsSendAllOptions(t *testing.T) {
	force := true
	full := metav1.PatchOptions{DryRun: []string{"All", "b"}, Force: &force, FieldManager: "a&b", FieldValidation: "Strict"}
	v := reflect.ValueOf(full)
	for i := 1; i < v.NumField(); i++ { // 0 is the TypeMeta
		assert.False(t, v.Field(i).IsZero(), "%s is new", v.Type().Field(i).Name)
	}
	c, server := newRawClient(t, http.StatusOK, `{"kind":"MachineConfigNode","apiVersion":"machineconfiguration.openshift.io/v1"}`)
	for _, opts := range []metav1.PatchOptions{full, {}} {
		_, err := c.PatchRaw(t.Context(), nodeName, types.MergePatchType, nil, opts)
		require.NoError(t, err)
		_, err = c.Patch(t.Context(), nodeName, types.MergePatchType, nil, opts)
		require.NoError(t, err)
		n := len(server.requests)
		assert.Equal(t, server.requests[n-1].URL.RawQuery, server.requests[n-2].URL.RawQuery)
	}
}

func TestRawRequestsRefuseOtherNames(t *testing.T) {
	c, server := newRawClient(t, http.StatusOK, `{}`)
	for _, name := range otherNames {
		for call, request := range rawCalls(t.Context(), c, name) {
			_, err := request()
			require.ErrorIs(t, err, scope.ErrOutOfScope, "%s %q", call, name)
			assert.ErrorContains(t, err, `"`+name+`"`, call)
		}
	}
	assert.Empty(t, server.requests)
}

// TestRawRequestsReturnErrors has the Status of an answer, and its text where it has none.
func TestRawRequestsReturnErrors(t *testing.T) {
	for body, check := range map[string]func(error) bool{
		`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Conflict","code":409,"message":"modified"}`: func(err error) bool {
			return apierrors.IsConflict(err) && err.Error() == "modified"
		},
		`no JSON`: func(err error) bool {
			return apierrors.IsConflict(err) && apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse)
		},
	} {
		c, _ := newRawClient(t, http.StatusConflict, body)
		for call, request := range rawCalls(t.Context(), c, nodeName) {
			data, err := request()
			assert.True(t, check(err), "%s: %v", call, err)
			assert.Nil(t, data)
		}
	}
}

// otherAPI is a REST client of another API.
type otherAPI struct{ rest.Interface }

func (otherAPI) APIVersion() schema.GroupVersion {
	return schema.GroupVersion{Group: "apps", Version: "v1"}
}

// TestWithoutREST has clients whose raw requests are made by the typed client.
func TestWithoutREST(t *testing.T) {
	for name, r := range map[string]rest.Interface{
		"nil":                 nil,
		"of a fake clientset": mcfgfake.NewClientset().MachineconfigurationV1().RESTClient(),
		"of another API":      otherAPI{},
	} {
		t.Run(name, func(t *testing.T) {
			c, clientset := newClient(t)
			c = c.WithREST(r)
			assert.True(t, c.IsFake())
			data, err := c.GetRaw(t.Context(), nodeName)
			require.NoError(t, err)
			assert.Contains(t, string(data), `"kind":"MachineConfigNode"`)
			require.Len(t, clientset.Actions(), 1)
		})
	}
}

// TestWithRESTLeavesTheClient has one client with and one without.
func TestWithRESTLeavesTheClient(t *testing.T) {
	clientset, err := mcfgclientset.NewForConfig(&rest.Config{Host: "http://canned"})
	require.NoError(t, err)
	without, _ := newClient(t)
	with := without.WithREST(clientset.MachineconfigurationV1().RESTClient())
	assert.True(t, without.IsFake())
	assert.False(t, with.IsFake())
	assert.Equal(t, nodeName, with.NodeName())
}
