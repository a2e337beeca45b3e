package source

import (
	"maps"
	"slices"
	"sync"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	operatorv1 "github.com/openshift/api/operator/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// maxReconnect is how long a server may be unreachable before it is shown: a watch that is restarted is
// no outage.
const maxReconnect = 2 * time.Second

// Store keeps the state of a cluster. It is safe for concurrent use.
type Store struct {
	// Changed has an entry when something has changed.
	Changed chan struct{}

	limits  progress.Limits
	needs   []string   // the resources of which a view is ready
	mu      sync.Mutex // guards the fields below
	nodes   map[string]progress.Node
	pools   map[string]*mcfgv1.MachineConfigPool
	config  *operatorv1.MachineConfiguration
	history progress.History
	chosen  map[string]bool // the nodes that -l selects; nil: all
	filled  map[string]bool // the resources that have been listed
	denied  map[string]error
	watched map[string]bool // those that have been watched
	links   map[string]link // to the server, by resource
}

// link is the connection to the server for one resource.
type link struct{ lastContact, lost time.Time }

// NewStore returns an empty store.
func NewStore(limits progress.Limits) *Store {
	return &Store{
		Changed: make(chan struct{}, 1), limits: limits, needs: []string{poolsResource, nodesResource},
		nodes: map[string]progress.Node{}, pools: map[string]*mcfgv1.MachineConfigPool{},
		filled: map[string]bool{}, watched: map[string]bool{}, denied: map[string]error{}, links: map[string]link{},
	}
}

// edit changes the store, and wakes its reader.
func (s *Store) edit(change func()) {
	s.mu.Lock()
	change()
	s.mu.Unlock()
	select {
	case s.Changed <- struct{}{}:
	default:
	}
}

// observe returns what is kept of an object, and lets the history observe it.
func (s *Store) observe(obj runtime.Object) runtime.Object {
	mcn, ok := obj.(*mcfgv1.MachineConfigNode)
	if !ok || mcn.Name == "" {
		return trim(obj)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.history.Observe(mcn)
	return trim(obj)
}

// put adds or replaces an object that trim has returned.
func (s *Store) put(obj any) {
	switch o := obj.(type) {
	case *trimmedNode:
		s.nodes[o.Name] = o.node
	case *mcfgv1.MachineConfigPool:
		s.pools[o.Name] = o
	case *operatorv1.MachineConfiguration:
		s.config = o
	}
}

// remove deletes an object that trim has returned.
func (s *Store) remove(obj any) {
	switch o := obj.(type) {
	case *trimmedNode:
		if old, ok := s.nodes[o.Name]; ok && old.UID == o.UID {
			delete(s.nodes, o.Name)
			s.history.Forget(o.Name)
		}
	case *mcfgv1.MachineConfigPool:
		delete(s.pools, o.Name)
	case *operatorv1.MachineConfiguration:
		s.config = nil
	}
}

// replace replaces all objects of a resource by a list.
func (s *Store) replace(resource string, list []any) {
	s.edit(func() {
		s.filled[resource] = true
		delete(s.denied, resource)
		old := s.nodes
		switch resource {
		case poolsResource:
			s.pools = map[string]*mcfgv1.MachineConfigPool{}
		case nodesResource:
			s.nodes = map[string]progress.Node{}
		case configurationsResource:
			s.config = nil
		}
		for _, obj := range list {
			s.put(obj)
		}
		for name := range old {
			if _, ok := s.nodes[name]; !ok {
				s.history.Forget(name)
			}
		}
	})
}

// deny records that a resource may not be read: the rest is shown.
func (s *Store) deny(resource string, err error) {
	s.edit(func() {
		s.filled[resource] = true
		s.denied[resource] = err
	})
}

// contact records a response of the server, or that there was none.
func (s *Store) contact(resource string, now time.Time, ok bool) {
	change := func() {
		l := s.links[resource]
		switch {
		case ok:
			l = link{lastContact: now}
		case l.lost.IsZero():
			l.lost = now
		}
		s.links[resource] = l
	}
	s.mu.Lock()
	isNews := ok != s.links[resource].lost.IsZero()
	s.mu.Unlock()
	if isNews {
		s.edit(change)
		return
	}
	s.mu.Lock()
	change()
	s.mu.Unlock()
}

// isNew reports whether a resource has never been listed or, for the verb watch, watched.
func (s *Store) isNew(resource, verb string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if verb == "watch" {
		return !s.watched[resource]
	}
	return !s.filled[resource]
}

// awaySince returns the last response of an unreachable server, else zero. The caller holds the lock.
func (s *Store) awaySince(now time.Time) time.Time {
	var since time.Time
	for _, l := range s.links {
		if l.lost.IsZero() || now.Sub(l.lost) < maxReconnect {
			continue
		}
		last := l.lastContact
		if last.IsZero() {
			last = l.lost
		}
		if since.IsZero() || last.Before(since) {
			since = last
		}
	}
	return since
}

// View is a store at one moment.
type View struct {
	Time        time.Time
	Pools       []progress.Pool
	Spans       func() []progress.Span
	Components  []metav1.Condition // nil: not known
	Chosen      map[string]bool    // the nodes that -l selects; nil: all
	Denied      map[string]error   // the resources that may not be read
	LastContact time.Time          // the last response of an unreachable server; zero while it is reachable
	Ready       bool               // everything has been listed
}

// Look returns the view at a time.
func (s *Store) Look(now time.Time) View {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := View{
		Time:        now,
		Pools:       progress.Pools(slices.Collect(maps.Values(s.pools)), slices.Collect(maps.Values(s.nodes)), &s.history, now, s.limits),
		Spans:       s.spans,
		Chosen:      s.chosen,
		Denied:      maps.Clone(s.denied),
		LastContact: s.awaySince(now),
		Ready: !slices.ContainsFunc(s.needs, func(r string) bool { return !s.filled[r] }) &&
			slices.ContainsFunc(s.needs, func(r string) bool { return s.denied[r] == nil }),
	}
	if s.config != nil {
		v.Components = s.config.Status.Conditions
	}
	return v
}

func (s *Store) spans() []progress.Span {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.history.Spans()
}
