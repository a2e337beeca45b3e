package scope_test

import (
	"context"
	"encoding/json"
	"errors"
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
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/rest"

	"github.com/openshift/upgrademonitor/scope"
)

const (
	nodeName = "worker-0"
	manager  = "machine-config-operator"
	metadata = `"metadata":{"name":"worker-0","uid":"u","resourceVersion":"7","generation":2}`
)

var (
	owners = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: nodeName, UID: "n"}}
	spec   = mcfgv1.MachineConfigNodeSpec{Node: mcfgv1.MCOObjectReference{Name: nodeName}}
)

func TestNewClientRejectsInvalidArguments(t *testing.T) {
	clientset := mcfgfake.NewClientset()
	var typedNil *mcfgclientset.Clientset
	for name, tc := range map[string]struct {
		clientset         mcfgclientset.Interface
		nodeName, manager string
		field             string // the field of the error; "" if the arguments are valid
	}{
		"one letter":                             {clientset, "a", manager, ""},
		"a node name with dots and dashes":       {clientset, "ip-10-0-1-147.ec2.internal", manager, ""},
		"253 characters":                         {clientset, strings.Repeat("a", 253), manager, ""},
		"no manager":                             {clientset, nodeName, "", ""},
		"254 characters":                         {clientset, strings.Repeat("a", 254), manager, "nodeName"},
		"no clientset":                           {nil, nodeName, manager, "clientset"},
		"a nil clientset":                        {typedNil, nodeName, manager, "clientset"},
		"no name":                                {clientset, "", manager, "nodeName"},
		"upper case":                             {clientset, "Worker-0", manager, "nodeName"},
		"a node name that ends with a dash":      {clientset, "worker-", manager, "nodeName"},
		"a slash":                                {clientset, "worker/0", manager, "nodeName"},
		"a node name that is a parent directory": {clientset, "..", manager, "nodeName"},
		"a selector":                             {clientset, "a,metadata.name=b", manager, "nodeName"},
		"a field manager that is too long":       {clientset, nodeName, strings.Repeat("m", 129), "fieldManager"},
		"a field manager with a line break":      {clientset, nodeName, "a\nb", "fieldManager"},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := scope.NewClient(tc.clientset, tc.nodeName, tc.manager)
			if tc.field == "" {
				require.NoError(t, err)
				require.NotNil(t, c)
				return
			}
			var invalid *field.Error
			require.ErrorAs(t, err, &invalid)
			assert.Equal(t, "scope.NewClient."+tc.field, invalid.Field)
			if tc.field == "clientset" {
				assert.Contains(t, invalid.Detail, "pass the machineconfiguration clientset", "the error says what to pass")
			}
			if tc.field == "nodeName" {
				assert.Equal(t, tc.nodeName, invalid.BadValue, "the error shows the invalid name")
			}
			assert.Nil(t, c)
		})
	}
	assert.Empty(t, clientset.Actions(), "NewClient must make no request")
}

// responder responds to each request with the same code and body, and records the last request. If the code is 0, it
// does not respond.
type responder struct {
	code       int
	body, sent string
	request    *http.Request
}

