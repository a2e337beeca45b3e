package main

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestVerbOf(t *testing.T) {
	const node, object = "/api/v1/nodes", "/apis/machineconfiguration.openshift.io/v1/machineconfignodes"
	for _, test := range []struct {
		method, url, contentType, verb string
	}{
		{http.MethodGet, node + "/worker-0", "", "get"},
		{http.MethodGet, object + "/worker-0", "", "get"},
		{http.MethodGet, node, "", "list"},
		{http.MethodGet, object + "?limit=500", "", "list"},
		{http.MethodGet, object + "?watch=true", "", "watch"},
		{http.MethodGet, node + "?sendInitialEvents=true&watch=1", "", "watch"},
		{http.MethodPost, object, "application/json", "create"},
		{http.MethodPatch, object + "/worker-0/status", "application/apply-patch+yaml", "apply"},
		{http.MethodPatch, object + "/worker-0", "application/apply-patch+cbor", "apply"},
		{http.MethodPatch, object + "/worker-0", "application/merge-patch+json", "patch"},
		{http.MethodPut, object + "/worker-0/status", "application/json", "update"},
		{http.MethodDelete, object + "/worker-0", "", "delete"},
	} {
		request, err := http.NewRequestWithContext(t.Context(), test.method, "https://server"+test.url, nil)
		require.NoError(t, err)
		request.Header.Set("Content-Type", test.contentType)
		assert.Equal(t, test.verb, verbOf(request), "%s %s", test.method, test.url)
		assert.Contains(t, verbs, verbOf(request), "it has a column")
	}
}

func TestTalliesAddUp(t *testing.T) {
	before := tally{Requests: map[string]int{"get": 5, "list": 1}, Conflicts: 1, Failed: 2, Up: 10, Down: 100}
	after := tally{Requests: map[string]int{"get": 7, "list": 1, "apply": 3}, Conflicts: 4, Failed: 2, Up: 15, Down: 300}

	spent := after.since(before)

	assert.Equal(t, tally{Requests: map[string]int{"get": 2, "apply": 3}, Conflicts: 3, Up: 5, Down: 200}, spent)
	assert.Equal(t, 5, spent.total())
	sum := before.plus(spent)
	assert.Equal(t, after, sum)
	assert.Equal(t, 5, before.Requests["get"], "the arguments are unchanged")
	assert.Equal(t, spent, tally{}.plus(spent))
}
