package e2e

import (
	"bufio"
	"bytes"
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
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// kubectl returns the command of an administrator of the standard cluster.
func kubectl(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path, err := cluster.Binary("kubectl")
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+standard.Kubeconfig())
	return cmd
}

// follow starts a command. next returns its next line that contains a text.
func follow(t *testing.T, cmd *exec.Cmd) (next func(text string) string) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	stderr := &bytes.Buffer{}
	cmd.Stderr = stderr
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
			require.NoError(t, err, "no line with %q: %s%s", text, &skipped, stderr)
			skipped.WriteString(line)
			if strings.Contains(line, text) {
				return line
			}
		}
	}
}

// shell runs a command of the docs in the repository, as an administrator of a cluster.
func shell(t *testing.T, c *cluster.Cluster, line string) (string, error) {
	t.Helper()
	kubectl, err := cluster.Binary("kubectl")
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), "sh", "-c", line)
	cmd.Dir = "../.."
	cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(kubectl)+":"+os.Getenv("PATH"), "KUBECONFIG="+c.Kubeconfig())
	out, err := cmd.CombinedOutput()
	return string(out), err
}

var columns = []string{
	"NAME", "POOLNAME", "DESIREDCONFIG", "CURRENTCONFIG", "UPDATED", "AGE", "UPDATEPREPARED", "UPDATEEXECUTED", "UPDATEPOSTACTIONCOMPLETE",
	"UPDATECOMPLETE", "RESUMED", "UPDATEDFILESANDOS", "CORDONEDNODE", "DRAINEDNODE", "REBOOTEDNODE", "UNCORDONEDNODE",
}

// seedRows holds the rows of a standard update in the enhancement proposal, without NAME and
// AGE: pool, desired and current config, then the statuses.
var seedRows = []string{
	"master old old True  False False   False False False False   False False   False   False",
	"master new old False True  False   False False False False   False False   False   False",
	"master new old False True  Unknown False False False False   True  Unknown False   False",
	"master new old False True  Unknown False False False Unknown True  True    False   False",
	"master new old False True  True    False False False True    True  True    False   False",
	"master new old False True  True    False False False True    True  True    Unknown False",
	"master new old False True  True    False False False True    True  True    True    False",
	"master new old False True  True    False False True  True    True  True    True    False",
	"master new old False True  True    False True  True  True    True  True    True    True",
	"master new new True  False False   False False False False   False False   False   False",
}

// An administrator watches the update with kubectl.
func TestAStandardUpdatePrintsTheRowsOfTheProposal(t *testing.T) {
	w := newTestNode(t, "ip-10-0-16-253.ec2.internal")
	w.reportUpdated()
	lines := follow(t, kubectl(t, "get", "machineconfignodes", w.name, "-o", "wide", "--watch"))
	require.Equal(t, columns, strings.Fields(lines("")))
	next := func() string { // without NAME and AGE
		cells := strings.Fields(lines(""))
		require.Len(t, cells, len(columns))
		return strings.Join(append(cells[1:5], cells[6:]...), " ")
	}
	observed := []string{next()}
	m, _ := w.monitor("master")
	w.rebootUpdate(m)
	final := strings.Fields(strings.NewReplacer("old", oldConfig, "new", newConfig).Replace(seedRows[len(seedRows)-1]))
	for observed[len(observed)-1] != strings.Join(final, " ") {
		observed = append(observed, next())
	}

	at := 0
	for _, want := range seedRows {
		want = strings.Join(strings.Fields(strings.NewReplacer("old", oldConfig, "new", newConfig).Replace(want)), " ")
		for at < len(observed) && observed[at] != want {
			at++
		}
		if !assert.Less(t, at, len(observed), "row missing, or out of order:\n%s\nobserved:\n%s", want, strings.Join(observed, "\n")) {
			return
		}
	}
}

// The operator desires another config, and the daemon has not begun the update: kubectl does not
// take its reports, or a restart, for the end of that update.
func TestKubectlWaitsForTheConfigThatTheSpecDesires(t *testing.T) {
	w := newTestNode(t, "kubectl-waits")
	w.reportUpdated()
	wait := func(timeout string) error {
		_, err := standard.Kubectl(t.Context(), "wait", "--for=condition=Updated", "--timeout="+timeout, "machineconfignode/"+w.name)
		return err
	}
	require.NoError(t, wait("30s"), "updated")

	operator, _ := w.monitor("master")
	w.annotate(oldConfig, newConfig)
	require.NoError(t, operator.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
	m, _ := w.monitor("master")
	for name, report := range map[string]func(){
		"nothing": func() {},
		"image sets": func() {
			m.ReportPinnedImageSets(t.Context(), []upgrademonitor.PinnedImageSet{{Name: "a", Generation: 1}}, nil)
		},
		"a restart": func() { m.Report(t.Context(), phases.Resumed, "restarted", done) },
		"degraded":  func() { m.ReportDegraded(t.Context(), errors.New("disk full")) },
		"updated":   func() { m.Report(t.Context(), phases.Updated, "again", done) },
	} {
		report()
		require.False(t, isPending(m))
		assert.ErrorContains(t, wait("1s"), "timed out", name)
		object := w.object()
		assert.Less(t, object.Status.ObservedGeneration, object.Generation, name)
	}

	ended := make(chan error, 1)
	go func() { ended <- wait("60s") }()
	w.rebootUpdate(m)
	select {
	case err := <-ended:
		assert.NoError(t, err)
	case <-time.After(time.Minute):
		assert.Fail(t, "kubectl still waits")
	}

	m, _ = w.monitor("infra")
	require.NoError(t, m.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
	assert.ErrorContains(t, wait("1s"), "timed out", "another pool is another generation")
	updated := w.condition(phases.Updated)
	require.NoError(t, m.GenerateAndApplyMachineConfigNode(t.Context(), phases.Updated, updated.Reason, updated.Message, updated.Status))
	assert.NoError(t, wait("30s"), "a repeat catches up")
}
