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
	activeTarget  string            // of the active update, as the process keeps it
	neverUpdated  bool              // Updated was never reported
	said          map[string]string // the message of each Unknown parent
}

// currentConfig is what the node runs during all walks.
const currentConfig = "rendered-a"

var parents = map[string]string{
	"Cordoned": "UpdateExecuted", "Drained": "UpdateExecuted", "AppliedFilesAndOS": "UpdateExecuted", "Uncordoned": "UpdateComplete",
}

func newModel() *model {
	m := &model{status: map[string]metav1.ConditionStatus{}, said: map[string]string{}, neverUpdated: true}
	for _, p := range standardMode {
		m.status[p] = no
	}
	return m
}

// report applies a report. It returns false if the rules reject it.
func (m *model) report(p string, asked metav1.ConditionStatus, completes bool, target, message string) bool {
	m.pin()
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
	if m.status[p] == running && asked == no || asked == done && m.childRuns(p, "") {
		return false
	}
	changed := m.status[p] != asked
	m.status[p] = asked
	m.said[p], m.said[parents[p]] = message, message
	if parent, ok := parents[p]; ok {
		switch {
		case completes && !m.childRuns(parent, p):
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
		if target == currentConfig {
			m.statusDesired = target
		}
		m.activeTarget, m.neverUpdated = "", false
	default:
		if m.status["Updated"] == done || m.neverUpdated || m.activeUpdate() != target {
			m.reset()
			m.status["UpdatePrepared"] = running
			m.specDesired = target
		}
		m.status["Updated"] = no
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

// childRuns reports whether a child of a parent, other than except, is Unknown.
func (m *model) childRuns(parent, except string) bool {
	for child, p := range parents {
		if p == parent && child != except && m.status[child] == running {
			return true
		}
	}
	return false
}

// pin has the process remember what the active update is for, as at each read.
func (m *model) pin() {
	if m.status["Updated"] != done {
		m.activeTarget = m.activeUpdate()
	}
}

// spec applies the spec call.
func (m *model) spec(target string) {
	m.pin()
	m.specDesired = target
}

func (m *model) reset() {
	for p := range m.status {
		if !singletons[p] && p != "Updated" {
			m.status[p] = no
		}
	}
}
