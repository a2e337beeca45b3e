package source

import (
	"context"
	"maps"
	"slices"

	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
)

const budgets = "poddisruptionbudgets"

// refusedIn returns the namespaces in which an eviction was refused, or nil if the user may not read
// their budgets.
func (s *Store) refusedIn() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.resources[budgets] != nil {
		return nil
	}
	all := map[string]bool{}
	s.each(func(n *cluster.Node) {
		for _, pod := range n.Pods {
			if pod.Refused {
				all[pod.Namespace] = true
			}
		}
	})
	return slices.Sorted(maps.Keys(all))
}

// readBudgets reads the PodDisruptionBudgets of the namespaces in which an eviction was refused. They
// are optional: if the user may not read them, the next view says so.
func (c *Cluster) readBudgets(ctx context.Context, s *Store, client rest.Interface) {
	var all []policyv1.PodDisruptionBudget
	for _, namespace := range s.refusedIn() {
		list := policyv1.PodDisruptionBudgetList{}
		err := c.getJSON(ctx, client, "/apis/policy/v1/namespaces/"+namespace+"/"+budgets, &list)
		switch {
		case apierrors.IsForbidden(err):
			s.edit(func() { s.resources[budgets] = &access{listed: true, denied: c.explain("list", budgets, err)} })
			return
		case err != nil:
			return // the last budgets are kept
		}
		all = append(all, list.Items...)
	}
	s.edit(func() {
		clear(s.facts.Budgets)
		for i := range all {
			s.put(&all[i])
		}
	})
}
