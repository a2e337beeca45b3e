// Package docs_test keeps README.md and the pages in docs true.
package docs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// read returns a file of the module.
func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", name))
	require.NoError(t, err)
	return string(data)
}

func TestReadmeShowsTheExample(t *testing.T) {
	_, code, found := strings.Cut(read(t, "README.md"), "```go\n")
	require.True(t, found)
	code, _, _ = strings.Cut(code, "```")
	indented := regexp.MustCompile(`(?m)^(.)`).ReplaceAllString(code, "\t$1")
	assert.Contains(t, read(t, "upgrademonitor/example_test.go"), indented)
	assert.LessOrEqual(t, strings.Count(code, "\n"), 15)
}

func TestReadmeShowsTheStateMachine(t *testing.T) {
	_, diagram, found := strings.Cut(read(t, "README.md"), "stateDiagram-v2\n")
	require.True(t, found)
	diagram, _, _ = strings.Cut(diagram, "```")
	drawn := map[string]bool{}
	for _, arrow := range regexp.MustCompile(`(\w+) --> (\w+)`).FindAllString(diagram, -1) {
		drawn[arrow] = true
	}
	delete(drawn, "Unknown --> False") // only when an update begins or ends: see package conditions

	real := map[string]bool{}
	statuses := []metav1.ConditionStatus{metav1.ConditionFalse, metav1.ConditionUnknown, metav1.ConditionTrue}
	for _, from := range statuses {
		for _, to := range statuses {
			path, _ := phases.Path(phases.Drained, from, to)
			if len(path) == 1 {
				real[fmt.Sprintf("%s --> %s", from, to)] = true
			}
		}
	}
	assert.Equal(t, real, drawn)
}

func TestReadmeListsThePhasesInOrder(t *testing.T) {
	readme := read(t, "README.md")
	for _, imageMode := range []bool{false, true} {
		at := 0
		for _, p := range phases.All(imageMode) {
			parent, _ := phases.ParentOf(p)
			only := ""
			if !phases.ExistsIn(p, !imageMode) {
				only = map[bool]string{false: "standard mode", true: "image mode"}[imageMode]
			}
			row := strings.ReplaceAll(fmt.Sprintf("| %s | %s | %s | %s |\n", p, phases.KindOf(p), parent, only), "|  |", "| |")
			row = strings.ReplaceAll(row, "|  |", "| |")
			found := strings.Index(readme[at:], row)
			require.GreaterOrEqual(t, found, 0, "missing, or out of order: %s", row)
			at += found
		}
	}
}

func TestReadmeNamesTheVersionOfGo(t *testing.T) {
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(read(t, "go.mod"))[1]
	assert.Contains(t, read(t, "README.md"), "Both need Go "+version+",")
}
