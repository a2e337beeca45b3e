package upgrademonitor_test

import (
	"sync/atomic"
	"testing"

	mcfglisters "github.com/openshift/client-go/machineconfiguration/listers/machineconfiguration/v1"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"

	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// outage makes every request fail while it is on.
func (f *fixture) outage(err error) *atomic.Bool {
	var on atomic.Bool
	on.Store(true)
	f.fails(func(clienttesting.Action) (bool, error) { return on.Load(), err })
	return &on
}

// outageOf makes every request of a verb fail while it is on, but writes of the status.
func (f *fixture) outageOf(verb string, err error) *atomic.Bool {
	var on atomic.Bool
	on.Store(true)
	f.fails(func(a clienttesting.Action) (bool, error) {
		return on.Load() && a.GetVerb() == verb && a.GetSubresource() == "", err
	})
	return &on
}

var errDown = apierrors.NewServiceUnavailable("down")

// another returns a Monitor of another process (or after a restart) for the same object.
func (f *fixture) another(t *testing.T, change ...func(*upgrademonitor.Config)) *fixture {
	t.Helper()
	g := &fixture{clientset: f.clientset, node: f.node, clock: f.clock}
	config := upgrademonitor.Config{Client: f.clientset, NodeName: nodeName, Node: g.view, Clock: f.clock}
	for _, c := range change {
		c(&config)
	}
	g.create(t, config)
	return g
}

// withLister has an indexer as the cache of the Lister.
func withLister(indexer cache.Indexer) func(*upgrademonitor.Config) {
	return func(c *upgrademonitor.Config) { c.Lister = mcfglisters.NewMachineConfigNodeLister(indexer) }
}

// show makes the Lister return the object as it is, in a version.
func (f *fixture) show(t *testing.T, indexer cache.Indexer, version string) {
	t.Helper()
	object := f.object(t).DeepCopy()
	object.ResourceVersion = version
	require.NoError(t, indexer.Update(object))
}

func (f *fixture) delete(t *testing.T) {
	t.Helper()
	require.NoError(t, f.clientset.MachineconfigurationV1().MachineConfigNodes().Delete(t.Context(), nodeName, metav1.DeleteOptions{}))
	f.clientset.ClearActions()
}
