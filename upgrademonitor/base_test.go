package upgrademonitor

import (
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	mcfglisters "github.com/openshift/client-go/machineconfiguration/listers/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"

	"github.com/openshift/upgrademonitor/phases"
)

// TestWriteCarriesTheVersionThatItWasComputedFrom has another process write, and a call of
// another goroutine see it, between the plan of a write and its request.
func TestWriteCarriesTheVersionThatItWasComputedFrom(t *testing.T) {
	client := mcfgfake.NewClientset()
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	m, err := New(Config{
		Client:   client,
		NodeName: "worker-0",
		Node: func() (*corev1.Node, error) {
			return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-0"}}, nil
		},
		Lister: mcfglisters.NewMachineConfigNodeLister(indexer),
	})
	require.NoError(t, err)
	at := func(version string) *mcfgv1.MachineConfigNode {
		return &mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: "worker-0", ResourceVersion: version}}
	}
	accept := func(p phases.Phase) *report {
		r, err := m.newReport(t.Context(), p, "R", "", metav1.ConditionUnknown)
		require.NoError(t, err)
		_, err = m.accept(r)
		require.NoError(t, err)
		return r
	}

	require.NoError(t, indexer.Add(at("5")))
	p, _, err := m.plan(accept(phases.Drained))
	require.NoError(t, err)
	require.NoError(t, indexer.Update(at("6")))
	accept(phases.Cordoned)

	_, _ = p.writes[0].send(m, t.Context(), p.from.object, p.writes[0].next)
	sent := client.Actions()[0].(clienttesting.PatchAction).GetPatch()
	assert.Contains(t, string(sent), `"resourceVersion":"5"`, "so that the server refuses it")
}
