package e2e

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"syscall"
)

// faults is a transport that fails like a network or a server while a fault is set.
type faults struct {
	next http.RoundTripper
	mu   sync.Mutex
	now  fault
}

// fault answers a request instead of the server, or forwards it to next.
type fault func(request *http.Request, next http.RoundTripper) (*http.Response, error)

func (f *faults) wrap(next http.RoundTripper) http.RoundTripper {
	f.next = next
	return f
}

func (f *faults) set(now fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now = now
}

func (f *faults) RoundTrip(request *http.Request) (*http.Response, error) {
	f.mu.Lock()
	now := f.now
	f.mu.Unlock()
	if now == nil {
		return f.next.RoundTrip(request)
	}
	return now(request, f.next)
}

// injected are the faults that need no failure of the real servers.
var injected = map[string]fault{
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
