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

// TestAPoolThatGoesIsForgotten: what is remembered of pools does not grow with those that were.
func TestAPoolThatGoesIsForgotten(t *testing.T) {
	mcfg := mcfginformers.NewSharedInformerFactory(mcfgfake.NewClientset(), 0).Machineconfiguration().V1()
	controller, err := New(Config{
		Client:             mcfgfake.NewClientset(),
		Nodes:              informers.NewSharedInformerFactory(kubefake.NewClientset(), 0).Core().V1().Nodes(),
		Pools:              mcfg.MachineConfigPools(),
		MachineConfigNodes: mcfg.MachineConfigNodes(),
	})
	require.NoError(t, err)
	l := controller.newLoop()
	defer l.queue.ShutDown()
	edge := &mcfgv1.MachineConfigPool{ObjectMeta: metav1.ObjectMeta{Name: "edge"}}
	l.written.remember(edge)
	l.enqueueAll(edge)
	require.Equal(t, 1, l.queue.Len())
	assert.True(t, l.next(t.Context()))
	assert.Empty(t, l.written.pools)
	assert.Empty(t, l.pace.last)
}
