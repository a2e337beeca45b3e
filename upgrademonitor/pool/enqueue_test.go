package pool

import (
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	mcfginformers "github.com/openshift/client-go/machineconfiguration/informers/externalversions"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	kubefake "k8s.io/client-go/kubernetes/fake"
)

// TestForgetsDeletedPools: the controller keeps no state of deleted pools.
func TestForgetsDeletedPools(t *testing.T) {
	mcfg := mcfginformers.NewSharedInformerFactory(mcfgfake.NewClientset(), 0).Machineconfiguration().V1()
	controller, err := New(Config{
		Client:             mcfgfake.NewClientset(),
		Nodes:              informers.NewSharedInformerFactory(kubefake.NewClientset(), 0).Core().V1().Nodes(),
		Pools:              mcfg.MachineConfigPools(),
		MachineConfigNodes: mcfg.MachineConfigNodes(),
	})
	require.NoError(t, err)
	r := controller.newReconciler()
	defer r.frame.Queue.ShutDown()
	edge := &mcfgv1.MachineConfigPool{ObjectMeta: metav1.ObjectMeta{Name: "edge"}}
	r.written.Set("edge", edge)
	r.resolver.selections([]*mcfgv1.MachineConfigPool{edge})
	r.enqueueAll(edge)
	require.Equal(t, 1, r.frame.Queue.Len())
	assert.True(t, r.frame.ProcessNext(t.Context()))
	_, kept := r.written.Get("edge")
	assert.False(t, kept)
	r.resolver.selections(nil)
	assert.Empty(t, r.resolver.parsed)
}
