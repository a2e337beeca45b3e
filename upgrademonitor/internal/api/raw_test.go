package api

import (
	"io"
	"net/http"
	"strings"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/openshift/upgrademonitor/internal/scoped"
)

// canned answers all requests alike, and keeps the last one.
type canned struct {
	code    int
	body    string
	request *http.Request
	sent    string
}

func (c *canned) RoundTrip(request *http.Request) (*http.Response, error) {
	c.request, c.sent = request, ""
	if request.Body != nil {
		sent, err := io.ReadAll(request.Body)
		if err != nil {
			return nil, err
		}
		c.sent = string(sent)
	}
	return &http.Response{StatusCode: c.code, Header: http.Header{"Content-Type": []string{"application/json"}},
		Body: io.NopCloser(strings.NewReader(c.body)), Request: request}, nil
}

func newCanned(t *testing.T, code int, body string) (raw, *canned) {
	t.Helper()
	server := &canned{code: code, body: body}
	clientset, err := mcfgclientset.NewForConfig(&rest.Config{Host: "http://canned", Transport: server, QPS: -1,
		ContentConfig: rest.ContentConfig{AcceptContentTypes: "application/vnd.kubernetes.protobuf", ContentType: "application/vnd.kubernetes.protobuf"}})
	require.NoError(t, err)
	group := clientset.MachineconfigurationV1()
	client, err := scoped.NewClient(group.MachineConfigNodes(), "worker-0")
	require.NoError(t, err)
	c := newRaw(client, group.RESTClient())
	require.False(t, c.isFake())
	return c, server
}

// rawCalls are the raw requests.
func rawCalls(t *testing.T, c raw) map[string]func() ([]byte, error) {
	patch := []byte(`{"a":"b"}`)
	return map[string]func() ([]byte, error){
		"get":          func() ([]byte, error) { return c.get(t.Context()) },
		"patch":        func() ([]byte, error) { return c.patch(t.Context(), patch, "a&b", acceptJSON) },
		"patch status": func() ([]byte, error) { return c.patch(t.Context(), patch, "a&b", acceptMetadata, "status") },
	}
}

func TestRawRequests(t *testing.T) {
	const object = "/apis/machineconfiguration.openshift.io/v1/machineconfignodes/worker-0"
	const query = "fieldManager=a%26b&fieldValidation=Ignore"
	for call, want := range map[string]struct{ method, path, query, accept, contentType, body string }{
		"get":   {http.MethodGet, object, "", "application/json", "", ""},
		"patch": {http.MethodPatch, object, query, "application/json", "application/merge-patch+json", `{"a":"b"}`},
		"patch status": {http.MethodPatch, object + "/status", query, "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json",
			"application/merge-patch+json", `{"a":"b"}`},
	} {
		t.Run(call, func(t *testing.T) {
			const body = `{"kind": "X",  "lastTransitionTime": "whatever"}`
			c, server := newCanned(t, http.StatusOK, body)

			got, err := rawCalls(t, c)[call]()

			require.NoError(t, err)
			assert.Equal(t, body, string(got))
			r := server.request
			assert.Equal(t, []string{want.method, want.path, want.query, want.accept, want.contentType, want.body},
				[]string{r.Method, r.URL.Path, r.URL.RawQuery, r.Header.Get("Accept"), r.Header.Get("Content-Type"), server.sent})
		})
	}
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
		c, _ := newCanned(t, http.StatusConflict, body)
		for call, request := range rawCalls(t, c) {
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

// TestWithoutREST has clients whose requests are made by the typed client.
func TestWithoutREST(t *testing.T) {
	for name, r := range map[string]rest.Interface{
		"nil":                 nil,
		"of a fake clientset": mcfgfake.NewClientset().MachineconfigurationV1().RESTClient(),
		"of another API":      otherAPI{},
	} {
		t.Run(name, func(t *testing.T) {
			clientset := mcfgfake.NewClientset(&mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: "worker-0"}})
			client, err := scoped.NewClient(clientset.MachineconfigurationV1().MachineConfigNodes(), "worker-0")
			require.NoError(t, err)
			c := newRaw(client, r)
			assert.True(t, c.isFake())
			for call, request := range rawCalls(t, c) {
				data, err := request()
				require.NoError(t, err, call)
				assert.Contains(t, string(data), `"kind":"MachineConfigNode"`, call)
			}
			require.Len(t, clientset.Actions(), 3)
		})
	}
}
