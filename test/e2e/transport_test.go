package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// transport counts the requests of one client, and fails like a network or a server while a fault is
// set. Watches pass, as if their connections were older than the fault.
type transport struct {
	mu          sync.Mutex
	now         fault
	kinds       map[string]int
	permissions map[string]bool // that the requests need: "patch machineconfigpools/status"
	answers     map[int]int
	bytes       int // read from the responses

	underWay sync.RWMutex // held for reading during each request but a watch
}

// fault answers a request instead of the server, or forwards it to next.
type fault func(request *http.Request, next http.RoundTripper) (*http.Response, error)

// fail sets a fault; nil ends it.
func (r *transport) fail(now fault) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = now
}

// quiet returns when no request is under way.
func (r *transport) quiet() {
	r.underWay.Lock()
	defer r.underWay.Unlock()
}

// failing sets a fault, and returns a channel that receives when a request has met it.
func (r *transport) failing(now fault) <-chan struct{} {
	seen := make(chan struct{}, 1)
	r.fail(func(request *http.Request, next http.RoundTripper) (*http.Response, error) {
		select {
		case seen <- struct{}{}:
		default:
		}
		return now(request, next)
	})
	return seen
}

func (r *transport) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(request *http.Request) (*http.Response, error) {
		if kindOf(request) != "watch" {
			r.underWay.RLock()
			defer r.underWay.RUnlock()
		}
		now := r.sent(request) // counted before the server can have processed it
		var response *http.Response
		var err error
		if now != nil && kindOf(request) != "watch" {
			response, err = now(request, next)
		} else {
			response, err = next.RoundTrip(request)
		}
		if err == nil {
			r.mu.Lock()
			defer r.mu.Unlock()
			if response.StatusCode != http.StatusUnprocessableEntity || kindOf(request) != "watch" { // 1.33 has no WatchList: the informer lists then
				r.answers[response.StatusCode]++
			}
			response.Body = &countedBody{ReadCloser: response.Body, transport: r}
		}
		return response, err
	})
}

func (r *transport) sent(request *http.Request) fault {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.kinds == nil {
		r.kinds, r.answers, r.permissions = map[string]int{}, map[int]int{}, map[string]bool{}
	}
	r.kinds[kindOf(request)]++
	r.permissions[permissionOf(request)] = true
	return r.now
}

// countedBody counts the bytes that are read from a response.
type countedBody struct {
	io.ReadCloser
	transport *transport
}

func (b *countedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.transport.mu.Lock()
	defer b.transport.mu.Unlock()
	b.transport.bytes += n
	return n, err
}

// kindOf distinguishes the requests of informers, reads, creates, and writes of the spec and the status.
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

// permissionOf returns what RBAC calls a request. An informer lists, too, where it cannot watch at once.
func permissionOf(request *http.Request) string {
	path := strings.Split(strings.Trim(request.URL.Path, "/"), "/")[2:] // after api/v1, or apis and the group
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

// bytesDown returns the size of all responses.
func (r *transport) bytesDown() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.bytes
}

// of returns the number of requests of some kinds.
func (r *transport) of(kinds ...string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	total := 0
	for _, kind := range kinds {
		total += r.kinds[kind]
	}
	return total
}

// all returns the number of requests, without those of informers.
func (r *transport) all() int { return r.of("read", "create", "status", "spec") }

// answered returns the number of requests that were answered with one of some status codes.
func (r *transport) answered(codes ...int) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	total := 0
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

// requirePreconditions fails the test at a patch without a resource version.
func requirePreconditions(t *testing.T) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(request *http.Request) (*http.Response, error) {
			if request.Method == http.MethodPatch {
				var sent metav1.PartialObjectMetadata
				body, err := request.GetBody()
				if err != nil || json.NewDecoder(body).Decode(&sent) != nil || sent.ResourceVersion == "" {
					t.Error("a patch without a resource version")
				}
			}
			return next.RoundTrip(request)
		})
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// faults need no failure of the real servers.
var faults = map[string]fault{
	// client-go itself retries a read whose connection was reset, until the context ends
	"response to a write lost": func(request *http.Request, next http.RoundTripper) (*http.Response, error) {
		response, err := next.RoundTrip(request)
		if err != nil || request.Method == http.MethodGet {
			return response, err
		}
		_ = response.Body.Close()
		return nil, syscall.ECONNRESET
	},
	"connection refused": func(*http.Request, http.RoundTripper) (*http.Response, error) {
		return nil, syscall.ECONNREFUSED
	},
	"hung": func(request *http.Request, _ http.RoundTripper) (*http.Response, error) {
		<-request.Context().Done()
		return nil, request.Context().Err()
	},
	"reset after the request was sent": func(request *http.Request, next http.RoundTripper) (*http.Response, error) {
		response, err := next.RoundTrip(request)
		if err == nil {
			_ = response.Body.Close()
		}
		return nil, syscall.ECONNRESET
	},
	"500": answer(http.StatusInternalServerError, "InternalError", nil),
	"503": answer(http.StatusServiceUnavailable, "ServiceUnavailable", nil),
	"429": answer(http.StatusTooManyRequests, "TooManyRequests", http.Header{"Retry-After": {"1"}}),
	"401": answer(http.StatusUnauthorized, "Unauthorized", nil),
	"403": answer(http.StatusForbidden, "Forbidden", nil),
}

// answer returns a fault that answers every request with an error.
func answer(code int, reason string, header http.Header) fault {
	return func(request *http.Request, _ http.RoundTripper) (*http.Response, error) {
		body := `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"` + reason + `","message":"injected"}`
		if header == nil {
			header = http.Header{}
		}
		response := &http.Response{
			StatusCode: code,
			Header:     header.Clone(),
			Body:       io.NopCloser(strings.NewReader(body)),
			Request:    request,
		}
		response.Header.Set("Content-Type", "application/json")
		return response, nil
	}
}
