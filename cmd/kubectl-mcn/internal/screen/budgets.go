package screen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
)

// budgets names the PodDisruptionBudgets that refuse the evictions of a node's pods, and the pods, for example
// "PDB shop/router allows 0 disruptions (1 of 2 healthy): router-0".
func (o Options) budgets(n cluster.Node) []string {
	var order []cluster.Budget
	pods := map[cluster.Name][]string{}
	for _, pod := range n.Pods {
		if !pod.Refused {
			continue
		}
		for _, b := range o.Evictions.Refusing(cluster.Name{Namespace: pod.Namespace, Name: pod.Name}) {
			if pods[b.Name] == nil {
				order = append(order, b)
			}
			if !slices.Contains(pods[b.Name], pod.Name) {
				pods[b.Name] = append(pods[b.Name], pod.Name)
			}
		}
	}
	var texts []string
	for _, b := range order {
		required := ""
		if b.Healthy >= b.Expected { // no pod will become healthy
			required = fmt.Sprintf(", %d required", b.Required)
		}
		texts = append(texts, Clean(fmt.Sprintf("PDB %s/%s allows 0 disruptions (%d of %d healthy%s): %s",
			b.Namespace, b.Name.Name, b.Healthy, b.Expected, required, strings.Join(pods[b.Name], ", "))))
	}
	return texts
}
