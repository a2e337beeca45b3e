package cluster

import (
	"cmp"
	"slices"

	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// Name is the name of an object in its namespace.
type Name struct{ Namespace, Name string }

// Evictions has the PodDisruptionBudgets that are known, and the labels of pods that are known.
type Evictions struct {
	Budgets map[Name]Budget
	Labels  map[Name]map[string]string
}

// Refusing returns the budgets that do not allow to evict a pod now, sorted by name. If the labels of the
// pod are not known, these are all budgets of its namespace that allow no disruption.
func (e Evictions) Refusing(pod Name) []Budget {
	var all []Budget
	of, isKnown := e.Labels[pod]
	for _, b := range e.Budgets {
		if b.Namespace == pod.Namespace && b.Allowed == 0 && b.Expected > 0 && (!isKnown || b.selector.Matches(labels.Set(of))) {
			all = append(all, b)
		}
	}
	slices.SortFunc(all, func(a, b Budget) int { return cmp.Compare(a.Name.Name, b.Name.Name) })
	return all
}

// Budget has the facts of a PodDisruptionBudget that an entry shows.
type Budget struct {
	Name
	// Allowed is the number of pods that may be evicted now. Healthy pods of Expected are healthy, and
	// Required must be.
	Allowed, Healthy, Required, Expected int

	selector labels.Selector
}

// NewBudget reads a PodDisruptionBudget.
func NewBudget(o *policyv1.PodDisruptionBudget) Budget {
	selector, err := metav1.LabelSelectorAsSelector(o.Spec.Selector)
	if err != nil {
		selector = labels.Nothing()
	}
	s := o.Status
	return Budget{
		Name: Name{o.Namespace, o.Name}, Allowed: int(s.DisruptionsAllowed), Healthy: int(s.CurrentHealthy),
		Required: int(s.DesiredHealthy), Expected: int(s.ExpectedPods), selector: selector,
	}
}
