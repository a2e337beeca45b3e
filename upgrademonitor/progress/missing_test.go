package progress_test

import (
	"fmt"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// TestMissingNodes: the status of a pool counts nodes that have no MachineConfigNode.
func TestMissingNodes(t *testing.T) {
	for _, test := range []struct {
		machines int32
		nodes    int
		missing  int
	}{{0, 0, 0}, {3, 0, 3}, {3, 2, 1}, {3, 3, 0}, {2, 3, 0}, {-1, 0, 0}} {
		p := &mcfgv1.MachineConfigPool{ObjectMeta: metav1.ObjectMeta{Name: "worker"}}
		p.Status.MachineCount = test.machines
		nodes := make([]progress.Node, test.nodes)
		for i := range nodes {
			nodes[i].Pool = "worker"
		}
		pools := progress.Pools([]*mcfgv1.MachineConfigPool{p}, nodes, time.Time{}, progress.Limits{})
		assert.Equal(t, test.missing, pools[0].Missing, test)
		assert.Len(t, pools[0].Nodes, test.nodes)
	}
}

// TestMaxUnavailableOfMissingNodes: a percentage is that of all machines, not of those that have
// reported.
func TestMaxUnavailableOfMissingNodes(t *testing.T) {
	for machines, want := range map[int32]int{0: 1, 2: 1, 4: 1, 10: 2, 100: 25} {
		p := worker("25%")
		p.Status.MachineCount = machines
		var nodes []progress.Node
		for i := range 4 {
			nodes = append(nodes, waitingNode(fmt.Sprint(i)))
		}
		assert.Equal(t, want, one(t, p, 1, nodes...).MaxUnavailable, "%d machines", machines)
	}
}
