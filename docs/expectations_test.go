package docs_test

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestExpectationsOfOthers: testdata/expectations.tsv lists what the tests of openshift/origin and
// machine-config-operator expect of a MachineConfigNode, and of the status of a pool. Each expectation is held by tests
// of this repository, which are run here, or is a row of differences.md. Of the module test, which needs an API
// server, only the names are checked. The tests of `oc adm upgrade status` are not listed: this command reads neither.
func TestExpectationsOfOthers(t *testing.T) {
	tests := testNames(t)
	passed := map[string]bool{}
	text := read(t, "docs/testdata/expectations.tsv")
	names := regexp.MustCompile(`\bTest[A-Z]\w+`).FindAllString(text, -1)
	// -count is not set, so that go test does not run a package again that has not changed.
	run := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-ldflags=-w", "-v", "-run", "^("+strings.Join(names, "|")+")$",
		"../upgrademonitor", "../upgrademonitor/pool", "../upgrademonitor/rollout", "../upgrademonitor/upgrademonitortest", "../scope/guard")
	out, err := run.CombinedOutput()
	require.NoError(t, err, string(out))
	for _, match := range regexp.MustCompile(`(?m)^ *--- PASS: (\S+)`).FindAllStringSubmatch(string(out), -1) {
		passed[match[1]] = true
	}
	differences := map[string]bool{}
	firstCell := regexp.MustCompile(`(?m)^\| (.+?) \|`)
	for _, row := range firstCell.FindAllStringSubmatch(read(t, "docs/differences.md"), -1) {
		differences[row[1]] = true
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	require.Equal(t, "repository\ttest\tobject\tfield\texpectation\theld by\tdifference", lines[0])
	require.Greater(t, len(lines), 50)
	for _, line := range lines[1:] {
		columns := strings.Split(line, "\t")
		require.Len(t, columns, 7, line)
		for _, column := range columns[:5] {
			assert.NotEmpty(t, column, line)
		}
		heldBy, difference := columns[5], columns[6]
		assert.NotEqual(t, heldBy == "", difference == "", "one answer for each expectation: %s", line)
		for _, name := range strings.Fields(heldBy) {
			isOfAPIServer := name == "TestPolicyClauses"
			assert.True(t, passed[name] || isOfAPIServer && tests[name], "%s was not run: %s", name, line)
		}
		assert.True(t, difference == "" || differences[difference], "no such row of differences.md: %s", line)
	}
}
