package e2e

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
)

// transport counts the requests of one client.
type transport struct {
	mu          sync.Mutex
	before      func(*http.Request) // called before each request, if not nil
	kinds       map[string]int
	permissions map[string]bool // the permissions that the requests needed, for example "patch machineconfigpools/status"
	answers     map[int]int
}

func (r *transport) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(request *http.Request) (*http.Response, error) {
		if before := r.sent(request); before != nil {
			before(request)
		}
		response, err := next.RoundTrip(request)
		r.mu.Lock()
		defer r.mu.Unlock()
		// Kubernetes 1.33 has no WatchList: an informer tries it, gets 422, and lists.
		if err == nil && (response.StatusCode != http.StatusUnprocessableEntity || kindOf(request) != "watch") {
			r.answers[response.StatusCode]++
		}
		return response, err
	})
}

// sent counts a request that is about to be sent. It returns the function of intercept, which has to be called before, or nil.
func (r *transport) sent(request *http.Request) (before func(*http.Request)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.kinds == nil {
		r.kinds, r.answers, r.permissions = map[string]int{}, map[int]int{}, map[string]bool{}
	}
	r.kinds[kindOf(request)]++
	r.permissions[permissionOf(request)] = true
	return r.before
}

// kindOf distinguishes the requests of informers, reads, creates, and writes of the spec and the
// status.
func kindOf(request *http.Request) string {
	query := request.URL.Query()
	switch {
	case query.Get("watch") == "true", query.Has("limit"):
		return "watch"
	case request.Method == http.MethodGet:
		return "read"
	case request.Method == http.MethodPost:
		return "create"
	case strings.HasSuffix(request.URL.Path, "/status"):
		return "status"
	default:
		return "spec"
	}
}

// permissionOf returns the verb and the resource of a request, as in RBAC.
func permissionOf(request *http.Request) string {
	path := strings.Split(strings.Trim(request.URL.Path, "/"), "/")[2:] // without "api/v1", or "apis/<group>"
	if strings.HasPrefix(request.URL.Path, "/apis/") {
		path = path[1:]
	}
	if path[0] == "namespaces" {
		path = path[2:]
	}
	verb := map[string]string{http.MethodGet: "get", http.MethodPost: "create", http.MethodPut: "update"}[request.Method]
	switch {
	case kindOf(request) == "watch":
		verb = "watch"
	case verb == "get" && len(path) == 1:
		verb = "list"
	case verb == "":
		verb = strings.ToLower(request.Method)
	}
	resource := strings.Join(slices.Delete(path, min(1, len(path)), min(2, len(path))), "/") // without the name
	return verb + " " + resource
}

// used returns the permissions that the requests so far needed, sorted.
func (r *transport) used() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(maps.Keys(r.permissions))
}

// of returns the number of requests of the kinds: see kindOf.
func (r *transport) of(kinds ...string) (total int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, kind := range kinds {
		total += r.kinds[kind]
	}
	return total
}

// all returns the number of requests, without those of informers.
func (r *transport) all() int { return r.of("read", "create", "status", "spec") }

// answered returns the number of responses with one of the status codes.
func (r *transport) answered(codes ...int) (total int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, code := range codes {
		total += r.answers[code]
	}
	return total
}

func (r *transport) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var parts []string
	for _, kind := range slices.Sorted(maps.Keys(r.kinds)) {
		parts = append(parts, fmt.Sprintf("%d %s", r.kinds[kind], kind))
	}
	return strings.Join(parts, ", ")
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// intercept sets a function that is called before each request.
func (r *transport) intercept(before func(*http.Request)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.before = before
}

// front starts a proxy of the standard cluster with a wrapped transport, and returns an administrator's kubeconfig
// for the proxy.
func front(t *testing.T, wrap func(http.RoundTripper) http.RoundTripper) (kubeconfig string) {
	t.Helper()
	target, err := url.Parse(standard.Config().Host)
	require.NoError(t, err)
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.FlushInterval = -1 // watches
	next, err := rest.TransportFor(standard.Config())
	require.NoError(t, err)
	proxy.Transport = wrap(next)
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections)
	kubeconfig = filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(kubeconfig, []byte(`{"apiVersion":"v1","kind":"Config","current-context":"c",
		"contexts":[{"name":"c","context":{"cluster":"c"}}],"clusters":[{"name":"c","cluster":{"server":"`+server.URL+`"}}]}`), 0o600))
	return kubeconfig
}
