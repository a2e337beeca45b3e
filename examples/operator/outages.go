package main

import (
	"strings"
	"sync"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

// outages counts how many nodes of a pool were unavailable at a time, as a watch shows it.
// It knows nothing of who lets them be, and so checks it.
//
// The cordoned Nodes and the MachineConfigNodes that are not updated are two watches, each
// with an order of its own: each is counted by itself.
type outages struct {
	mu       sync.Mutex
	started  map[string]bool            // nodes that were updated once: before, they do not count
	cordoned map[string]map[string]bool // nodes, by pool
	updating map[string]map[string]bool // nodes, by pool
	most     map[string]int             // by pool
}

func newOutages() *outages {
	o := &outages{started: map[string]bool{}, cordoned: map[string]map[string]bool{}, updating: map[string]map[string]bool{}, most: map[string]int{}}
	for _, name := range poolNames {
		o.cordoned[name], o.updating[name] = map[string]bool{}, map[string]bool{}
	}
	return o
}

// see takes in a Node or a MachineConfigNode as it is now.
func (o *outages) see(obj any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch object := obj.(type) {
	case *corev1.Node:
		o.set(o.cordoned, object.Name, object.Spec.Unschedulable)
	case *mcfgv1.MachineConfigNode:
		updated := conditions.StatusOf(object.Status.Conditions, phases.Updated) == metav1.ConditionTrue
		o.started[object.Name] = o.started[object.Name] || updated
		o.set(o.updating, object.Name, o.started[object.Name] && !updated)
	}
}

func (o *outages) set(nodes map[string]map[string]bool, name string, down bool) {
	poolName, _, _ := strings.Cut(name, "-")
	delete(nodes[poolName], name)
	if down {
		nodes[poolName][name] = true
	}
	o.most[poolName] = max(o.most[poolName], len(nodes[poolName]))
}

// worst returns how many nodes of a pool were unavailable at a time, at most.
func (o *outages) worst(poolName string) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.most[poolName]
}
