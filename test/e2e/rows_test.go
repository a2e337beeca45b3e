package e2e

import (
	"bufio"
	"context"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/test/cluster"
)

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
	rows := kubectlWatch(t, w.name)
	observed := []string{rows.next(t)}

	m, _ := w.monitor("master")
	w.rebootUpdate(m)
	final := strings.Fields(strings.NewReplacer("old", oldConfig, "new", newConfig).Replace(seedRows[len(seedRows)-1]))
	for observed[len(observed)-1] != strings.Join(final, " ") {
		observed = append(observed, rows.next(t))
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

// rows returns the rows of `kubectl get machineconfignodes -o wide --watch`.
type rows struct {
	lines *bufio.Scanner
}

func kubectlWatch(t *testing.T, name string) *rows {
	t.Helper()
	kubectl, err := cluster.Binary("kubectl")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, kubectl, "--kubeconfig", standard.Kubeconfig(), "get", "machineconfignodes", name, "-o", "wide", "--watch")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait()
	})
	r := &rows{lines: bufio.NewScanner(out)}
	require.True(t, r.lines.Scan(), "no header")
	require.Equal(t, columns, strings.Fields(r.lines.Text()))
	return r
}

// next returns the next row, without NAME and AGE.
func (r *rows) next(t *testing.T) string {
	t.Helper()
	require.True(t, r.lines.Scan(), "kubectl has ended")
	cells := strings.Fields(r.lines.Text())
	require.Len(t, cells, len(columns), "%s", r.lines.Text())
	return strings.Join(append(cells[1:5], cells[6:]...), " ")
}
