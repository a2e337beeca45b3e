package upgrademonitor_test

import (
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfglisters "github.com/openshift/client-go/machineconfiguration/listers/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// listed is a Monitor with a Lister that returns what other processes write.
type listed struct {
	*fixture
	indexer cache.Indexer
}

func newListed(t *testing.T) *listed {
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	return &listed{indexer: indexer, fixture: newFixture(t, func(c *upgrademonitor.Config) {
		c.Lister = mcfglisters.NewMachineConfigNodeLister(indexer)
	})}
}

// write writes the object, as another process does.
func (l *listed) write(t *testing.T, resourceVersion, desired string, statuses map[phases.Phase]metav1.ConditionStatus) {
	t.Helper()
	object := updatedObject(t)
	object.ResourceVersion = resourceVersion
	object.Spec.ConfigVersion.Desired = desired
	for i := range object.Status.Conditions {
		c := &object.Status.Conditions[i]
		if status, ok := statuses[phases.Phase(c.Type)]; ok {
			c.Status = status
		}
	}
	require.NoError(t, l.indexer.Add(object))
	nodes := mcfgv1.GroupVersion.WithResource("machineconfignodes")
	if err := l.clientset.Tracker().Create(nodes, object, ""); err != nil {
		require.NoError(t, l.clientset.Tracker().Update(nodes, object, ""))
	}
	l.clientset.ClearActions()
}

type statuses = map[phases.Phase]metav1.ConditionStatus

func TestListerIsPreferredWhenItIsNewer(t *testing.T) {
	l := newListed(t)
	l.write(t, "100", oldConfig, statuses{phases.Updated: "False"})
	l.report(t, phases.Drained, metav1.ConditionUnknown)
	assert.Equal(t, []string{"get", "patch/status"}, l.requests(), "the one read")

	l.write(t, "200", oldConfig, statuses{phases.Updated: "False", phases.Drained: "True"})
	l.report(t, phases.Drained, metav1.ConditionUnknown)
	assert.Equal(t, []string{"patch/status", "patch/status"}, l.requests(), "retried: False, then Unknown")

	l.write(t, "99", oldConfig, statuses{phases.Updated: "False", phases.Drained: "True"})
	err := l.GenerateAndApplyMachineConfigNode(t.Context(), phases.Drained, "Drained", "", metav1.ConditionFalse)
	require.Error(t, err, "an older object is ignored")
}

// The Lister trims its objects: it shows that others have written, but not what.
func TestRejectionIsDecidedAfterWhatOthersWrote(t *testing.T) {
	l := newListed(t)
	l.write(t, "100", oldConfig, statuses{phases.Updated: "False", phases.UpdateExecuted: "Unknown", phases.Drained: "Unknown"})
	l.report(t, phases.Resumed, metav1.ConditionUnknown)
	l.write(t, "200", oldConfig, statuses{phases.Updated: "False", phases.UpdateExecuted: "Unknown", phases.Drained: "True"})
	trimmed := updatedObject(t)
	trimmed.ResourceVersion, trimmed.Status.Conditions = "200", nil
	require.NoError(t, l.indexer.Update(trimmed))
	l.report(t, phases.UpdateExecuted, metav1.ConditionTrue)
	assert.Equal(t, []string{"get", "patch/status"}, l.requests())
}

// failingLister is a Lister of an informer that does not work.
type failingLister struct {
	mcfglisters.MachineConfigNodeLister
}

func (failingLister) Get(string) (*mcfgv1.MachineConfigNode, error) { return nil, errDown }
