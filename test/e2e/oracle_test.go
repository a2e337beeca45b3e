package e2e

import (
	"fmt"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

const (
	no      = metav1.ConditionFalse
	running = metav1.ConditionUnknown
	done    = metav1.ConditionTrue
)

func isPhase(name string) bool { return phases.KindOf(phases.Phase(name)) != "" }

// typesOf returns the condition types of a mode.
func typesOf(imageMode bool) (types []string) {
	for _, p := range phases.All(imageMode) {
		types = append(types, string(p))
	}
	return types
}

// mayStep reports whether a write may have this transition of one condition, without a reset.
func mayStep(name string, from, to metav1.ConditionStatus) bool {
	path, err := phases.Path(phases.Phase(name), from, to)
	return from == to || !isPhase(name) || err == nil && len(path) == 1
}

// isReset reports whether the list is as after the start or the end of an update.
func isReset(list []metav1.Condition) bool {
	for _, c := range list {
		starts := c.Type == "UpdatePrepared" && c.Status == running
		if phases.IsUpdateStep(phases.Phase(c.Type)) && c.Status != no && !starts {
			return false
		}
	}
	return true
}

// broken returns the rules that a write breaks.
func broken(before, after []metav1.Condition) (rules []string) {
	for _, c := range after {
		was, existed := statusOf(before, c.Type)
		from := was.Status
		if !existed {
			from = no
		}
		reset := from == running && c.Status == no && isReset(after)
		if !mayStep(c.Type, from, c.Status) && !reset {
			rules = append(rules, fmt.Sprintf("%s jumped from %s to %s", c.Type, from, c.Status))
		}
		if isPhase(c.Type) && existed && from == c.Status && was.LastTransitionTime != c.LastTransitionTime {
			rules = append(rules, c.Type+": the time changed without the status")
		}
	}
	for _, c := range before {
		p := phases.Phase(c.Type)
		if _, still := statusOf(after, c.Type); !still && phases.ExistsIn(p, true) == phases.ExistsIn(p, false) {
			rules = append(rules, c.Type+" is gone")
		}
	}
	return rules
}

// claims reports whether a status takes a spec into account that desires another config than the
// current or the last update.
func claims(before, after *mcfgv1.MachineConfigNode) bool {
	list := after.Status.Conditions
	updated, _ := statusOf(list, "Updated")
	prepared, _ := statusOf(list, "UpdatePrepared")
	known := updated.Status == done || prepared.Status == done && updated.Reason != "NotYetOccurred"
	return known && after.Status.ObservedGeneration > before.Status.ObservedGeneration && before.UID == after.UID &&
		after.Spec.ConfigVersion.Desired != after.Status.ConfigVersion.Desired
}

func statusOf(list []metav1.Condition, name string) (metav1.Condition, bool) {
	for _, c := range list {
		if c.Type == name {
			return c, true
		}
	}
	return metav1.Condition{}, false
}
