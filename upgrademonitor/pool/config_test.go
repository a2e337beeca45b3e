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
	kubefake "k8s.io/client-go/kubernetes/fake"

	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

// TestNew makes no request. The Run of what it returns may be called again after it has returned.
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
			config := pool.Config{
				Client:             client,
				Nodes:              kube.Core().V1().Nodes(),
				Pools:              mcfg.Machineconfiguration().V1().MachineConfigPools(),
				MachineConfigNodes: mcfg.Machineconfiguration().V1().MachineConfigNodes(),
			}
			f(&config)
			controller, err := pool.New(config)
			if name == "" {
				require.NoError(t, err)
				ended, cancel := context.WithCancel(t.Context())
				cancel()
				assert.NoError(t, controller.Run(ended, 1))
				assert.NoError(t, controller.Run(ended, 1), "again")
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
