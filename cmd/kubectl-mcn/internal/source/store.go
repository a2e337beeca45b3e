package source

import (
	"maps"
	"slices"
	"sync"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	operatorv1 "github.com/openshift/api/operator/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
)

// maxReconnect is how long the API server may be unreachable before a view reports a failure. A
// watch that reconnects is not an outage.
const maxReconnect = 2 * time.Second

// The resources that a reader reads.
const (
	machineConfigNodes = "machineconfignodes"
	machineConfigPools = "machineconfigpools"
	configurations     = "machineconfigurations" // their conditions have the health of the components
)

// releaseAnnotation is the annotation with the OpenShift version of a rendered MachineConfig.
const releaseAnnotation = "machineconfiguration.openshift.io/release-image-version"

// Store keeps the objects of a rollout. It is safe for concurrent use.
type Store struct {
	// Changed has a value if the store has changed since the last receive.
	Changed chan struct{}

	limits           cluster.Limits
	mu               sync.Mutex // guards the fields below
	filled           bool       // the store was changed at least once
	nodes            map[string]cluster.Node
	pools            map[string]*mcfgv1.MachineConfigPool
	config           *operatorv1.MachineConfiguration
	states           map[string]nodeState // by name of the Node; empty if the user may not read Nodes
	hasManagedFields bool                 // a MachineConfigNode has managedFields
	releases         map[string]string    // OpenShift versions by rendered config; "" if not known
	resources        map[string]*access   // the resources of a cluster, by name; empty for files
}

// nodeState is what the screens show of a core/v1 Node.
type nodeState struct{ notReady, cordoned bool }

// access is the state of the requests for one resource.
type access struct {
	listed, watched bool            // the first list, and the first watch, have succeeded
	leftOut         bool            // the user may not read the resource, or it does not exist
	denied          error           // why the user may not read the resource
	failure         error           // the error of the last request, or nil
	responded, lost time.Time       // the times of the last response, and of the first failure after it
	names           map[string]bool // the names of the objects in the current list
}

// NewStore returns an empty store.
func NewStore(limits cluster.Limits) *Store {
	return &Store{
		Changed: make(chan struct{}, 1), limits: limits, resources: map[string]*access{}, releases: map[string]string{},
		nodes: map[string]cluster.Node{}, pools: map[string]*mcfgv1.MachineConfigPool{}, states: map[string]nodeState{},
	}
}

// edit calls change with the lock held, and signals Changed.
func (s *Store) edit(change func()) {
	s.mu.Lock()
	change()
	s.filled = true
	s.mu.Unlock()
	select {
	case s.Changed <- struct{}{}:
	default:
	}
}

// Put adds or replaces an object.
func (s *Store) Put(obj any) { s.edit(func() { s.put(obj) }) }

// put adds or replaces an object. The caller holds the lock.
func (s *Store) put(obj any) {
	switch o := obj.(type) {
	case *mcfgv1.MachineConfigNode:
		s.nodes[o.Name] = cluster.NewNode(o)
		s.hasManagedFields = s.hasManagedFields || len(o.ManagedFields) > 0
	case *mcfgv1.MachineConfigPool:
		s.pools[o.Name] = o
	case *operatorv1.MachineConfiguration:
		s.config = o
	case *corev1.Node:
		isNotReady := func(c corev1.NodeCondition) bool {
			return c.Type == corev1.NodeReady && c.Status != corev1.ConditionTrue
		}
		s.states[o.Name] = nodeState{slices.ContainsFunc(o.Status.Conditions, isNotReady), o.Spec.Unschedulable}
	case *metav1.PartialObjectMetadata: // a rendered MachineConfig
		s.releases[o.Name] = o.Annotations[releaseAnnotation]
	}
}

// remove deletes an object. The caller holds the lock.
func (s *Store) remove(obj any) {
	switch o := obj.(type) {
	case *mcfgv1.MachineConfigNode:
		if old, ok := s.nodes[o.Name]; ok && old.UID == o.UID {
			delete(s.nodes, o.Name)
		}
	case *mcfgv1.MachineConfigPool:
		delete(s.pools, o.Name)
	case *operatorv1.MachineConfiguration:
		s.config = nil
	}
}

// putPage adds the objects of a page of a list. After the last page, it removes the objects that
// are not in the list.
func (s *Store) putPage(resource string, page runtime.Object, isFirst, isLast bool) (err error) {
	s.edit(func() {
		a := s.resources[resource]
		if isFirst {
			a.names = map[string]bool{}
		}
		err = meta.EachListItem(page, func(obj runtime.Object) error {
			s.put(obj)
			object, err := meta.Accessor(obj)
			a.names[object.GetName()] = true
			return err
		})
		if err == nil && isLast {
			a.listed, a.leftOut, a.denied = true, false, nil
			s.prune(resource, a.names)
		}
	})
	return err
}

// prune deletes the objects of a resource that are not in names. The caller holds the lock.
func (s *Store) prune(resource string, names map[string]bool) {
	switch resource {
	case machineConfigPools:
		maps.DeleteFunc(s.pools, func(name string, _ *mcfgv1.MachineConfigPool) bool { return !names[name] })
	case machineConfigNodes:
		maps.DeleteFunc(s.nodes, func(name string, _ cluster.Node) bool { return !names[name] })
	case configurations:
		if len(names) == 0 {
			s.config = nil
		}
	}
}

// unknownReleases returns the rendered configs of pools and nodes that are not in s.releases yet.
func (s *Store) unknownReleases() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	unknown := map[string]bool{}
	add := func(config string) {
		if _, known := s.releases[config]; !known && config != "" {
			unknown[config] = true
		}
	}
	for _, p := range s.pools {
		add(p.Spec.Configuration.Name)
	}
	for _, n := range s.nodes {
		add(n.Current.Config)
	}
	return slices.Sorted(maps.Keys(unknown))
}
