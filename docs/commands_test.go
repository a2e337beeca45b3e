package docs_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

var (
	// needsCluster matches the commands that package test/e2e runs, which has the same expression.
	needsCluster = regexp.MustCompile(`kubectl |KUBECONFIG"|^cd test`)
	// timeOfDay and age match what differs from run to run.
	timeOfDay = regexp.MustCompile(`\b\d\d:\d\d:\d\d\b`)
	age       = regexp.MustCompile(`\b(\d+[dhms])+\b *`)
)

// TestCommandsRun runs each command of the pages that needs no cluster, and compares the output
// with the text below it, if any, apart from times and ages; a line "…" stands for any number of
// lines. For make see TestMakeCommandsRun.
func TestCommandsRun(t *testing.T) {
	for _, b := range blocks(t, "console") {
		for _, entry := range strings.Split("\n"+b.text, "\n$ ")[1:] {
			command, want, _ := strings.Cut(entry, "\n")
			if needsCluster.MatchString(command) || strings.HasPrefix(command, "make ") {
				continue
			}
			t.Run(command, func(t *testing.T) {
				t.Parallel()
				out, err := runIn(t, "..", command)
				assert.NoError(t, err, "%s: %s", b.page, out)
				if want != "" {
					want = strings.ReplaceAll(regexp.QuoteMeta("\n"+withoutTimes(want)), "\n…\n", "\n(?s:.*)\n")
					assert.Regexp(t, "^"+want+"$", "\n"+withoutTimes(out), b.page)
				}
			})
		}
	}
}

// withoutTimes replaces times and ages, with the spaces that follow in a column.
func withoutTimes(text string) string {
	return age.ReplaceAllString(timeOfDay.ReplaceAllString(text, "hh:mm:ss"), "age ")
}

// TestEachCommandRunsOnce: what this package leaves out, package test/e2e runs.
func TestEachCommandRunsOnce(t *testing.T) {
	assert.Contains(t, read(t, "test/e2e/docs_test.go"), "`"+needsCluster.String()+"`")
}
