package command

import (
	"strings"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/screen"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// TestMoves: each report of an update as a line, and the end of its pool.
func TestMoves(t *testing.T) {
	var b strings.Builder
	var before []progress.Pool
	n := newNode("worker-0", "worker", oldConfig, now)
	pools := []*mcfgv1.MachineConfigPool{newPool("worker", newConfig)}
	see := func() {
		after := progress.Pools(pools, []progress.Node{progress.FromMachineConfigNode(n)}, nil, now, progress.Limits{})
		for _, m := range screen.Moves(before, after, now) {
			b.WriteString(m.Text(false) + "\n")
		}
		before = after
	}
	see()
	update(n, newConfig, now, phases.Drained, see)
	for _, status := range []metav1.ConditionStatus{metav1.ConditionTrue, metav1.ConditionFalse} { // it is degraded, and recovers
		report(n, phases.NodeDegraded, status, now, "disk full")
		see()
	}
	update(n, newConfig, now, "", see)
	pools = nil
	see()
	golden(t, "moves.txt", b.String())
}
