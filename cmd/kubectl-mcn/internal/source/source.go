// Package source reads the objects of a rollout, from a cluster or from files. It keeps the progress of each
// node, and not its object.
package source

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// Source provides the objects.
type Source interface {
	// Read fills a store. To follow, it keeps the store up to date until the context ends. It returns nil
	// when there is no more to read, as at the end of a file.
	Read(ctx context.Context, s *Store, follow bool) error
	// Now is the time to which ages are measured.
	Now() time.Time
	// Origin is where the objects come from, "" for a cluster.
	Origin() string
}

// UsageError is an error of the arguments, or of a cluster that cannot be read: what was tried, and what to do.
type UsageError struct{ error }

// Unwrap returns the cause.
func (e *UsageError) Unwrap() error { return e.error }

// Usagef returns a UsageError.
func Usagef(format string, args ...any) error { return &UsageError{fmt.Errorf(format, args...)} }

// View is a store at one moment.
type View struct {
	Time       time.Time
	Pools      []progress.Pool
	Components []metav1.Condition // nil: not known
	Releases   map[string]string  // the OpenShift versions of rendered configs, if they are known
	Unmanaged  bool               // no object has managedFields, which have the times of requests

	Ready       bool             // everything has been listed
	Last        bool             // the source has ended
	Denied      map[string]error // the resources that may not be read
	Failure     error            // of the requests to a server that does not respond; nil while it does
	LastContact time.Time        // its last response; zero while it responds
}

// View returns the view at a time.
func (s *Store) View(now time.Time) View {
	s.mu.Lock()
	defer s.mu.Unlock()
	nodes := make([]progress.Node, 0, len(s.nodes))
	for name, n := range s.nodes {
		n.NotReady, n.Cordoned = s.states[name].notReady, s.states[name].cordoned
		nodes = append(nodes, n)
	}
	v := View{
		Time:     now,
		Pools:    progress.Pools(slices.Collect(maps.Values(s.pools)), nodes, now, s.limits),
		Releases: maps.Clone(s.releases), Unmanaged: len(s.nodes) > 0 && !s.managed,
		Ready: s.filled, Denied: map[string]error{},
	}
	if s.config != nil {
		v.Components = s.config.Status.Conditions
	}
	for name, r := range s.resources {
		v.Ready = v.Ready && r.listed
		if r.denied != nil {
			v.Denied[name] = r.denied
		}
		if r.failure == nil || r.listed && now.Sub(r.lost) < maxReconnect {
			continue
		}
		v.Failure = r.failure
		last := r.responded
		if last.IsZero() {
			last = r.lost
		}
		if v.LastContact.IsZero() || last.Before(v.LastContact) {
			v.LastContact = last
		}
	}
	return v
}
