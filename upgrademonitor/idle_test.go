package upgrademonitor_test

import (
	"fmt"
	"io"
	"runtime"
	"testing"

	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// An idle Monitor keeps its object, and no goroutine or timer: only Run and calls wait.
func TestIdleMonitors(t *testing.T) {
	const nodes, most = 500, 12_000 // bytes of heap for each, with room for the race detector
	clientset, err := mcfgclientset.NewForConfig(&rest.Config{Host: "http://canned", Transport: newCanned(t), QPS: -1})
	require.NoError(t, err)
	monitors, err := upgrademonitor.NewMonitors(upgrademonitor.Config{Client: clientset}, func(name string) (*corev1.Node, error) {
		return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}, nil
	})
	require.NoError(t, err)
	heap := func() uint64 {
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	before, goroutines := heap(), runtime.NumGoroutine()
	for i := range nodes {
		m, err := monitors.Get(fmt.Sprintf("worker-%d", i))
		require.NoError(t, err)
		require.NoError(t, m.ReportDegraded(t.Context(), io.ErrUnexpectedEOF))
	}
	each := (heap() - before) / nodes
	t.Logf("%d bytes a node", each)
	assert.LessOrEqual(t, each, uint64(most))
	assert.LessOrEqual(t, runtime.NumGoroutine(), goroutines)
	runtime.KeepAlive(monitors)
}
