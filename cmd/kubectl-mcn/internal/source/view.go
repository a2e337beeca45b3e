package source

import (
	"maps"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

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
