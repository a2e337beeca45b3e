package screen

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
)

// budgets names the PodDisruptionBudgets that refuse the evictions of a node's pods: those that select the
// pod, for example "PDB shop/router allows 0 disruptions (1 of 2 healthy): router-0". If the labels of a pod
// are not known, nobody can say which budget refuses it. Then budgets names all that allow no disruption.
func (o Options) budgets(n cluster.Node) (texts []string) {
	refusedBy, unknown, unselected := map[types.NamespacedName][]string{}, map[string][]string{}, map[string][]string{} // the pods of a budget, and of a namespace
	for _, pod := range n.Pods {
		if !pod.Refused {
			continue
		}
		name := types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}
		state, _ := o.stateOf(n, pod)
		by, isKnown := o.selecting(n, pod)
		switch {
		case state.IsTerminating:
			texts = addOnce(texts, Clean(name.String()+" is terminating"))
		case state.IsGone:
			texts = addOnce(texts, Clean(name.String()+" is gone since then"))
		case !isKnown && !pod.HasSeveral:
			unknown[pod.Namespace] = addOnce(unknown[pod.Namespace], pod.Name)
		case isKnown && len(by) == 0:
			unselected[pod.Namespace] = addOnce(unselected[pod.Namespace], pod.Name)
		}
		var names []string
		for _, name := range by {
			names = append(names, name.Name)
			if o.Budgets[name].DisruptionsAllowed <= 0 {
				refusedBy[name] = addOnce(refusedBy[name], pod.Name)
			}
		}
		if o.isAllowed(by) {
			texts = addOnce(texts, Clean(name.String()+" can be evicted now"))
		}
		if len(by) > 1 {
			texts = addOnce(texts, Clean(name.String()+" has several budgets, so the API server does not evict it: "+strings.Join(names, ", ")))
		}
	}
	for _, name := range slices.SortedFunc(maps.Keys(refusedBy), byName) {
		b := o.Budgets[name]
		texts = append(texts, Clean(fmt.Sprintf("PDB %s allows 0 disruptions (%s): %s", name, healthOf(b), o.names(refusedBy[name]))))
	}
	for _, namespace := range slices.Sorted(maps.Keys(unselected)) {
		texts = append(texts, Clean("no budget of "+namespace+" selects "+o.names(unselected[namespace])))
	}
	for _, namespace := range slices.Sorted(maps.Keys(unknown)) {
		var full []string
		for _, name := range slices.SortedFunc(maps.Keys(o.Budgets), byName) {
			if b := o.Budgets[name]; name.Namespace == namespace && isFull(b) {
				full = append(full, name.Name+" ("+healthOf(b)+")")
			}
		}
		if len(full) > 0 {
			texts = append(texts, Clean("refused: "+o.names(unknown[namespace])+"; budgets of "+namespace+" that allow 0: "+o.names(full)))
		}
	}
	return texts
}

// stateOf returns what is known about a pod whose eviction from a node was refused. A younger pod with its name runs
// on another node, because this node was cordoned: the pod of a StatefulSet was created again.
func (o Options) stateOf(n cluster.Node, pod mco.Pod) (state cluster.Pod, isRead bool) {
	state, isRead = o.Pods[types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}]
	if state.Created.After(n.Since) && !n.Since.IsZero() {
		return cluster.Pod{IsGone: true}, true
	}
	return state, isRead
}

// selecting returns the budgets that select a pod of a node, sorted. A pod that is gone or terminating needs none.
// isKnown is false if the budgets of its namespace or the labels of the pod are not known.
func (o Options) selecting(n cluster.Node, pod mco.Pod) (by []types.NamespacedName, isKnown bool) {
	state, isRead := o.stateOf(n, pod)
	if state.IsGone || state.IsTerminating {
		return nil, true
	}
	var all []types.NamespacedName
	for _, name := range slices.SortedFunc(maps.Keys(o.Budgets), byName) {
		if name.Namespace == pod.Namespace {
			all = append(all, name)
		}
	}
	if !isRead && len(all) > 0 {
		return nil, false
	}
	isOther := func(name types.NamespacedName) bool { return !o.Budgets[name].Selector.Matches(state.Labels) }
	return slices.DeleteFunc(all, isOther), o.BudgetsOf[pod.Namespace]
}

// isAllowed reports whether the only budget that selects a pod allows its eviction now.
func (o Options) isAllowed(by []types.NamespacedName) bool {
	return len(by) == 1 && o.Budgets[by[0]].DisruptionsAllowed > 0
}

// refusing returns the names of the budgets that select the pods of a node, which tell causes apart.
func (o Options) refusing(n cluster.Node) string {
	var names []string
	for _, pod := range n.Pods {
		by, _ := o.selecting(n, pod)
		for _, name := range by {
			names = addOnce(names, name.String())
		}
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

func byName(a, b types.NamespacedName) int { return cmp.Compare(a.String(), b.String()) }

// isFull reports whether a budget refuses the eviction of some pod.
func isFull(b cluster.Budget) bool {
	return b.DisruptionsAllowed <= 0 && (b.ExpectedPods > 0 || failureOf(b) != "")
}

// failureOf returns why the API server could not count the pods of a budget, which then allows nothing, or "".
func failureOf(b cluster.Budget) string {
	c := meta.FindStatusCondition(b.Conditions, policyv1.DisruptionAllowedCondition)
	if c == nil || c.Reason != policyv1.SyncFailedReason {
		return ""
	}
	return c.Message
}

// healthOf describes why a budget allows no disruption, for example "1 of 2 healthy". If all pods are healthy,
// it also says how many are required, because no pod will become healthy.
func healthOf(b cluster.Budget) string {
	if failure := failureOf(b); failure != "" {
		return failure
	}
	text := fmt.Sprintf("%d of %d healthy", b.CurrentHealthy, b.ExpectedPods)
	if b.CurrentHealthy >= b.ExpectedPods {
		text += fmt.Sprintf(", %d required", b.DesiredHealthy)
	}
	return text
}

// addOnce adds a text that the list does not have yet.
func addOnce(list []string, text string) []string {
	if slices.Contains(list, text) {
		return list
	}
	return append(list, text)
}
