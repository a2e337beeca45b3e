package upgrademonitortest

import (
	"strings"
	"testing"

	"github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/internal/conditionstest"
	"github.com/openshift/upgrademonitor/internal/phasetable"
	"github.com/openshift/upgrademonitor/phases"
)

// Transitions returns the statuses that the conditions of a node's MachineConfigNode have had since
// NewClientset, which must have returned the clientset c. The result has one line for each phase whose
// status has changed, in the order of phases.All. Example: "Drained: False Unknown True". A missing
// condition counts as False.
func Transitions(t testing.TB, c *fake.Clientset, nodeName string) string {
	t.Helper()
	c.RLock()
	defer c.RUnlock()
	for _, reactor := range c.ReactionChain {
		if s, ok := reactor.(*server); ok {
			return s.histories[nodeName].String()
		}
	}
	t.Fatal("Transitions needs a clientset from upgrademonitortest.NewClientset")
	return ""
}

// history has the statuses that a watcher of one object has seen.
type history struct {
	statuses map[phases.Phase][]metav1.ConditionStatus
	// recreated is true after the object was created again. Then the next write is not checked,
	// because it may restore the status.
	recreated bool
}

// created records the creation of the object.
func (h *history) created() {
	if h.recreated = h.statuses != nil; !h.recreated {
		h.add(nil)
	}
}

// write records a write of the status. It returns an error if a transition is invalid.
func (h *history) write(before, after []metav1.Condition) error {
	recreated := h.recreated
	h.recreated = false
	if recreated {
		h.add(after)
		return nil
	}
	h.add(before)
	h.add(after)
	return conditionstest.CheckTransitions(before, after)
}

func (h *history) add(list []metav1.Condition) {
	if h.statuses == nil {
		h.statuses = map[phases.Phase][]metav1.ConditionStatus{}
		for _, p := range phasetable.Both() {
			h.statuses[p] = []metav1.ConditionStatus{conditions.StatusOf(list, p)}
		}
	}
	for p, seen := range h.statuses {
		if status := conditions.StatusOf(list, p); status != seen[len(seen)-1] {
			h.statuses[p] = append(seen, status)
		}
	}
}

// String returns one line for each phase whose status has changed.
func (h *history) String() string {
	if h == nil {
		return ""
	}
	var lines []string
	for _, p := range phasetable.Both() {
		if seen := h.statuses[p]; len(seen) > 1 {
			words := []string{string(p) + ":"}
			for _, status := range seen {
				words = append(words, string(status))
			}
			lines = append(lines, strings.Join(words, " "))
		}
	}
	return strings.Join(lines, "\n")
}
