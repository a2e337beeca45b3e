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

// The resources that are read.
const (
	nodesResource          = "machineconfignodes"
	poolsResource          = "machineconfigpools"
	configurationsResource = "machineconfigurations" // of the components
)

// Store keeps the state of a cluster. It is safe for concurrent use.
type Store struct {
	// Changed has an entry when something has changed.
	Changed chan struct{}

	limits    progress.Limits
	mu        sync.Mutex // guards the fields below
	nodes     map[string]progress.Node
	pools     map[string]*mcfgv1.MachineConfigPool
	config    *operatorv1.MachineConfiguration
	history   progress.History
	chosen    map[string]bool    // the nodes that -l selects; nil: all
	resources map[string]*access // those that are read, by name
}

// access is what is known of reading one resource.
type access struct {
	listed, watched   bool // once at least
	denied            error
	lastContact, lost time.Time // of the server; lost is zero while it is reachable
}

// nodeProgress is what is kept of a MachineConfigNode in a list.
type nodeProgress struct {
	metav1.PartialObjectMetadata
	node progress.Node
}

// NewStore returns an empty store.
func NewStore(limits progress.Limits) *Store {
	return &Store{
		Changed: make(chan struct{}, 1), limits: limits,
		nodes: map[string]progress.Node{}, pools: map[string]*mcfgv1.MachineConfigPool{}, resources: map[string]*access{},
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

// observe returns what is kept of an object in a list, and lets the history observe it.
func (s *Store) observe(obj runtime.Object) runtime.Object {
	mcn, ok := obj.(*mcfgv1.MachineConfigNode)
	if !ok {
		return obj
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.history.Observe(mcn)
	return &nodeProgress{node: progress.FromMachineConfigNode(mcn)}
}

// put adds or replaces an object. The caller holds the lock.
func (s *Store) put(obj any) {
	switch o := obj.(type) {
	case *mcfgv1.MachineConfigNode:
		s.history.Observe(o)
		s.nodes[o.Name] = progress.FromMachineConfigNode(o)
	case *nodeProgress:
		s.nodes[o.node.Name] = o.node
	case *mcfgv1.MachineConfigPool:
		s.pools[o.Name] = o
	case *operatorv1.MachineConfiguration:
		s.config = o
	}
}

// remove deletes an object. The caller holds the lock.
func (s *Store) remove(obj any) {
	switch o := obj.(type) {
	case *mcfgv1.MachineConfigNode:
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
func (s *Store) replace(name string, list []any) {
	s.edit(func() {
		s.resources[name].listed, s.resources[name].denied = true, nil
		old := s.nodes
		switch name {
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

// contact records a response of the server, or that there was none.
func (s *Store) contact(name string, now time.Time, ok bool) {
	s.edit(func() {
		switch r := s.resources[name]; {
		case ok:
			r.lastContact, r.lost = now, time.Time{}
		case r.lost.IsZero():
			r.lost = now
		}
	})
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
		Time:   now,
		Pools:  progress.Pools(slices.Collect(maps.Values(s.pools)), slices.Collect(maps.Values(s.nodes)), &s.history, now, s.limits),
		Spans:  s.spans,
		Chosen: s.chosen, Denied: map[string]error{}, Ready: len(s.resources) > 0,
	}
	if s.config != nil {
		v.Components = s.config.Status.Conditions
	}
	for name, r := range s.resources {
		v.Ready = v.Ready && r.listed
		if r.denied != nil {
			v.Denied[name] = r.denied
		}
		if r.lost.IsZero() || now.Sub(r.lost) < maxReconnect {
			continue
		}
		last := r.lastContact
		if last.IsZero() {
			last = r.lost
		}
		if v.LastContact.IsZero() || last.Before(v.LastContact) {
			v.LastContact = last
		}
	}
	return v
}

func (s *Store) spans() []progress.Span {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.history.Spans()
}
