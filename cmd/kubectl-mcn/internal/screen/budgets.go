package screen

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
)

// budgets names the PodDisruptionBudgets that refuse the evictions of a node's pods, and the pods of
// their namespaces, for example "PDB shop/router allows 0 disruptions (1 of 2 healthy): router-0".
func (o Options) budgets(n cluster.Node) (texts []string) {
	refused := map[string][]string{} // the pods by namespace
	for _, pod := range n.Pods {
		if pod.Refused && !slices.Contains(refused[pod.Namespace], pod.Name) {
			refused[pod.Namespace] = append(refused[pod.Namespace], pod.Name)
		}
	}
	byName := func(a, b types.NamespacedName) int { return cmp.Compare(a.String(), b.String()) }
	for _, name := range slices.SortedFunc(maps.Keys(o.Budgets), byName) {
		s, pods := o.Budgets[name], refused[name.Namespace]
		if len(pods) == 0 || s.DisruptionsAllowed > 0 || s.ExpectedPods == 0 {
			continue
		}
		required := ""
		if s.CurrentHealthy >= s.ExpectedPods { // no pod will become healthy
			required = fmt.Sprintf(", %d required", s.DesiredHealthy)
		}
		texts = append(texts, Clean(fmt.Sprintf("PDB %s allows 0 disruptions (%d of %d healthy%s): %s",
			name, s.CurrentHealthy, s.ExpectedPods, required, strings.Join(pods, ", "))))
	}
	return texts
}
