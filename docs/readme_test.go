package docs_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

func TestReadmeShowsThePhases(t *testing.T) {
	readme := read(t, "README.md")
	for _, imageMode := range []bool{false, true} {
		var want []string
		for _, p := range phases.All(imageMode) {
			parent, _ := phases.ParentOf(p)
			only := ""
			if !phases.ExistsIn(p, !imageMode) {
				only = map[bool]string{false: "standard mode", true: "image mode"}[imageMode]
			}
			row := fmt.Sprintf("| %s | %s | %s | %s |", p, phases.KindOf(p), parent, only)
			want = append(want, regexp.QuoteMeta(strings.ReplaceAll(strings.ReplaceAll(row, "|  |", "| |"), "|  |", "| |")))
		}
		assert.Regexp(t, `(?s)`+strings.Join(want, ".*"), readme, "in this order")
	}
}

func TestReadmeShowsTheStateMachine(t *testing.T) {
	drawn := regexp.MustCompile(`(False|Unknown|True) --> (\w+)`).FindAllString(read(t, "README.md"), -1)
	var steps []string
	statuses := []metav1.ConditionStatus{metav1.ConditionFalse, metav1.ConditionUnknown, metav1.ConditionTrue}
	for _, from := range statuses {
		for _, to := range statuses {
			if path, _ := phases.Path(phases.Drained, from, to); len(path) == 1 {
				steps = append(steps, fmt.Sprintf("%s --> %s", from, to))
			}
		}
	}
	assert.ElementsMatch(t, append(steps, "Unknown --> False"), drawn, "the last one only when an update begins or ends")
}
