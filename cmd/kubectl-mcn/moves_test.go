package main

import (
	"bytes"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/screen"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// TestMoves: each report of an update as a line of text and of JSON, and the end of its pool.
func TestMoves(t *testing.T) {
	var b bytes.Buffer
	var before []progress.Pool
	n := newNode("worker-0", "worker", oldConfig, now)
	pools := []*mcfgv1.MachineConfigPool{newPool("worker", newConfig)}
	see := func() {
		after := progress.Pools(pools, []progress.Node{progress.FromMachineConfigNode(n)}, nil, now, progress.Limits{})
		for _, m := range screen.Moves(before, after, now) {
			b.WriteString(m.Text(false) + "\n")
			require.NoError(t, printLine(&b, m))
		}
		before = after
	}
	see()
	update(n, newConfig, now, "", see)
	pools = nil
	see()
	golden(t, "moves.txt", b.String())
}
