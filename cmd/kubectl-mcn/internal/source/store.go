package source

import (
	"maps"
	"slices"
	"sync"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	operatorv1 "github.com/openshift/api/operator/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
)

// maxReconnect is how long the API server may be unreachable before a view reports a failure. A
// watch that reconnects is not an outage.
const maxReconnect = 2 * time.Second

// The resources that a reader reads.
const (
	machineConfigNodes = "machineconfignodes"
	machineConfigPools = "machineconfigpools"
	machineConfigs     = "machineconfigs" // only the one of Cluster.MachineConfig
	coreNodes          = "nodes"
	clusterVersions    = "clusterversions"       // only version
	clusterOperators   = "clusteroperators"      // only ownOperator
	configurations     = "machineconfigurations" // their conditions have the health of the components

	ownOperator = "machine-config"
)

// Store keeps the objects of a cluster. It is safe for concurrent use.
type Store struct {
	// Changed has a value if the store has changed since the last receive.
	Changed chan struct{}

	mu         sync.Mutex         // guards the fields below
	filled     bool               // the store was changed at least once
	members    map[string]*member // by name
	pools      map[string]*mcfgv1.MachineConfigPool
	components []metav1.Condition // see View.Components
	facts      cluster.Facts
	resources  map[string]*access // the resources of a cluster, by name; empty for files
	texts      map[string]string  // the texts that objects share: see the method text
	targets    map[string]bool    // the targets whose MachineConfigs were read
}

// member is a Node and the MachineConfigNode of the same name. One of them may be nil.
type member struct {
	node  *corev1.Node
	mcn   *mcfgv1.MachineConfigNode
	value *cluster.Node // computed from both, or nil if one of them has changed
}

// access is the state of the requests for one resource.
type access struct {
	listed, watched bool            // the first list, and the first watch, have succeeded
	leftOut         bool            // the command does without the resource
	denied          error           // the error, if the user may not read the resource
	failure         error           // the error of the last request, or nil
	responded, lost time.Time       // the times of the last response, and of the first failure after it
	names           map[string]bool // the names of the objects, and whether the current list has them
}

// NewStore returns an empty store.
func NewStore() *Store {
	return &Store{
		Changed: make(chan struct{}, 1), resources: map[string]*access{},
		members: map[string]*member{}, pools: map[string]*mcfgv1.MachineConfigPool{}, texts: map[string]string{}, targets: map[string]bool{},
		facts: cluster.Facts{
			Configs: map[string]cluster.MachineConfig{},
			Budgets: map[types.NamespacedName]cluster.Budget{}, BudgetsOf: map[string]bool{},
			Pods: map[types.NamespacedName]cluster.Pod{},
		},
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
		m := s.member(o.Name)
		m.mcn, m.value = s.trimMachineConfigNode(o), nil
	case *corev1.Node:
		m := s.member(o.Name)
		m.node, m.value = s.trimNode(o), nil
	case *mcfgv1.MachineConfigPool:
		s.pools[o.Name] = o
	case *operatorv1.MachineConfiguration:
		s.components = o.Status.Conditions
	case *metav1.PartialObjectMetadata: // of a MachineConfig
		s.facts.Configs[o.Name] = cluster.NewMachineConfig(o.ObjectMeta)
	case *configv1.ClusterVersion:
		s.facts.Version = cluster.NewVersion(o)
	case *configv1.ClusterOperator:
		if o.Name == ownOperator {
			s.facts.Operator = cluster.OperatorProblems(o)
		}
	case *policyv1.PodDisruptionBudget:
		s.facts.Budgets[types.NamespacedName{Namespace: o.Namespace, Name: o.Name}] = cluster.NewBudget(o)
		s.facts.BudgetsOf[o.Namespace] = true
	case *corev1.Pod:
		s.facts.Pods[types.NamespacedName{Namespace: o.Namespace, Name: o.Name}] = cluster.NewPod(o)
	case *mcfgv1.MachineConfig:
		s.facts.Configs[o.Name] = cluster.NewMachineConfig(o.ObjectMeta)
	}
}

func (s *Store) member(name string) *member {
	if s.members[name] == nil {
		s.members[name] = &member{}
	}
	return s.members[name]
}

// add puts an object of a resource. The caller holds the lock.
func (s *Store) add(resource string, obj any) error {
	object, err := meta.Accessor(obj)
	if err == nil {
		s.put(obj)
		s.resources[resource].names[object.GetName()] = true
	}
	return err
}

// remove deletes an object of a resource. The caller holds the lock.
func (s *Store) remove(resource, name string) {
	delete(s.resources[resource].names, name)
	switch resource {
	case machineConfigNodes:
		m := s.member(name)
		m.mcn, m.value = nil, nil
	case coreNodes:
		m := s.member(name)
		m.node, m.value = nil, nil
	case machineConfigPools:
		delete(s.pools, name)
	case machineConfigs:
		delete(s.facts.Configs, name)
	}
}

// putPage adds the objects of a page of a list. After the last page, it removes the objects that
// are not in the list.
func (s *Store) putPage(resource string, page runtime.Object, isFirst, isLast bool) (err error) {
	s.edit(func() {
		a := s.resources[resource]
		for name := range a.names {
			a.names[name] = a.names[name] && !isFirst
		}
		err = meta.EachListItem(page, func(obj runtime.Object) error { return s.add(resource, obj) })
		if !isLast {
			return
		}
		a.listed, a.leftOut, a.denied = true, false, nil
		for name, isListed := range a.names {
			if !isListed {
				s.remove(resource, name)
			}
		}
	})
	return err
}

// objects returns the objects for package cluster. The caller holds the lock.
func (s *Store) objects() cluster.Objects {
	o := cluster.Objects{
		Pools: slices.Collect(maps.Values(s.pools)), Nodes: make([]cluster.Node, 0, len(s.members)),
		HasNodes: s.resources[coreNodes] != nil, Facts: s.facts,
	}
	s.each(func(n *cluster.Node) { o.Nodes = append(o.Nodes, *n) })
	return o
}

// each calls do for each node, without a copy of the nodes. The caller holds the lock.
func (s *Store) each(do func(*cluster.Node)) {
	for _, m := range s.members {
		if m.node == nil && m.mcn == nil {
			continue
		}
		if m.value == nil {
			value := cluster.NewNode(m.node, m.mcn)
			if !s.facts.Older.IsZero() && m.mcn != nil {
				value = cluster.NewNode(nil, m.mcn).In(m.node)
			}
			m.value = &value
		}
		do(m.value)
	}
}
