package progress_test

import (
	"fmt"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

const fleet = 5000

// objects returns the objects of a number of nodes, in all the versions of a standard update.
func objects(b *testing.B) []*mcfgv1.MachineConfigNode {
	b.Helper()
	traces := readTraces(b)
	var versions []*mcfgv1.MachineConfigNode
	newDaemon("", false).replay(b, traces, traces[1], func(m *mcfgv1.MachineConfigNode, _ *call) { versions = append(versions, m) })
	all := make([]*mcfgv1.MachineConfigNode, fleet)
	for i := range all {
		all[i] = versions[i%len(versions)].DeepCopy()
		all[i].Name = fmt.Sprintf("worker-%04d", i)
	}
	return all
}

func BenchmarkNode(b *testing.B) {
	all := objects(b)
	b.ReportAllocs()
	for b.Loop() {
		for _, m := range all {
			progress.FromMachineConfigNode(m)
		}
	}
}

func BenchmarkPools(b *testing.B) {
	var nodes []progress.Node
	for _, m := range objects(b) {
		nodes = append(nodes, progress.FromMachineConfigNode(m))
	}
	pools := []*mcfgv1.MachineConfigPool{worker("10%")}
	b.ReportAllocs()
	for b.Loop() {
		progress.Pools(pools, nodes, at(10), progress.Limits{})
	}
}
