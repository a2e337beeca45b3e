package source

import (
	"cmp"
	"context"
	"maps"
	"slices"

	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
)

// maxRefused limits the pods whose labels are read.
const maxRefused = 20

// refusedPods returns the pods whose eviction was refused, sorted.
func (s *Store) refusedPods() []cluster.Name {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[cluster.Name]bool{}
	s.each(func(n *cluster.Node) {
		for _, pod := range n.Pods {
			if pod.Refused {
				all[cluster.Name{Namespace: pod.Namespace, Name: pod.Name}] = true
			}
		}
	})
	sorted := slices.SortedFunc(maps.Keys(all), func(a, b cluster.Name) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return sorted[:min(maxRefused, len(sorted))]
}

// readBudgets reads the PodDisruptionBudgets of the namespaces in which an eviction was refused, and the
// labels of the refused pods. They are optional.
func (c *Cluster) readBudgets(ctx context.Context, s *Store, client rest.Interface) {
	read := map[string]bool{}
	for _, pod := range s.refusedPods() {
		path := "/apis/policy/v1/namespaces/" + pod.Namespace + "/" + "poddisruptionbudgets"
		if list := (policyv1.PodDisruptionBudgetList{}); !read[pod.Namespace] && c.get(ctx, s, client, "poddisruptionbudgets", path, &list) {
			s.edit(func() {
				maps.DeleteFunc(s.evictions.Budgets, func(name cluster.Name, _ cluster.Budget) bool { return name.Namespace == pod.Namespace })
				for i := range list.Items {
					s.put(&list.Items[i])
				}
			})
		}
		read[pod.Namespace] = true
		meta := metav1.PartialObjectMetadata{}
		if !s.hasLabels(pod) && c.get(ctx, s, client, "pods", "/api/v1/namespaces/"+pod.Namespace+"/pods/"+pod.Name, &meta) {
			s.edit(func() { s.evictions.Labels[pod] = meta.Labels })
		}
	}
}

func (s *Store) hasLabels(pod cluster.Name) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, has := s.evictions.Labels[pod]
	return has
}

// get reads an optional object or list, and reports whether it was read. If the user may not read the
// resource, the next view says so, and get does not try again.
func (c *Cluster) get(ctx context.Context, s *Store, client rest.Interface, resource, path string, into any) bool {
	s.mu.Lock()
	isDenied := s.denied[resource] != nil
	s.mu.Unlock()
	if isDenied {
		return false
	}
	err := c.getJSON(ctx, client, path, into)
	if apierrors.IsForbidden(err) {
		s.edit(func() { s.denied[resource] = c.explain("get", resource, err) })
	}
	return err == nil
}
