package screen

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
	"github.com/openshift/upgrademonitor/internal/nodemeta"
)

// ofPods says why the pods that the error of a drain names do not go: they are terminating, or a PodDisruptionBudget
// that selects them refuses the eviction, for example "PDB shop/router allows 0 disruptions (1 of 2 healthy): router-0".
// It also returns the commands that show more, in the order of rank. If a budget waits for pods that are not Ready, the
// commands show these pods in place of the budget.
func (o Options) ofPods(n cluster.Node) (texts, next []string) {
	said := saidOfPods{refused: map[types.NamespacedName][]string{}, unknown: map[string][]string{}, unselected: map[string][]string{}}
	pods := slices.Clone(n.Pods)
	slices.SortStableFunc(pods, func(a, b mco.Pod) int { return o.rank(n, a) - o.rank(n, b) })
	for _, pod := range pods {
		commands := said.add(n, pod, o)
		if nodemeta.IsName(pod.Name) && nodemeta.IsName(pod.Namespace) {
			next = addOnce(next, commands...)
		}
	}
	return said.texts(o), next
}

// The order of the pods of a drain. Refused pods come before pods of which nothing is known, because one command shows all
// budgets of a namespace.
const (
	isHeld   = iota // by a finalizer
	isBroken        // terminating or not Ready
	isRefused
	isOther
)

func (o Options) rank(n cluster.Node, pod mco.Pod) int {
	switch state, _ := o.stateOf(n, pod); {
	case len(state.Finalizers) > 0:
		return isHeld
	case !state.Deleted.IsZero(), !state.NotReady.IsZero():
		return isBroken
	case pod.Refused:
		return isRefused
	}
	return isOther
}

// saidOfPods collects what a screen says about the pods of a drain.
type saidOfPods struct {
	refused    map[types.NamespacedName][]string // the pods that a budget refuses to evict
	unknown    map[string][]string               // by namespace, the refused pods whose budget is not known
	unselected map[string][]string               // by namespace, the refused pods that no budget selects
	leaving    []string                          // a text for each pod that is terminating
	others     []string                          // a text for each other pod
}

// add adds a pod, and returns the commands that show more about it.
func (s *saidOfPods) add(n cluster.Node, pod mco.Pod, o Options) []string {
	name := nameOf(pod)
	say := func(text string) { s.others = addOnce(s.others, Clean(name.String()+text)) }
	state, _ := o.stateOf(n, pod)
	by, isKnown := o.selectingBudgets(n, pod)
	switch {
	case state.IsGone:
		say(" is no longer on " + n.Name)
		return []string{mco.ControllerLog} // the controller tries again
	case !state.Deleted.IsZero():
		s.leaving = addOnce(s.leaving, Clean(name.String()+o.terminating(state)))
		return []string{o.showPod(n, pod)}
	case !pod.Refused:
		if !state.NotReady.IsZero() {
			say(o.notReady(state))
		}
		return []string{o.showPod(n, pod)}
	case isKnown && len(by) == 0:
		s.unselected[pod.Namespace] = addOnce(s.unselected[pod.Namespace], pod.Name)
		return []string{o.showPod(n, pod)}
	case len(by) == 1 && o.Budgets[by[0]].Allows(state), state.IsUnguarded:
		say(" can be evicted now")
		return []string{mco.ControllerLog} // the controller tries again
	case !isKnown && !pod.HasSeveral:
		s.unknown[pod.Namespace] = addOnce(s.unknown[pod.Namespace], pod.Name)
	}
	var names, commands []string
	for _, budget := range by {
		names = append(names, budget.Name)
		if o.Budgets[budget].DisruptionsAllowed <= 0 {
			s.refused[budget] = addOnce(s.refused[budget], pod.Name)
		}
		for _, unhealthy := range o.unhealthy(budget) {
			commands = append(commands, "oc describe pod "+unhealthy.Name+" -n "+unhealthy.Namespace)
		}
	}
	if len(by) > 1 {
		say(" has several budgets, so the API server does not evict it: " + strings.Join(names, ", "))
	}
	if commands == nil {
		commands = []string{"oc get pdb -n " + pod.Namespace}
	}
	return commands
}

// texts returns the texts about all pods. If the labels of a pod are not known, nobody can say which budget refuses it.
// Then a text names all budgets of its namespace that allow no disruption.
func (s *saidOfPods) texts(o Options) []string {
	texts := o.first(s.leaving, "terminating")
	texts = append(texts, s.others...)
	for _, name := range slices.SortedFunc(maps.Keys(s.refused), byName) {
		b := o.Budgets[name]
		texts = append(texts, Clean(fmt.Sprintf("PDB %s allows 0 disruptions (%s): %s", name, healthOf(b), o.names(s.refused[name]))))
		var waited []string
		for _, pod := range o.unhealthy(name) {
			waited = append(waited, Clean(pod.String()+o.notReady(o.Pods[pod])))
		}
		texts = addOnce(texts, o.first(waited, "not healthy")...)
	}
	for _, namespace := range slices.Sorted(maps.Keys(s.unselected)) {
		texts = append(texts, Clean("no budget of "+namespace+" selects "+o.names(s.unselected[namespace])))
	}
	for _, namespace := range slices.Sorted(maps.Keys(s.unknown)) {
		var allowNone []string
		for _, name := range slices.SortedFunc(maps.Keys(o.Budgets), byName) {
			if b := o.Budgets[name]; name.Namespace == namespace && isFull(b) {
				allowNone = append(allowNone, name.Name+" ("+healthOf(b)+")")
			}
		}
		if len(allowNone) > 0 {
			texts = append(texts, Clean("refused: "+o.names(s.unknown[namespace])+"; budgets of "+namespace+" that allow 0: "+o.names(allowNone)))
		}
	}
	return texts
}

