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
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/pending"
)

// TestWriteCarriesTheVersionThatItWasComputedFrom: another process writes, and a call in another
// goroutine observes it, between the plan of a write and its request.
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
	accept := func(p phases.Phase) *pending.Entry {
		r, err := m.newReport(t.Context(), p, "R", "", metav1.ConditionUnknown, reportOptions{})
		require.NoError(t, err)
		e, err := m.store.accept(r, m.listed(t.Context()))
		require.NoError(t, err)
		return e
	}

	require.NoError(t, indexer.Add(at("5")))
	s, p, _, err := m.store.plan(accept(phases.Drained))
	require.NoError(t, err)
	require.NoError(t, indexer.Update(at("6")))
	accept(phases.Cordoned)

	_, _ = m.writer.Write(t.Context(), s, p.Steps[0])
	sent := client.Actions()[0].(clienttesting.PatchAction).GetPatch()
	assert.Contains(t, string(sent), `"resourceVersion":"5"`, "so that it is a conflict")
}
