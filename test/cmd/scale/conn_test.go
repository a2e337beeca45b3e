package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// TestPartyCountsItsRequests compares its tally with what the server received.
func TestPartyCountsItsRequests(t *testing.T) {
	const bodies = 100_000
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		if strings.HasSuffix(r.URL.Path, "contested") {
			w.WriteHeader(http.StatusConflict)
		}
		_, _ = io.WriteString(w, `{"kind":"Node","apiVersion":"v1","metadata":{"annotations":{"a":"`+strings.Repeat("x", bodies)+`"}}}`)
	}))
	defer server.Close()
	p, err := newParty("test", &rest.Config{Host: server.URL, TLSClientConfig: rest.TLSClientConfig{Insecure: true}})
	require.NoError(t, err)
	defer p.close()

	_, err = p.core.CoreV1().Nodes().Get(t.Context(), "worker-0", metav1.GetOptions{})
	require.NoError(t, err)
	_, err = p.core.CoreV1().Nodes().Get(t.Context(), "contested", metav1.GetOptions{})
	require.Error(t, err)

	tally := p.tally()
	assert.Equal(t, map[string]int{"get": 2}, tally.Requests)
	assert.Equal(t, 1, tally.Conflicts)
	assert.Zero(t, tally.Failed)
	assert.Greater(t, tally.Down, int64(2*bodies))
	assert.Less(t, tally.Down, int64(2*bodies+20_000), "handshake, headers and frames")
	assert.Positive(t, tally.Up)

	p.counted.Requests["get"] = 99
	assert.Equal(t, 2, tally.Requests["get"], "a tally is a copy")
}
