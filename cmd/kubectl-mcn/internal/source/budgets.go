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
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
)

const (
	budgets = "poddisruptionbudgets"
	pods    = "pods"
	// maxPods limits the pods that are read, as maxNames of package screen limits a list of names.
	maxPods = 10
	// maxOfBudget limits the pods of a budget, because they are read every two seconds. If a budget has more, only those in
	// the errors are read.
	maxOfBudget = 100
)

// namedPods returns the pods that the errors of drains name. Those of degraded nodes come first, then those of the nodes
// that have been at their step for the longest time. The caller holds the lock.
func (s *Store) namedPods() (all []mco.Pod) {
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

// readPods reads the first pods that the errors of drains name, and the PodDisruptionBudgets that may refuse their eviction.
// If a budget refuses one of them because other pods are not healthy, readPods lists the pods of the budget.
func (c *Cluster) readPods(ctx context.Context, s *Store, client rest.Interface) {
	s.mu.Lock()
	named := s.namedPods()
	s.mu.Unlock()
	c.readBudgets(ctx, s, client, named)
	named = named[:min(maxPods, len(named))]
	for _, p := range named {
		pod := &corev1.Pod{}
		err := c.readOptional(ctx, s, "get", pods, client.Get().AbsPath("/api/v1/namespaces", p.Namespace, pods, p.Name), pod)
		switch {
		case err == nil:
			s.Put(pod)
		case apierrors.IsNotFound(err):
			s.edit(func() {
				s.facts.Pods[types.NamespacedName{Namespace: p.Namespace, Name: p.Name}] = cluster.Pod{IsGone: true}
			})
		}
	}
	for budget, selector := range s.waitingBudgets(named) {
		c.listPods(ctx, s, client, budget.Namespace, selector)
	}
}

// readBudgets reads the PodDisruptionBudgets of the namespaces in which an eviction was refused. If they cannot be read,
// the last ones are kept.
func (c *Cluster) readBudgets(ctx context.Context, s *Store, client rest.Interface, named []mco.Pod) {
	namespaces := map[string]bool{}
	for _, pod := range named {
		if pod.Refused {
			namespaces[pod.Namespace] = true
		}
	}
	var all []policyv1.PodDisruptionBudget
	for _, namespace := range slices.Sorted(maps.Keys(namespaces)) {
		list := policyv1.PodDisruptionBudgetList{}
		if c.readOptional(ctx, s, "list", budgets, client.Get().AbsPath("/apis/policy/v1/namespaces", namespace, budgets), &list) != nil {
			return
		}
		all = append(all, list.Items...)
	}
	s.edit(func() {
		clear(s.facts.Budgets)
		s.facts.BudgetsOf = namespaces
		for i := range all {
			s.put(&all[i])
		}
	})
}

// waitingBudgets returns the budgets that select one of the pods and wait for other pods, with their selectors.
func (s *Store) waitingBudgets(named []mco.Pod) map[types.NamespacedName]labels.Selector {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[types.NamespacedName]labels.Selector{}
	for _, p := range named {
		pod := s.facts.Pods[types.NamespacedName{Namespace: p.Namespace, Name: p.Name}]
		for name, b := range s.facts.Budgets {
			if name.Namespace == p.Namespace && b.Waits() && b.ExpectedPods <= maxOfBudget && b.Selector.Matches(pod.Labels) {
				all[name] = b.Selector
			}
		}
	}
	return all
}

// listPods reads the pods that a selector selects, and forgets those that no longer exist, except the pods of errors.
func (c *Cluster) listPods(ctx context.Context, s *Store, client rest.Interface, namespace string, selector labels.Selector) {
	list := corev1.PodList{}
	request := client.Get().AbsPath("/api/v1/namespaces", namespace, pods).Param("labelSelector", selector.String())
	if c.readOptional(ctx, s, "list", pods, request, &list) != nil {
		return
	}
	s.edit(func() {
		maps.DeleteFunc(s.facts.Pods, func(name types.NamespacedName, pod cluster.Pod) bool {
			return name.Namespace == namespace && !pod.IsGone && selector.Matches(pod.Labels)
		})
		for i := range list.Items {
			s.put(&list.Items[i])
		}
	})
}

// errDenied is the error of a read that the user may not do.
var errDenied = errors.New("denied")

// readOptional reads an object or a list, unless the user may not: then the next view says so.
func (c *Cluster) readOptional(ctx context.Context, s *Store, verb, resource string, request *rest.Request, into any) error {
	key := verb + " " + resource
	s.mu.Lock()
	isDenied := s.resources[key] != nil
	s.mu.Unlock()
	if isDenied {
		return errDenied
	}
	err := c.getJSON(ctx, request, into)
	if apierrors.IsForbidden(err) {
		s.edit(func() { s.resources[key] = &access{listed: true, denied: c.explain(verb, resource, err)} })
	}
	return err
}
