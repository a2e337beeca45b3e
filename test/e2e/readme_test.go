package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/test/cluster"
)

// TestChecksOfTheReadme runs the commands with which an administrator checks the guard, as
// they stand in the README.
func TestChecksOfTheReadme(t *testing.T) {
	needGuards(t, standard)
	freeWorldOn(t, standard, "worker-0").renewed(true)
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	_, text, found := strings.Cut(string(readme), "Two commands check it:\n\n```console\n")
	require.True(t, found)
	text, _, _ = strings.Cut(text, "```")
	kubectl, err := cluster.Binary(t.Context(), "kubectl")
	require.NoError(t, err)

	commands := strings.Split(text, "$ ")[1:]
	require.Len(t, commands, 2)
	for _, command := range commands {
		line, says, _ := strings.Cut(command, "\n")
		shell := exec.CommandContext(t.Context(), "sh", "-c", line)
		shell.Env = append(os.Environ(), "PATH="+filepath.Dir(kubectl)+":"+os.Getenv("PATH"), "KUBECONFIG="+standard.Kubeconfig())
		out, _ := shell.CombinedOutput() // both fail, as they should
		assert.Contains(t, string(out), strings.TrimPrefix(strings.TrimSpace(says), "… "), line)
	}
}
