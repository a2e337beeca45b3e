package main

import (
	"maps"
	"slices"
	"sync"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// store keeps the state of a cluster: the progress of each node, and not its object.
type store struct {
	changed chan struct{} // has an entry when something has changed

	mu      sync.Mutex // guards the fields below
	nodes   map[string]*trimmedNode
	pools   map[string]*mcfgv1.MachineConfigPool
	history *progress.History
	filled  map[string]bool // the resources that have been listed
	watched map[string]bool // those that have been watched
	links   map[string]link // to the server, by resource
}

func newStore() *store {
	return &store{
		changed: make(chan struct{}, 1),
		nodes:   map[string]*trimmedNode{}, pools: map[string]*mcfgv1.MachineConfigPool{},
		history: &progress.History{}, filled: map[string]bool{}, watched: map[string]bool{}, links: map[string]link{},
	}
}

// wake notifies the reader of the store.
func (s *store) wake() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// edit changes the store.
func (s *store) edit(change func()) {
	s.mu.Lock()
	change()
	s.mu.Unlock()
	s.wake()
}

func (s *store) observe(mcn *mcfgv1.MachineConfigNode) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.history.Observe(mcn)
}

// put adds or replaces a node or a pool.
func (s *store) put(obj any) {
	s.edit(func() {
		switch o := obj.(type) {
		case *trimmedNode:
			s.nodes[o.Name] = o
		case *mcfgv1.MachineConfigPool:
			s.pools[o.Name] = o
		}
	})
}

// remove deletes a node or a pool.
func (s *store) remove(obj any) {
	s.edit(func() {
		switch o := obj.(type) {
		case *trimmedNode:
			if old, ok := s.nodes[o.Name]; ok && old.UID == o.UID {
				delete(s.nodes, o.Name)
				s.history.Forget(o.Name)
			}
		case *mcfgv1.MachineConfigPool:
			delete(s.pools, o.Name)
		}
	})
}

// replace replaces all objects of a resource by a list.
func (s *store) replace(resource string, list []any) {
	s.edit(func() {
		s.filled[resource] = true
		if resource == poolsResource {
			clear(s.pools)
		} else {
			old := maps.Clone(s.nodes)
			clear(s.nodes)
			for _, obj := range list {
				if n, ok := obj.(*trimmedNode); ok {
					delete(old, n.Name)
				}
			}
			for name := range old {
				s.history.Forget(name)
			}
		}
		for _, obj := range list {
			switch o := obj.(type) {
			case *trimmedNode:
				s.nodes[o.Name] = o
			case *mcfgv1.MachineConfigPool:
				s.pools[o.Name] = o
			}
		}
	})
}

// watches records that a resource is watched.
func (s *store) watches(resource string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watched[resource] = true
}

// isNew reports whether a resource has never been listed or, for the verb watch, watched.
func (s *store) isNew(resource, verb string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if verb == "watch" {
		return !s.watched[resource]
	}
	return !s.filled[resource]
}

// view is the store at one moment.
type view struct {
	time        time.Time
	pools       []progress.Pool
	selected    map[string]bool // the nodes that the selector matches
	lastContact time.Time       // the last response of an unreachable server; zero while it is reachable
	filled      bool            // everything has been listed
}

// look returns the view at a time.
func (s *store) look(now time.Time) view {
	s.mu.Lock()
	defer s.mu.Unlock()
	nodes := make([]progress.Node, 0, len(s.nodes))
	selected := make(map[string]bool, len(s.nodes))
	for name, n := range s.nodes {
		nodes = append(nodes, n.node)
		selected[name] = n.selected
	}
	pools := slices.Collect(maps.Values(s.pools))
	return view{
		time:        now,
		pools:       progress.Pools(pools, nodes, s.history, now, progress.Limits{}),
		selected:    selected,
		lastContact: s.awaySince(now),
		filled:      s.filled[poolsResource] && s.filled[nodesResource],
	}
}

// spans returns the bars of a timeline.
func (s *store) spans() []progress.Span {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.history.Spans()
}
