package cluster_test

import (
	"fmt"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/phases"
)

const fleet = 5000

// objects returns the objects of a number of nodes, in all steps of an update.
func objects() []*mcfgv1.MachineConfigNode {
	all := make([]*mcfgv1.MachineConfigNode, fleet)
	for i := range all {
		all[i] = mcn(withDesired(configB), is(phases.Updated, no, 1))
		all[i].Name = fmt.Sprintf("worker-%04d", i)
		for j, p := range phases.All(false)[:i%10] {
			is(p, yes, float64(2+j))(all[i])
		}
	}
	return all
}

func BenchmarkPools(b *testing.B) {
	all, pools := objects(), []*mcfgv1.MachineConfigPool{worker("10%")}
	b.ReportAllocs()
	for b.Loop() {
		var nodes []cluster.Node
		for _, m := range all {
			nodes = append(nodes, cluster.NewNode(nil, m))
		}
		poolsOf(pools, nodes, at(10))
	}
}
