package e2e

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// model is what the rules say of the statuses of an object in standard mode that one
// process writes. It is written from the rules, and shares nothing with the library.
type model struct {
	status        map[string]metav1.ConditionStatus
	statusDesired string
	specDesired   string
	remembered    string // what the process that reports knows of the update under way
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
	m := &model{status: map[string]metav1.ConditionStatus{}}
	for _, p := range standardMode {
		m.status[p] = no
	}
	return m
}

// report takes in a report. It returns false where the rules refuse it.
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
		m.takeBack()
		m.status["Updated"], m.remembered = no, target
	}
	if m.status[p] == running && asked == no {
		return false
	}
	moved := m.status[p] != asked
	m.status[p] = asked
	if parent, ok := parents[p]; ok {
		switch {
		case completes:
			m.status[parent] = done
		case m.status[parent] == no, moved && asked == running:
			m.status[parent] = running
		}
	}
	if p == "UpdatePrepared" && moved && asked == done {
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
			m.takeBack()
			m.status["Updated"] = done
		}
		m.statusDesired, m.remembered = target, ""
	default:
		if m.status["Updated"] == done || m.underway() != target {
			m.takeBack()
			m.status["Updated"], m.status["UpdatePrepared"] = no, running
		}
		m.remembered = target
	}
	return true
}

func (m *model) underway() string {
	switch {
	case m.status["UpdatePrepared"] == done:
		return m.statusDesired
	case m.remembered != "":
		return m.remembered
	default:
		return m.specDesired
	}
}

func (m *model) takeBack() {
	for p := range m.status {
		if !singletons[p] && p != "Updated" {
			m.status[p] = no
		}
	}
}
