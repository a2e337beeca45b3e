package pool

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// The pools that every cluster may have. All others are custom pools.
const (
	Master  = "master"
	Arbiter = "arbiter"
	Worker  = "worker"
)

// Primary returns the pool that a node gets its config from, or nil if no pool selects it.
//
//  1. A pool selects the nodes that its nodeSelector matches; without a selector, or with an
//     empty one, it selects none.
//  2. No pool selects a Windows node.
//  3. A node that two custom pools select, or Arbiter and a custom pool, is a *ConflictError,
//     whatever else selects it.
//  4. Otherwise Master comes first, then Arbiter, then a custom pool, then Worker.
//  5. An invalid selector is a *SelectorError: which nodes that pool selects is unknown.
//
// It parses every nodeSelector. For many nodes, use a Resolver.
func Primary(node *corev1.Node, pools []*mcfgv1.MachineConfigPool) (*mcfgv1.MachineConfigPool, error) {
	var r Resolver
	return r.Primary(node, pools)
}

// Resolver is Primary for many nodes: it parses a nodeSelector once per change of its pool. The
// zero value is usable, by any number of goroutines. It must not be copied.
type Resolver struct {
	mu     sync.Mutex // guards parsed
	parsed map[string]*selection
}

// Primary returns the pool that a node gets its config from, see the function of this name. The
// pools must not be changed afterwards, as those of an informer's cache are not.
func (r *Resolver) Primary(node *corev1.Node, pools []*mcfgv1.MachineConfigPool) (*mcfgv1.MachineConfigPool, error) {
	return primary(node, r.selections(pools))
}

// selections returns the pools with their selectors.
func (r *Resolver) selections(pools []*mcfgv1.MachineConfigPool) []*selection {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := make([]*selection, 0, len(pools))
	for _, pool := range pools {
		if pool == nil {
			continue
		}
		s := r.parsed[pool.Name]
		if s == nil || s.pool != pool {
			s = newSelection(pool, s)
		}
		list = append(list, s)
	}
	if len(r.parsed) > len(list) {
		r.parsed = nil // some were deleted
	}
	if r.parsed == nil {
		r.parsed = make(map[string]*selection, len(list))
	}
	for _, s := range list {
		r.parsed[s.pool.Name] = s
	}
	return list
}

// selection is a pool with its parsed nodeSelector. It never changes.
type selection struct {
	pool     *mcfgv1.MachineConfigPool
	selector labels.Selector
	err      error // a *SelectorError
}

// newSelection parses a nodeSelector, unless it is that of the previous state of the pool.
func newSelection(pool *mcfgv1.MachineConfigPool, previous *selection) *selection {
	if previous != nil && equality.Semantic.DeepEqual(pool.Spec.NodeSelector, previous.pool.Spec.NodeSelector) {
		return &selection{pool: pool, selector: previous.selector, err: previous.err}
	}
	selector, err := metav1.LabelSelectorAsSelector(pool.Spec.NodeSelector)
	if err != nil {
		return &selection{pool: pool, err: &SelectorError{Pool: pool.Name, Err: err}}
	}
	return &selection{pool: pool, selector: selector}
}

func (s *selection) selects(node *corev1.Node) bool {
	return s.err == nil && !s.selector.Empty() && s.selector.Matches(labels.Set(node.Labels))
}

func primary(node *corev1.Node, pools []*selection) (*mcfgv1.MachineConfigPool, error) {
	if IsWindows(node) {
		return nil, nil
	}
	var first *mcfgv1.MachineConfigPool
	var exclusive []string
	for _, s := range pools {
		if s.err != nil {
			return nil, s.err
		}
		if !s.selects(node) {
			continue
		}
		if rank(s.pool) == customRank || s.pool.Name == Arbiter {
			exclusive = append(exclusive, s.pool.Name)
		}
		if first == nil || rank(s.pool) < rank(first) {
			first = s.pool
		}
	}
	if len(exclusive) > 1 {
		slices.Sort(exclusive)
		return nil, &ConflictError{NodeName: node.Name, Pools: exclusive}
	}
	return first, nil
}

// IsWindows reports whether a node runs Windows. No pool manages such a node.
func IsWindows(node *corev1.Node) bool {
	if os, ok := node.Labels[corev1.LabelOSStable]; ok {
		return os == string(corev1.Windows)
	}
	return node.Status.NodeInfo.OperatingSystem == string(corev1.Windows)
}

const customRank = 2

func rank(pool *mcfgv1.MachineConfigPool) int {
	switch pool.Name {
	case Master:
		return 0
	case Arbiter:
		return 1
	case Worker:
		return 3
	}
	return customRank
}

// ConflictError means that pools select a node of which only one may: custom pools and Arbiter.
type ConflictError struct {
	NodeName string
	Pools    []string // sorted
}

// Error names the pools and the remedy.
func (e *ConflictError) Error() string {
	return fmt.Sprintf("node %s is selected by conflicting pools (%s): change its labels or their nodeSelectors, so that only one of them selects it", e.NodeName, strings.Join(e.Pools, ", "))
}

// SelectorError means that the nodeSelector of a pool is invalid.
type SelectorError struct {
	Pool string
	Err  error
}

// Error names the pool and the cause.
func (e *SelectorError) Error() string {
	return fmt.Sprintf("MachineConfigPool %s: invalid nodeSelector: %v", e.Pool, e.Err)
}

// Unwrap returns the cause.
func (e *SelectorError) Unwrap() error { return e.Err }
