package docs_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/internal/phasetable"
	"github.com/openshift/upgrademonitor/internal/transitions"
	"github.com/openshift/upgrademonitor/phases"
)

// The table of docs/phases.md has all parents with their children, and its list has all singletons.
func TestThePageListsAllPhases(t *testing.T) {
	children := func(parent phases.Phase, inStandardMode, inImageMode bool) string {
		var names []string
		for _, p := range phases.All(!inStandardMode) {
			of, _ := phases.ParentOf(p)
			if of == parent && phasetable.ExistsIn(p, false) == inStandardMode && phasetable.ExistsIn(p, true) == inImageMode {
				names = append(names, string(p))
			}
		}
		return strings.Join(names, ", ")
	}
	var table, singletons string
	for _, p := range phases.All(false) {
		switch phases.KindOf(p) {
		case phases.Parent:
			row := fmt.Sprintf("| %s | %s | %s | %s |\n", p, children(p, true, true), children(p, true, false), children(p, false, true))
			table += strings.ReplaceAll(strings.ReplaceAll(row, "|  |", "| |"), "|  |", "| |")
		case phases.Singleton:
			singletons += fmt.Sprintf(", %s", p)
		}
	}
	page := read(t, "docs/phases.md")
	assert.Contains(t, page, table)
	last := strings.LastIndex(singletons, ", ")
	assert.Contains(t, page, "\n- "+singletons[len(", "):last]+" and "+singletons[last+len(", "):]+" are **singletons**")
}

// The diagram of docs/phases.md has exactly the transitions that package transitions allows.
func TestTheDiagramOfThePageIsTheStateMachine(t *testing.T) {
	drawn := regexp.MustCompile(`(False|Unknown|True) --> (\w+)`).FindAllString(read(t, "docs/phases.md"), -1)
	var steps []string
	statuses := []metav1.ConditionStatus{metav1.ConditionFalse, metav1.ConditionUnknown, metav1.ConditionTrue}
	for _, from := range statuses {
		for _, to := range statuses {
			if path, _ := transitions.Path(phases.Drained, from, to); len(path) == 1 {
				steps = append(steps, fmt.Sprintf("%s --> %s", from, to))
			}
		}
	}
	assert.ElementsMatch(t, append(steps, "Unknown --> False"), drawn, "the diagram must have the arrows of Path, and Unknown --> False, which only the start or the end of an update makes")
}
