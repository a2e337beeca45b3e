package e2e

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/test/cluster"
)

// kubectl returns a kubectl command, with an administrator's kubeconfig of the standard cluster.
func kubectl(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path, err := cluster.Binary("kubectl")
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+standard.Kubeconfig())
	return cmd
}

// apply applies a manifest on the standard cluster, and deletes it at the end of the test.
func apply(t *testing.T, text string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "manifest.yaml")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	_, err := standard.Kubectl(t.Context(), "apply", "-f", file)
	require.NoError(t, err)
	t.Cleanup(func() {
		_, err := standard.Kubectl(context.WithoutCancel(t.Context()), "delete", "-f", file)
		assert.NoError(t, err)
	})
}

// follow starts a command. next returns the next line of its output that contains a text.
func follow(t *testing.T, cmd *exec.Cmd) (next func(text string) string) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	cmd.Stderr = cmd.Stdout
	require.NoError(t, cmd.Start())
	lines := bufio.NewReader(out)
	return func(text string) string {
		t.Helper()
		var skipped strings.Builder
		for {
			line, err := lines.ReadString('\n')
			if errors.Is(err, io.EOF) {
				err = cmd.Wait()
			}
			require.NoError(t, err, "no line with %q: %s", text, &skipped)
			skipped.WriteString(line)
			if strings.Contains(line, text) {
				return line
			}
		}
	}
}

// build builds a program of the repository, and returns its folder.
func build(t *testing.T, program string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", dir, "./"+program)
	cmd.Dir = "../.."
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return dir
}

// shell runs a script in the root of the repository, with an administrator's kubeconfig of a cluster. The PATH has
// kubectl and the programs in dirs.
func shell(t *testing.T, c *cluster.Cluster, script string, dirs ...string) (string, error) {
	t.Helper()
	kubectl, err := cluster.Binary("kubectl")
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", script)
	cmd.Dir = "../.."
	path := strings.Join(append(dirs, filepath.Dir(kubectl), os.Getenv("PATH")), ":")
	cmd.Env = append(os.Environ(), "PATH="+path, "KUBECONFIG="+c.Kubeconfig())
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// If the spec desires another config, kubectl wait --for=condition=Updated ends only after the update, whatever the daemon
// reports before the update has started.
func TestKubectlWaitsForTheConfigThatTheSpecDesires(t *testing.T) {
	w := newTestNode(t, "kubectl-waits")
	w.reportUpdated()
	wait := func(timeout string) error {
		_, err := standard.Kubectl(t.Context(), "wait", "--for=condition=Updated", "--timeout="+timeout, "machineconfignode/"+w.name)
		return err
	}
	require.NoError(t, wait("30s"))

	w.annotate(oldConfig, newConfig)
	m, _ := w.monitor("master")
	call{}.make(t, m)
	m.Report(t.Context(), phases.Resumed, "restarted", done)
	m.ReportDegraded(t.Context(), errors.New("disk full"))
	m.Report(t.Context(), phases.Updated, "again", done)
	require.False(t, isPending(m))
	assert.ErrorContains(t, wait("1s"), "timed out")

	ended := make(chan error, 1)
	go func() { ended <- wait("60s") }()
	w.rebootUpdate(m)
	assert.NoError(t, <-ended)
}
