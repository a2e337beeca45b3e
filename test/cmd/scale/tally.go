package main

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"
)

// The verbs, in the order in which they are printed.
var verbs = []string{"get", "list", "watch", "create", "apply", "patch", "update", "delete"}

// tally is what one party has requested.
type tally struct {
	Requests  map[string]int // by verb; a watch counts once, when it begins
	Conflicts int            // responses with 409
	Failed    int            // other responses from 400 on, and requests without a response
	Up, Down  int64          // bytes of its connections: TLS records, HTTP/2 frames and headers included
}

// total returns the number of requests of all verbs.
func (t tally) total() int {
	total := 0
	for _, n := range t.Requests {
		total += n
	}
	return total
}

// since returns the difference to an earlier tally of the same party.
func (t tally) since(before tally) tally {
	requests := map[string]int{}
	for verb, n := range t.Requests {
		if n -= before.Requests[verb]; n != 0 {
			requests[verb] = n
		}
	}
	return tally{
		Requests:  requests,
		Conflicts: t.Conflicts - before.Conflicts,
		Failed:    t.Failed - before.Failed,
		Up:        t.Up - before.Up,
		Down:      t.Down - before.Down,
	}
}

// plus returns the sum of two tallies.
func (t tally) plus(other tally) tally {
	requests := maps.Clone(t.Requests)
	if requests == nil {
		requests = map[string]int{}
	}
	for verb, n := range other.Requests {
		requests[verb] += n
	}
	return tally{
		Requests:  requests,
		Conflicts: t.Conflicts + other.Conflicts,
		Failed:    t.Failed + other.Failed,
		Up:        t.Up + other.Up,
		Down:      t.Down + other.Down,
	}
}

func (t tally) clone() tally {
	t.Requests = maps.Clone(t.Requests)
	return t
}

// verbOf returns the verb of a request in the API server's authorization, with apply distinguished
// from other patches.
func verbOf(request *http.Request) string {
	switch request.Method {
	case http.MethodGet:
		switch {
		case request.URL.Query().Has("watch"):
			return "watch"
		case isCollection(request.URL.Path):
			return "list"
		}
		return "get"
	case http.MethodPost:
		return "create"
	case http.MethodPatch:
		apply := []string{string(types.ApplyYAMLPatchType), string(types.ApplyCBORPatchType)}
		if slices.Contains(apply, request.Header.Get("Content-Type")) {
			return "apply"
		}
		return "patch"
	case http.MethodPut:
		return "update"
	}
	return strings.ToLower(request.Method)
}

// isCollection distinguishes /api/v1/nodes from /api/v1/nodes/worker-0. No resource here is namespaced.
func isCollection(path string) bool {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	if parts[0] == "apis" { // /apis/<group>/<version>/<resource>
		return len(parts) == 4
	}
	return len(parts) == 3
}
