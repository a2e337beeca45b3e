package e2e

import (
	"fmt"
	"slices"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	no      = metav1.ConditionFalse
	running = metav1.ConditionUnknown
	done    = metav1.ConditionTrue
)

// The rules, implemented independently of the library.
var (
	singletons   = map[string]bool{"NodeDegraded": true, "PinnedImageSetsProgressing": true, "PinnedImageSetsDegraded": true}
	standardMode = []string{
		"UpdatePrepared", "UpdateExecuted", "Cordoned", "Drained", "AppliedFilesAndOS", "UpdatePostActionComplete", "RebootedNode",
		"Resumed", "UpdateComplete", "Uncordoned", "NodeDegraded", "Updated", "PinnedImageSetsProgressing", "PinnedImageSetsDegraded",
	}
	imageMode = []string{
		"UpdatePrepared", "UpdateExecuted", "Cordoned", "Drained", "AppliedFiles", "AppliedOSImage", "ImagePulledFromRegistry",
		"UpdatePostActionComplete", "RebootedNode", "Resumed", "UpdateComplete", "Uncordoned", "NodeDegraded", "Updated",
		"PinnedImageSetsProgressing", "PinnedImageSetsDegraded",
	}
	arrows = map[[2]metav1.ConditionStatus]bool{{no, running}: true, {running, done}: true, {done, no}: true}
)

func isPhase(name string) bool {
	return slices.Contains(standardMode, name) || slices.Contains(imageMode, name)
}

// mayStep reports whether a write may have this transition of one condition, and no reset.
func mayStep(name string, from, to metav1.ConditionStatus) bool {
	switch {
	case from == to, singletons[name], !isPhase(name):
		return true
	case name == "Updated":
		return to != running
	default:
		return arrows[[2]metav1.ConditionStatus{from, to}]
	}
}

// isReset reports whether the list is as after the beginning or the end of an update.
func isReset(list []metav1.Condition) bool {
	for _, c := range list {
		switch {
		case singletons[c.Type], c.Type == "Updated", c.Status == no, !isPhase(c.Type):
		case c.Type == "UpdatePrepared" && c.Status == running:
		default:
			return false
		}
	}
	return true
}

// byAnother is the reason of a condition that another client has written, which keeps no rule.
const byAnother = "ByAnother"

// broken returns the rules that are broken by a write that replaces the conditions before.
func broken(before, after []metav1.Condition) (rules []string) {
	for _, c := range after {
		was, existed := statusOf(before, c.Type)
		from := was.Status
		if !existed {
			from = no
		}
		reset := from == running && c.Status == no && isReset(after)
		if !mayStep(c.Type, from, c.Status) && !reset && c.Reason != byAnother {
			rules = append(rules, fmt.Sprintf("%s jumped from %s to %s", c.Type, from, c.Status))
		}
		if isPhase(c.Type) && existed && from == c.Status && was.LastTransitionTime != c.LastTransitionTime {
			rules = append(rules, c.Type+": the time changed without the status")
		}
	}
	for _, c := range before {
		_, still := statusOf(after, c.Type)
		changesMode := slices.Contains(standardMode, c.Type) != slices.Contains(imageMode, c.Type)
		if !still && !changesMode {
			rules = append(rules, c.Type+" is gone")
		}
	}
	return rules
}

// claims reports whether a status says that it is about a spec which desires another config than the
// update under way, or the last one, is for.
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