// first returns the first texts about pods, and counts the others.
func (o Options) first(texts []string, state string) []string {
	if more := len(texts) - manySame; more > 0 && !o.Whole {
		return append(texts[:manySame], fmt.Sprintf("%d more %s: kubectl mcn -o wide", more, state))
	}
	return texts
}

// showPod returns the command that shows a pod or, if the error names several pods of its namespace, all pods of the namespace.
// A pod that is alone in what is known about it has its own command.
func (o Options) showPod(n cluster.Node, pod mco.Pod) string {
	rank := o.rank(n, pod)
	isNeighbor := func(p mco.Pod) bool {
		return p.Namespace == pod.Namespace && p.Name != pod.Name && (rank > isBroken || o.rank(n, p) == rank)
	}
	if slices.ContainsFunc(n.Pods, isNeighbor) {
		return "oc get pods -n " + pod.Namespace
	}
	return "oc get pod " + pod.Name + " -n " + pod.Namespace
}

// notReady says since when a pod is not Ready or is terminating, and why, if that is known.
func (o Options) notReady(p cluster.Pod) string {
	if !p.Deleted.IsZero() {
		return o.terminating(p)
	}
	return strings.TrimSuffix(" is not Ready"+sinceText(p.NotReady, o.Now)+": "+p.Why, ": ")
}

// terminating says since when a pod is terminating, until when, and what holds it after that.
func (o Options) terminating(p cluster.Pod) string {
	text := " is terminating" + sinceText(p.Deleted, o.Now)
	switch left := p.Ends.Sub(o.Now); {
	case left > 0:
		text += ", its grace period ends at " + clockTime(p.Ends, o.Now) + " (in " + took(left) + ")"
	case len(p.Finalizers) == 0:
		text += ", its grace period ended at " + clockTime(p.Ends, o.Now)
	}
	if len(p.Finalizers) > 0 {
		text += ", held by finalizer " + strings.Join(p.Finalizers, ", ")
	}
	return text
}

// unhealthy returns the known pods that a budget waits for. It waits for a pod that is terminating only if there is no
// other pod in its place yet: a StatefulSet creates a pod again after its end.
func (o Options) unhealthy(budget types.NamespacedName) (all []types.NamespacedName) {
	b := o.Budgets[budget]
	missing := int(b.ExpectedPods)
	var leaving []types.NamespacedName
	for name, pod := range o.Pods {
		switch {
		case !b.Waits() || name.Namespace != budget.Namespace || !b.Selector.Matches(pod.Labels):
		case !pod.Deleted.IsZero():
			leaving = append(leaving, name)
		default:
			missing--
			if !pod.NotReady.IsZero() {
				all = append(all, name)
			}
		}
	}
	if missing > 0 {
		all = append(all, leaving...)
	}
	slices.SortFunc(all, byName)
	return all
}

// stateOf returns what is known about a pod that the error of a drain names. The pod of a StatefulSet is created again
// with its name, on another node or, once the node is not cordoned, on the same one. If its node is not known, a pod that
// is younger than the drain is on another node.
func (o Options) stateOf(n cluster.Node, pod mco.Pod) (state cluster.Pod, isRead bool) {
	state, isRead = o.Pods[nameOf(pod)]
	isOther := state.Node != "" && state.Node != n.Name
	if isOther || state.Node == "" && state.Created.After(n.Since) && !n.Since.IsZero() {
		return cluster.Pod{IsGone: true}, true
	}
	return state, isRead
}

// selectingBudgets returns the budgets that select a pod of a node, sorted.
// isKnown is false if the budgets of its namespace or the labels of the pod are not known.
func (o Options) selectingBudgets(n cluster.Node, pod mco.Pod) (by []types.NamespacedName, isKnown bool) {
	state, isRead := o.stateOf(n, pod)
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

// causeOfPods returns what tells the causes of nodes apart: the names of the budgets that select their pods, and of the
// pods that no budget refuses.
func (o Options) causeOfPods(n cluster.Node) string {
	var names []string
	for _, pod := range n.Pods {
		by, _ := o.selectingBudgets(n, pod)
		if !pod.Refused {
			names = addOnce(names, nameOf(pod).String())
		}
		for _, name := range by {
			names = addOnce(names, name.String())
		}
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

func nameOf(pod mco.Pod) types.NamespacedName {
	return types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}
}

func byName(a, b types.NamespacedName) int { return cmp.Compare(a.String(), b.String()) }

// isFull reports whether a budget refuses the eviction of some pod.
func isFull(b cluster.Budget) bool {
	return b.DisruptionsAllowed <= 0 && (b.ExpectedPods > 0 || b.Failure != "")
}

// healthOf describes why a budget allows no disruption, for example "1 of 2 healthy". If all pods are healthy,
// it also says how many are required, because no pod will become healthy.
func healthOf(b cluster.Budget) string {
	if b.Failure != "" {
		return b.Failure
	}
	text := fmt.Sprintf("%d of %d healthy", b.CurrentHealthy, b.ExpectedPods)
	if b.CurrentHealthy >= b.ExpectedPods {
		text += fmt.Sprintf(", %d required", b.DesiredHealthy)
	}
	return text
}
