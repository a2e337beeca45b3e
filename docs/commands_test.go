package docs_test

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

var (
	// needsCluster matches the commands that package test/e2e runs, which has the same expression.
	needsCluster = regexp.MustCompile(`kubectl |KUBECONFIG"|^cd test`)
	// timeOfDay matches what differs from run to run.
	timeOfDay = regexp.MustCompile(`\b\d\d:\d\d:\d\d\b`)
)

// TestCommandsRun runs each command of the pages that needs no cluster, and compares the output
// with the text below it, if any, apart from times; a line "…" stands for any number of lines.
// Targets of make are only resolved: make itself, or CI, runs them.
func TestCommandsRun(t *testing.T) {
	for _, b := range blocks(t, "console") {
		for _, entry := range strings.Split("\n"+b.text, "\n$ ")[1:] {
			command, want, _ := strings.Cut(entry, "\n")
			if needsCluster.MatchString(command) {
				continue
			}
			t.Run(command, func(t *testing.T) {
				t.Parallel()
				target, isMake := strings.CutPrefix(command, "make ")
				if isMake {
					command = "make --dry-run " + target
				}
				shell := exec.CommandContext(t.Context(), "sh", "-c", command)
				shell.Dir = ".."
				out, err := shell.CombinedOutput()
				assert.NoError(t, err, "%s: %s", b.page, out)
				if want != "" && !isMake {
					want = timeOfDay.ReplaceAllString(want, "hh:mm:ss")
					want = strings.ReplaceAll(regexp.QuoteMeta(want), "\n…\n", "\n(?s:.*)\n")
					assert.Regexp(t, "^"+want+"$", timeOfDay.ReplaceAllString(string(out), "hh:mm:ss"), b.page)
				}
			})
		}
	}
}

// TestEachCommandRunsOnce: what this package leaves out, package test/e2e runs.
func TestEachCommandRunsOnce(t *testing.T) {
	assert.Contains(t, read(t, "test/e2e/docs_test.go"), "`"+needsCluster.String()+"`")
}
