package docs_test

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestExpectationsOfOthers: testdata/expectations.tsv lists what the tests of openshift/origin and
// machine-config-operator expect of a MachineConfigNode, and of the status of a pool. Each expectation is held by tests
// and cases of this repository, or is a row of differences.md. The tests of `oc adm upgrade status` are not listed:
// this command reads neither.
func TestExpectationsOfOthers(t *testing.T) {
	tests := testNames(t)
	differences := map[string]bool{}
	firstCell := regexp.MustCompile(`(?m)^\| (.+?) \|`)
	for _, row := range firstCell.FindAllStringSubmatch(read(t, "docs/differences.md"), -1) {
		differences[row[1]] = true
	}
	lines := strings.Split(strings.TrimSuffix(read(t, "docs/testdata/expectations.tsv"), "\n"), "\n")
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
			test, of, _ := strings.Cut(name, "/")
			assert.NotEmpty(t, tests[test], "no test %s: %s", name, line)
			isCase := of == "" || strings.Contains(textOfTests(t, tests[test]), strconv.Quote(strings.ReplaceAll(of, "_", " ")))
			assert.True(t, isCase, "no case %s: %s", name, line)
		}
		assert.True(t, difference == "" || differences[difference], "no such row of differences.md: %s", line)
	}
}

// textOfTests returns the text of the test files in a directory.
func textOfTests(t *testing.T, dir string) (text string) {
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	require.NoError(t, err)
	for _, file := range files {
		text += read(t, strings.TrimPrefix(file, "../"))
	}
	return text
}
