package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	consoleBlock = regexp.MustCompile("(?s)```console\n(.*?)```")
	needsCluster = regexp.MustCompile(`^kubectl |KUBECONFIG"|^cd test`)
)

// TestCommandsOfTheDocs runs each command of the pages that needs a cluster, and compares the
// output with the text below it. Package docs runs the other commands.
func TestCommandsOfTheDocs(t *testing.T) {
	sameWhenGuarded(t)
	installGuards(t, standard)
	unguardedNodeOn(t, standard, "worker-0").resetObject(true)
	newConfiguration(t)
	pages, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)

	blocks := 0
	for _, page := range append(pages, "../../README.md", "../../CONTRIBUTING.md") {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, block := range consoleBlock.FindAllStringSubmatch(string(text), -1) {
			for _, command := range strings.Split("\n"+block[1], "\n$ ")[1:] {
				line, output, _ := strings.Cut(command, "\n")
				if !needsCluster.MatchString(line) {
					continue
				}
				blocks++
				out, err := shell(t, standard, line)
				if output = strings.TrimSpace(output); output == "" {
					assert.NoError(t, err, "%s: %s: %s", page, line, out)
				}
				assert.Contains(t, out, strings.TrimPrefix(output, "… "), line)
			}
		}
	}
	assert.NotZero(t, blocks)
}