func (s *responder) RoundTrip(r *http.Request) (*http.Response, error) {
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

func newClient(t *testing.T, s *responder) *scope.Client {
	t.Helper()
	clientset, err := mcfgclientset.NewForConfig(&rest.Config{Host: "http://canned", Transport: s, QPS: -1})
	require.NoError(t, err)
	c, err := scope.NewClient(clientset, nodeName, manager)
	require.NoError(t, err)
	return c
}

// verbs are the requests of a Client.
var verbs = map[string]func(context.Context, *scope.Client) (*mcfgv1.MachineConfigNode, error){
	"get": func(ctx context.Context, c *scope.Client) (*mcfgv1.MachineConfigNode, error) { return c.Get(ctx) },
	"create": func(ctx context.Context, c *scope.Client) (*mcfgv1.MachineConfigNode, error) {
		return c.Create(ctx, owners, spec)
	},
	"patch spec of": func(ctx context.Context, c *scope.Client) (*mcfgv1.MachineConfigNode, error) {
		return c.PatchSpec(ctx, []byte(`{"spec":{}}`))
	},
	"patch status of": func(ctx context.Context, c *scope.Client) (*mcfgv1.MachineConfigNode, error) {
		return c.PatchStatus(ctx, []byte(`{"status":{}}`))
	},
}

func TestEachRequestIsForTheObjectOfTheNode(t *testing.T) {
	const (
		all    = "/apis/machineconfiguration.openshift.io/v1/machineconfignodes"
		own    = all + "/worker-0"
		params = "fieldManager=machine-config-operator&fieldValidation=Ignore"
	)
	for verb, want := range map[string]struct{ request, sent, contentType string }{
		"get": {"GET " + own + "?", "", ""},
		"create": {"POST " + all + "?" + params, `{"kind":"MachineConfigNode","apiVersion":"machineconfiguration.openshift.io/v1",
			"metadata":{"name":"worker-0","ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"worker-0","uid":"n"}]},
			"spec":{"node":{"name":"worker-0"},"pool":{"name":""},"configVersion":{"desired":""}},"status":{}}`, "application/json"},
		"patch spec of":   {"PATCH " + own + "?" + params, `{"spec":{}}`, "application/merge-patch+json"},
		"patch status of": {"PATCH " + own + "/status?" + params, `{"status":{}}`, "application/merge-patch+json"},
	} {
		t.Run(verb, func(t *testing.T) {
			s := &responder{code: 200, body: `{"kind":"MachineConfigNode",` + metadata + `,"spec":{"pool":{"name":"worker"}}}`}
			response, err := verbs[verb](t.Context(), newClient(t, s))
			require.NoError(t, err)
			assert.Equal(t, metav1.ObjectMeta{Name: nodeName, UID: "u", ResourceVersion: "7", Generation: 2}, response.ObjectMeta)
			assert.Equal(t, "worker", response.Spec.Pool.Name)
			assert.Equal(t, want.request, s.request.Method+" "+s.request.URL.Path+"?"+s.request.URL.RawQuery)
			assert.Equal(t, want.contentType, s.request.Header.Get("Content-Type"))
			if want.sent != "" {
				assert.JSONEq(t, want.sent, s.sent)
			}
		})
	}
}

// An error names the verb and the object, and wraps the error of client-go. A response about another object is an error, too.
func TestErrorsNameTheRequest(t *testing.T) {
	status := func(reason metav1.StatusReason, message string) string {
		data, err := json.Marshal(metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
			Status: metav1.StatusFailure, Reason: reason, Message: message})
		require.NoError(t, err)
		return string(data)
	}
	anyError := func(error) bool { return true }
	for name, tc := range map[string]struct {
		code int
		body string
		is   func(error) bool
		text string
	}{
		"no response":    {0, "", anyError, "connection refused"},
		"503":            {503, status(metav1.StatusReasonServiceUnavailable, "down"), apierrors.IsServiceUnavailable, "down"},
		"409":            {409, status(metav1.StatusReasonConflict, "modified"), apierrors.IsConflict, "modified"},
		"404":            {404, status(metav1.StatusReasonNotFound, "not found"), apierrors.IsNotFound, "not found"},
		"403":            {403, status(metav1.StatusReasonForbidden, "RBAC"), apierrors.IsForbidden, "RBAC"},
		"another object": {200, strings.Replace(`{`+metadata+`}`, "worker-0", "worker-1", 1), anyError, `"worker-1"`},
		"no metadata":    {200, `{}`, anyError, `named ""`},
	} {
		for verb, request := range verbs {
			t.Run(name+"/"+verb, func(t *testing.T) {
				response, err := request(t.Context(), newClient(t, &responder{code: tc.code, body: tc.body}))
				require.ErrorContains(t, err, verb+" MachineConfigNode worker-0: ")
				require.ErrorContains(t, err, tc.text)
				assert.True(t, tc.is(err), "%v", err)
				assert.Nil(t, response)
			})
		}
	}
}

func TestCreateRejectsTheObjectOfAnotherNode(t *testing.T) {
	clientset := mcfgfake.NewClientset()
	c, err := scope.NewClient(clientset, nodeName, manager)
	require.NoError(t, err)
	for _, name := range []string{"", "worker-1", "worker-00", "Worker-0", "worker-0.example"} {
		_, err := c.Create(t.Context(), owners, mcfgv1.MachineConfigNodeSpec{Node: mcfgv1.MCOObjectReference{Name: name}})
		require.ErrorIs(t, err, scope.ErrOutOfScope, "%q", name)
		require.ErrorContains(t, err, `"`+name+`"`)
	}
	assert.Empty(t, clientset.Actions())
}
