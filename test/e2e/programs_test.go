package e2e

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/test/cluster"
)

// While examples/daemon updates a node, and examples/drain-controller drains it, kubectl get machineconfignodes -o wide shows
// the tables of the enhancement proposal in their order. Both admission policies apply to the daemon.
func TestProgramsShowTheTables(t *testing.T) {
	const tables = `
UPDATED PREPARED EXECUTED POSTACTION COMPLETE RESUMED FILESANDOS CORDONED DRAINED REBOOTED UNCORDONED
True    False    False    False      False    False   False      False    False   False    False
False   True     False    False      False    False   False      False    False   False    False
False   True     Unknown  False      False    False   False      True     Unknown False    False
False   True     Unknown  False      False    False   Unknown    True     True    False    False
False   True     True     False      False    False   True       True     True    False    False
False   True     True     False      False    False   True       True     True    Unknown  False
False   True     True     False      False    False   True       True     True    True     False
False   True     True     False      False    True    True       True     True    True     False
False   True     True     False      True     True    True       True     True    True     True
True    False    False    False      False    False   False      False    False   False    False`
	w := unguardedNodeOn(t, withImages.get(t), "programs") // the drain controller of another test drains all nodes of the other cluster
	w.annotateNode("currentConfig", oldConfig)
	w.annotateNode("desiredConfig", oldConfig)
	kubeconfig := w.cluster.Kubeconfig()
	require.NoError(t, w.cluster.InstallGuards(t.Context()))
	daemonKubeconfig, err := w.cluster.DaemonKubeconfig(w.name)
	require.NoError(t, err)
	var log lockedBuffer
	start := func(program, kubeconfig string, args ...string) {
		cmd := exec.CommandContext(t.Context(), filepath.Join(build(t, "examples/"+program), program), append(args, "--kubeconfig", kubeconfig)...)
		cmd.Stderr = &log
		require.NoError(t, cmd.Start())
		t.Cleanup(func() { _ = cmd.Wait() })
	}
	start("drain-controller", kubeconfig)
	start("daemon", daemonKubeconfig, "--node", w.name, "--step", "100ms")
	isUpdatedTo := func(config string) {
		t.Helper()
		eventually(t, func() bool {
			mcns, err := w.admin.List(t.Context(), only(w.name))
			require.NoError(t, err)
			if len(mcns.Items) == 0 || mcns.Items[0].Status.ConfigVersion == nil {
				return false
			}
			updated, _ := statusOf(mcns.Items[0].Status.Conditions, "Updated")
			return updated.Status == done && mcns.Items[0].Status.ConfigVersion.Current == config
		}, log.String())
	}
	isUpdatedTo(oldConfig)

	path, err := cluster.Binary("kubectl")
	require.NoError(t, err)
	get := exec.CommandContext(t.Context(), path, "get", "machineconfignode", w.name, "-o", "wide", "--watch", "--no-headers")
	get.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig)
	out, err := get.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, get.Start())
	t.Cleanup(func() { _ = get.Wait() })
	lines := bufio.NewScanner(out)
	var seen []string
	next := func() {
		require.True(t, lines.Scan(), "kubectl must not end")
		t.Log(lines.Text())
		columns := strings.Fields(lines.Text())
		require.Len(t, columns, 16)
		seen = append(seen, strings.Join(append(columns[2:5], columns[6:]...), " ")) // without name, pool and age
	}
	next()
	w.annotateNode("desiredConfig", newConfig)
	isUpdatedTo(newConfig)
	for !strings.HasPrefix(seen[len(seen)-1], newConfig+" "+newConfig+" True") {
		next()
	}
	rest := seen
	for i, line := range strings.Split(tables, "\n")[2:] {
		desired, current := newConfig, oldConfig
		switch i {
		case 0:
			desired = oldConfig
		case 9:
			current = newConfig
		}
		row := desired + " " + current + " " + strings.Join(strings.Fields(line), " ")
		at := slices.Index(rest, row)
		require.GreaterOrEqual(t, at, 0, "table %d: %s, of\n%s", i+1, row, strings.Join(seen, "\n"))
		rest = rest[at+1:]
	}
	assert.Empty(t, rest, "kubectl shows nothing after the last table")
}

// A program that fails prints the cause, and exits with 1. Then the kubelet starts the Pod again.
func TestAProgramThatFailsExitsWith1(t *testing.T) {
	for _, program := range []string{"daemon", "drain-controller", "operator"} {
		cmd := exec.CommandContext(t.Context(), filepath.Join(build(t, "examples/"+program), program), "--kubeconfig", "missing")
		out, err := cmd.CombinedOutput()
		require.Error(t, err, program)
		assert.Equal(t, 1, cmd.ProcessState.ExitCode(), program)
		assert.Contains(t, string(out), "missing: no such file", program)
	}
}
