package e2e

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// model implements the rules for the statuses of an object in standard mode that one process
// writes, independently of the library.
type model struct {
	status        map[string]metav1.ConditionStatus
	statusDesired string
	specDesired   string
	activeTarget  string // of the active update, as the process keeps it
	neverUpdated  bool   // Updated was never reported
}

const (
	no      = metav1.ConditionFalse
	running = metav1.ConditionUnknown
	done    = metav1.ConditionTrue
)

var parents = map[string]string{
	"Cordoned": "UpdateExecuted", "Drained": "UpdateExecuted", "AppliedFilesAndOS": "UpdateExecuted", "Uncordoned": "UpdateComplete",
}

func newModel() *model {
	m := &model{status: map[string]metav1.ConditionStatus{}, neverUpdated: true}
	for _, p := range standardMode {
		m.status[p] = no
	}
	return m
}

// report applies a report. It returns false if the rules reject it.
func (m *model) report(p string, asked metav1.ConditionStatus, completes bool, target string) bool {
	switch {
	case singletons[p]:
		m.status[p] = asked
		return true
	case p == "Updated":
		return m.updated(asked, target)
	case m.status["Updated"] == done:
		if asked == no || slices.Contains([]string{"Resumed", "UpdateComplete", "Uncordoned"}, p) {
			return true
		}
		m.reset()
		m.status["Updated"], m.activeTarget, m.specDesired = no, target, target
	case p == "UpdatePrepared" && asked != no && !m.neverUpdated && m.activeUpdate() != target:
		m.reset() // an update without a begin
		m.activeTarget, m.specDesired = target, target
	}
	if m.status[p] == running && asked == no {
		return false
	}
	changed := m.status[p] != asked
	m.status[p] = asked
	if parent, ok := parents[p]; ok {
		switch {
		case completes && !m.siblingRuns(p):
			m.status[parent] = done
		case m.status[parent] == no, changed && asked == running:
			m.status[parent] = running
		}
	}
	if p == "UpdatePrepared" && changed && asked == done {
		m.statusDesired = target
	}
	return true
}

func (m *model) updated(asked metav1.ConditionStatus, target string) bool {
	switch asked {
	case running:
		return false
	case done:
		if m.status["Updated"] != done {
			m.reset()
			m.status["Updated"] = done
			if m.status["NodeDegraded"] == done {
				m.status["NodeDegraded"] = no
			}
		}
		m.statusDesired, m.activeTarget, m.neverUpdated = target, "", false
	default:
		if m.status["Updated"] == done || m.neverUpdated || m.activeUpdate() != target {
			m.reset()
			m.status["Updated"], m.status["UpdatePrepared"] = no, running
			m.specDesired = target
		}
		m.activeTarget, m.neverUpdated = target, false
	}
	return true
}

func (m *model) activeUpdate() string {
	switch {
	case m.status["UpdatePrepared"] == done:
		return m.statusDesired
	case m.activeTarget != "":
		return m.activeTarget
	default:
		return m.specDesired
	}
}

func (m *model) siblingRuns(child string) bool {
	for sibling, parent := range parents {
		if sibling != child && parent == parents[child] && m.status[sibling] == running {
			return true
		}
	}
	return false
}

func (m *model) reset() {
	for p := range m.status {
		if !singletons[p] && p != "Updated" {
			m.status[p] = no
		}
	}
}
