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
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// requests counts the requests of one client at its transport, by kind and by status code.
type requests struct {
	mu      sync.Mutex
	kinds   map[string]int
	answers map[int]int
	bytes   int // read from the responses
}

func (r *requests) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(request *http.Request) (*http.Response, error) {
		r.sent(request) // before the server can have processed it
		response, err := next.RoundTrip(request)
		if err == nil {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.answers[response.StatusCode]++
			response.Body = &countedBody{ReadCloser: response.Body, requests: r}
		}
		return response, err
	})
}

// countedBody counts the bytes that are read from a response.
type countedBody struct {
	io.ReadCloser
	requests *requests
}

func (b *countedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.requests.mu.Lock()
	defer b.requests.mu.Unlock()
	b.requests.bytes += n
	return n, err
}

// bytesDown returns the size of all responses.
func (r *requests) bytesDown() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.bytes
}

func (r *requests) sent(request *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.kinds == nil {
		r.kinds, r.answers = map[string]int{}, map[int]int{}
	}
	r.kinds[kindOf(request)]++
}

// kindOf distinguishes reads, creates, and writes of the spec and the status.
func kindOf(request *http.Request) string {
	switch {
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

// of returns the number of requests of a kind, all that of all kinds.
func (r *requests) of(kind string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.kinds[kind]
}

func (r *requests) all() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	total := 0
	for _, n := range r.kinds {
		total += n
	}
	return total
}

// answered returns the number of requests that were answered with a status code.
func (r *requests) answered(code int) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.answers[code]
}

func (r *requests) String() string {
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
