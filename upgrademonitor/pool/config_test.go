package pool_test

import (
	"context"
	"testing"

	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	mcfginformers "github.com/openshift/client-go/machineconfiguration/informers/externalversions"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/informers"
	coreinformers "k8s.io/client-go/informers/core/v1"
	kubefake "k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"

	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

func newConfigOf(kube informers.SharedInformerFactory, mcfg mcfginformers.SharedInformerFactory, client mcfgclientset.Interface) pool.Config {
	return pool.Config{
		Client:             client,
		Nodes:              kube.Core().V1().Nodes(),
		Pools:              mcfg.Machineconfiguration().V1().MachineConfigPools(),
		MachineConfigNodes: mcfg.Machineconfiguration().V1().MachineConfigNodes(),
	}
}

func TestNew(t *testing.T) {
	client := mcfgfake.NewClientset()
	kube, mcfg := informers.NewSharedInformerFactory(kubefake.NewClientset(), 0), mcfginformers.NewSharedInformerFactory(client, 0)
	for name, change := range map[string][]func(*pool.Config){
		"":                   {func(*pool.Config) {}, func(c *pool.Config) { c.Interval, c.Timeout = -1, -1 }},
		"Client":             {func(c *pool.Config) { c.Client = nil }, func(c *pool.Config) { c.Client = (*mcfgclientset.Clientset)(nil) }},
		"Nodes":              {func(c *pool.Config) { c.Nodes = nil }},
		"Pools":              {func(c *pool.Config) { c.Pools = nil }},
		"MachineConfigNodes": {func(c *pool.Config) { c.MachineConfigNodes = nil }},
	} {
		for _, f := range change {
			config := newConfigOf(kube, mcfg, client)
			f(&config)
			controller, err := pool.New(config)
			if name == "" {
				require.NoError(t, err)
				assert.NotNil(t, controller)
				continue
			}
			var invalid *field.Error
			require.ErrorAs(t, err, &invalid)
			assert.Equal(t, field.ErrorTypeRequired, invalid.Type)
			assert.Equal(t, "pool.Config."+name, invalid.Field)
			assert.ErrorContains(t, err, "pool.Config."+name+": Required value: pass ")
			assert.Nil(t, controller)
		}
	}
	assert.Empty(t, client.Actions(), "New makes no request")
}

// TestRunLeavesNoHandler: the informers outlive a Run.
func TestRunLeavesNoHandler(t *testing.T) {
	client := mcfgfake.NewClientset()
	kube, mcfg := informers.NewSharedInformerFactory(kubefake.NewClientset(), 0), mcfginformers.NewSharedInformerFactory(client, 0)
	counted := &countedNodes{NodeInformer: kube.Core().V1().Nodes()}
	config := newConfigOf(kube, mcfg, client)
	config.Nodes = counted
	controller, err := pool.New(config)
	require.NoError(t, err)
	for range 2 { // Run may be called again
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.NoError(t, controller.Run(ctx, 1))
	}
	assert.Equal(t, []int{2, 2}, []int{counted.added, counted.removed})
}

// countedNodes counts the event handlers of an informer.
type countedNodes struct {
	coreinformers.NodeInformer
	cache.SharedIndexInformer
	added, removed int
}

func (c *countedNodes) Informer() cache.SharedIndexInformer {
	c.SharedIndexInformer = c.NodeInformer.Informer()
	return c
}

func (c *countedNodes) AddEventHandlerWithOptions(h cache.ResourceEventHandler, o cache.HandlerOptions) (cache.ResourceEventHandlerRegistration, error) {
	c.added++
	return c.SharedIndexInformer.AddEventHandlerWithOptions(h, o)
}

func (c *countedNodes) RemoveEventHandler(r cache.ResourceEventHandlerRegistration) error {
	c.removed++
	return c.SharedIndexInformer.RemoveEventHandler(r)
}

// TestRunEnds: Run returns if its caches never sync, or the informers are stopped.
func TestRunEnds(t *testing.T) {
	client := mcfgfake.NewClientset()
	kube, mcfg := informers.NewSharedInformerFactory(kubefake.NewClientset(), 0), mcfginformers.NewSharedInformerFactory(client, 0)
	controller, err := pool.New(newConfigOf(kube, mcfg, client))
	require.NoError(t, err)

	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- controller.Run(ctx, 0) }()
	cancel()
	assert.NoError(t, <-ended, "the caches never synced")

	kube.StartWithContext(ctx)
	mcfg.StartWithContext(ctx)
	kube.Shutdown()
	mcfg.Shutdown()
	assert.Error(t, controller.Run(t.Context(), 1), "the informers are stopped")
}

// TestRunAfterTheEnd: Run returns no error if its context is done already.
func TestRunAfterTheEnd(t *testing.T) {
	kube := informers.NewSharedInformerFactory(kubefake.NewClientset(), 0)
	mcfg := mcfginformers.NewSharedInformerFactory(mcfgfake.NewClientset(), 0)
	controller, err := pool.New(newConfigOf(kube, mcfg, mcfgfake.NewClientset()))
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	kube.StartWithContext(ctx)
	mcfg.StartWithContext(ctx)
	cancel()
	kube.Shutdown()
	mcfg.Shutdown()
	assert.NoError(t, controller.Run(ctx, 1))
	assert.ErrorContains(t, controller.Run(t.Context(), 1), "stopped", "only the informers have stopped")
}
