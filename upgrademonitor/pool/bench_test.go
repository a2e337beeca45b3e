package pool_test

import (
	"fmt"
	"testing"

	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

// BenchmarkStatus: a pool in the middle of an update, and one whose nodes are all degraded.
func BenchmarkStatus(b *testing.B) {
	for _, n := range []int{500, 5000} {
		ns, ms := make(nodes, n), make(mcns, n)
		for i := range ns {
			name := fmt.Sprintf("worker-%d", i)
			ns[i], ms[i] = newNode(name), newMCN(name)
			if i%3 == 0 {
				updating(ms[i])
			}
		}
		b.Run(fmt.Sprintf("updating-%d", n), func(b *testing.B) { benchmarkStatus(b, ns, ms) })
	}
	ns, ms := broken(5000)
	b.Run("broken-5000", func(b *testing.B) { benchmarkStatus(b, ns, ms) })
}

func benchmarkStatus(b *testing.B, ns nodes, ms mcns) {
	p := newPool("worker")
	b.ReportAllocs()
	for b.Loop() {
		pool.Status(p, ns, ms, pool.Options{}, now)
	}
}
