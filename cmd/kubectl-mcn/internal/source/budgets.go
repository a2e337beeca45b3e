package source

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
)

const (
	budgets = "poddisruptionbudgets"
	pods    = "pods"
	// maxPods limits the pods that are read. A screen names no more: see its maxNames.
	maxPods = 10
)

// named returns the pods that the errors of drains name. Those of degraded nodes come first, then those of the nodes that
// have been at their step for the longest time. The caller holds the lock.
func (s *Store) named() (all []mco.Pod) {
	var nodes []*cluster.Node
	s.each(func(n *cluster.Node) { nodes = append(nodes, n) })
	rank := map[bool]int{false: 1} // degraded nodes come first
	slices.SortFunc(nodes, func(a, b *cluster.Node) int {
		return cmp.Or(rank[a.Degraded]-rank[b.Degraded], a.Since.Compare(b.Since), cmp.Compare(a.Name, b.Name))
	})
	for _, n := range nodes {
		all = append(all, n.Pods...)
	}
	return all
}

// readPods reads the first pods that the errors of drains name, and the PodDisruptionBudgets of the namespaces in which an
// eviction was refused.
func (c *Cluster) readPods(ctx context.Context, s *Store, client rest.Interface) {
	s.mu.Lock()
	named := s.named()
	s.mu.Unlock()
	namespaces := map[string]bool{}
	for _, pod := range named {
		if pod.Refused {
			namespaces[pod.Namespace] = true
		}
	}
	var all []policyv1.PodDisruptionBudget
	for _, namespace := range slices.Sorted(maps.Keys(namespaces)) {
		list := policyv1.PodDisruptionBudgetList{}
		if c.readOptional(ctx, s, client, "list", budgets, "/apis/policy/v1/namespaces/"+namespace+"/"+budgets, &list) != nil {
			namespaces = nil // the last budgets are kept
			break
		}
		all = append(all, list.Items...)
	}
	if namespaces != nil {
		s.edit(func() {
			clear(s.facts.Budgets)
			s.facts.BudgetsOf = namespaces
			for i := range all {
				s.put(&all[i])
			}
		})
	}
	for _, p := range named[:min(maxPods, len(named))] {
		pod := &corev1.Pod{}
		err := c.readOptional(ctx, s, client, "get", pods, "/api/v1/namespaces/"+p.Namespace+"/"+pods+"/"+p.Name, pod)
		switch {
		case err == nil:
			s.Put(pod)
		case apierrors.IsNotFound(err):
			s.edit(func() {
				s.facts.Pods[types.NamespacedName{Namespace: p.Namespace, Name: p.Name}] = cluster.Pod{IsGone: true}
			})
		}
	}
}

// errDenied is the error of a read that the user may not do.
var errDenied = errors.New("denied")

// readOptional reads an object or a list, unless the user may not: then the next view says so.
func (c *Cluster) readOptional(ctx context.Context, s *Store, client rest.Interface, verb, resource, path string, into any) error {
	s.mu.Lock()
	isDenied := s.resources[resource] != nil
	s.mu.Unlock()
	if isDenied {
		return errDenied
	}
	err := c.getJSON(ctx, client, path, "", into)
	if apierrors.IsForbidden(err) {
		s.edit(func() { s.resources[resource] = &access{listed: true, denied: c.explain(verb, resource, err)} })
	}
	return err
}
