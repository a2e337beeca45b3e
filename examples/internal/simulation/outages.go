package simulation

import (
	"strings"
	"sync"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

// outages counts the nodes of each pool that are unavailable at the same time, independently
// of what starts their updates.
//
// The events of Nodes and those of MachineConfigNodes are ordered among themselves only, so
// cordoned nodes and nodes in an update are counted separately.
type outages struct {
	mu       sync.Mutex
	reported map[string]bool            // nodes that were updated once; before, they do not count
	cordoned map[string]map[string]bool // nodes, by pool
	updating map[string]map[string]bool // nodes, by pool
	most     map[string]int             // by pool
}

func newOutages() *outages {
	o := &outages{reported: map[string]bool{}, cordoned: map[string]map[string]bool{}, updating: map[string]map[string]bool{}, most: map[string]int{}}
	for _, name := range poolNames {
		o.cordoned[name], o.updating[name] = map[string]bool{}, map[string]bool{}
	}
	return o
}

// observe counts a Node or a MachineConfigNode.
func (o *outages) observe(obj any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch object := obj.(type) {
	case *corev1.Node:
		o.set(o.cordoned, object.Name, object.Spec.Unschedulable)
	case *mcfgv1.MachineConfigNode:
		updated := conditions.StatusOf(object.Status.Conditions, phases.Updated) == metav1.ConditionTrue
		o.reported[object.Name] = o.reported[object.Name] || updated
		o.set(o.updating, object.Name, o.reported[object.Name] && !updated)
	}
}

func (o *outages) set(nodes map[string]map[string]bool, name string, unavailable bool) {
	poolName, _, _ := strings.Cut(name, "-")
	delete(nodes[poolName], name)
	if unavailable {
		nodes[poolName][name] = true
	}
	o.most[poolName] = max(o.most[poolName], len(nodes[poolName]))
}

// Outage is the largest number of nodes of a pool that were unavailable at the same time.
type Outage struct {
	Pool        string
	Unavailable int
	Nodes       int
}

// Outages returns the outages since the start, of the pools with nodes.
func (c *Cluster) Outages() []Outage {
	c.outages.mu.Lock()
	defer c.outages.mu.Unlock()
	var all []Outage
	for _, name := range poolNames {
		if nodes := sizes(c.options.Nodes)[name]; nodes > 0 {
			all = append(all, Outage{Pool: name, Unavailable: c.outages.most[name], Nodes: nodes})
		}
	}
	return all
}
