package source

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
)

const (
	budgets = "poddisruptionbudgets"
	pods    = "pods"
	// maxPods limits the pods that are read. A screen names no more: see its maxNames.
	maxPods = 10
)

// podMetadata is the metadata of a Pod: no other field is needed.
type podMetadata struct{ metav1.PartialObjectMetadata }

// refused returns the pods whose eviction was refused, in the order in which a screen shows their nodes. The caller
// holds the lock.
func (s *Store) refused() []types.NamespacedName {
	var nodes []*cluster.Node
	s.each(func(n *cluster.Node) {
		if len(n.Pods) > 0 {
			nodes = append(nodes, n)
		}
	})
	rank := map[bool]int{false: 1} // degraded nodes come first
	slices.SortFunc(nodes, func(a, b *cluster.Node) int {
		return cmp.Or(rank[a.Degraded]-rank[b.Degraded], a.Since.Compare(b.Since), cmp.Compare(a.Name, b.Name))
	})
	var all []types.NamespacedName
	for _, n := range nodes {
		for _, pod := range n.Pods {
			name := types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}
			if pod.Refused && !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	return all
}

// readBudgets reads the PodDisruptionBudgets of the namespaces in which an eviction was refused, and the
// metadata of the first refused pods.
func (c *Cluster) readBudgets(ctx context.Context, s *Store, client rest.Interface) {
	s.mu.Lock()
	refused := s.refused()
	s.mu.Unlock()
	namespaces := map[string]bool{}
	for _, pod := range refused {
		namespaces[pod.Namespace] = true
	}
	var all []policyv1.PodDisruptionBudget
	for _, namespace := range slices.Sorted(maps.Keys(namespaces)) {
		list := policyv1.PodDisruptionBudgetList{}
		if c.readOptional(ctx, s, client, "list", budgets, "/apis/policy/v1/namespaces/"+namespace+"/"+budgets, &list) != nil {
			return // the last budgets are kept
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
	if len(all) == 0 {
		return
	}
	for _, name := range refused[:min(maxPods, len(refused))] {
		if s.knowsPod(name) {
			continue
		}
		pod := &podMetadata{}
		err := c.readOptional(ctx, s, client, "get", pods, "/api/v1/namespaces/"+name.Namespace+"/"+pods+"/"+name.Name, &pod.PartialObjectMetadata)
		switch {
		case err == nil:
			s.Put(pod)
		case apierrors.IsNotFound(err):
			s.edit(func() { s.facts.Pods[name] = cluster.Pod{IsGone: true} })
		}
	}
}

// putPod adds or replaces a pod. The caller holds the lock.
func (s *Store) putPod(pod *podMetadata) {
	name := types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}
	s.facts.Pods[name] = cluster.Pod{Labels: pod.Labels, Created: pod.CreationTimestamp.Time, IsTerminating: pod.DeletionTimestamp != nil}
}

// knowsPod reports whether the labels of a pod are known. A pod that did not exist or was terminating may have been
// created since.
func (s *Store) knowsPod(name types.NamespacedName) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	pod, isRead := s.facts.Pods[name]
	return isRead && !pod.IsGone && !pod.IsTerminating
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
