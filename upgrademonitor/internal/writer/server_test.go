package writer_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"github.com/openshift/upgrademonitor/scope"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/writer"
)

const (
	nodeName = "worker-0"
	manager  = "machine-config-operator"
)

var errNoAnswer = errors.New("no answer")

// request is one that the server got.
type request struct {
	method, path, query, accept, contentType, body string
}

// server answers in turn what it was given, without a network, and keeps what it was asked.
type server struct {
	answers  []answer
	requests []request
}

type answer struct {
	code        int // 0: 200
	contentType string
	body        string
}

func (s *server) RoundTrip(r *http.Request) (*http.Response, error) {
	got := request{method: r.Method, path: r.URL.Path, query: r.URL.RawQuery, accept: r.Header.Get("Accept"), contentType: r.Header.Get("Content-Type")}
	if r.Body != nil {
		defer func() { _ = r.Body.Close() }()
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		got.body = string(body)
	}
	s.requests = append(s.requests, got)
	if len(s.requests) > len(s.answers) {
		return nil, errNoAnswer
	}
	return s.answers[len(s.requests)-1].response(r), nil
}

func (a answer) response(r *http.Request) *http.Response {
	if a.code == 0 {
		a.code = http.StatusOK
	}
	if a.contentType == "" {
		a.contentType = "application/json"
	}
	return &http.Response{
		StatusCode:    a.code,
		Header:        http.Header{"Content-Type": []string{a.contentType}},
		Body:          io.NopCloser(bytes.NewBufferString(a.body)),
		ContentLength: int64(len(a.body)),
		Request:       r,
	}
}

// over is a Writer on a real clientset over a transport.
func over(tb testing.TB, transport http.RoundTripper) writer.Writer {
	tb.Helper()
	clientset, err := mcfgclientset.NewForConfig(&rest.Config{Host: "http://canned", Transport: transport, QPS: -1})
	require.NoError(tb, err)
	client, err := scope.NewClient(clientset.MachineconfigurationV1().MachineConfigNodes(), nodeName)
	require.NoError(tb, err)
	return writer.New(client.WithREST(clientset.MachineconfigurationV1().RESTClient()), manager)
}

// serve is a Writer on a server that gives these answers.
func serve(tb testing.TB, answers ...answer) (writer.Writer, *server) {
	tb.Helper()
	s := &server{answers: answers}
	return over(tb, s), s
}

// object is an object as an API server has it. Changes are made at paths of its JSON.
type object map[string]any

// claimed is what today's daemon leaves: it has applied all conditions and fields, those of
// others too, then another manager has changed one of its own by an update.
func claimed(tb testing.TB) object {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "claimed.json"))
	require.NoError(tb, err)
	var o object
	require.NoError(tb, json.Unmarshal(data, &o))
	return o
}

// free is the same object without a claim to what is not this library's.
func free(tb testing.TB) object {
	tb.Helper()
	o := claimed(tb)
	fields := o.at("metadata", "managedFields").([]any)[0].(map[string]any)["fieldsV1"].(map[string]any)["f:status"].(map[string]any)
	delete(fields, "f:irreconcilableChanges")
	delete(fields["f:conditions"].(map[string]any), `k:{"type":"InternalReleaseImageDegraded"}`)
	return o
}

func (o object) at(path ...string) any {
	var value any = map[string]any(o)
	for _, name := range path {
		value = value.(map[string]any)[name]
	}
	return value
}

func (o object) set(value any, path ...string) object {
	last := len(path) - 1
	o.at(path[:last]...).(map[string]any)[path[last]] = value
	return o
}

func (o object) conditions() []any { return o.at("status", "conditions").([]any) }

func (o object) answer() answer {
	data, err := json.Marshal(o)
	if err != nil {
		return answer{code: http.StatusInternalServerError, body: err.Error()}
	}
	return answer{body: string(data)}
}

// metadata is the answer to a request for the metadata only.
func (o object) metadata() answer {
	return object{"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": o["metadata"]}.answer()
}
