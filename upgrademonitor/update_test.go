package upgrademonitor_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// A missing object is created, even if the Node has no annotations and no UID, and if Config.Pool fails.
func TestAMissingObjectIsCreatedWithOwnerAndSpec(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.report(t, phases.Resumed, metav1.ConditionTrue)
		assert.Equal(t, []string{"get", "create", "patch/status", "patch/status"}, f.requests(), "the object is created, and the two writes of the status are Unknown and True")
		object := f.object()
		assert.Equal(t, []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: nodeName, UID: "1a01a163"}}, object.OwnerReferences)
		assert.Equal(t, mcfgv1.MachineConfigNodeSpec{
			Node:          mcfgv1.MCOObjectReference{Name: nodeName},
			Pool:          mcfgv1.MCOObjectReference{Name: "worker"},
			ConfigVersion: mcfgv1.MachineConfigNodeSpecMachineConfigVersion{Desired: oldConfig},
		}, object.Spec)
		assert.Equal(t, versions(oldConfig, upgrademonitor.NotYetSet), object.Status.ConfigVersion)
		assert.Len(t, object.Status.Conditions, len(phases.All(false)))
		assert.Equal(t, metav1.ConditionTrue, f.status(phases.Resumed))

		broken := errors.New("two custom pools")
		for pool, cause := range map[string]error{"": broken, "Worker_Pool": nil} {
			g := newFixture(t, func(c *upgrademonitor.Config) {
				c.Pool = func(*corev1.Node) (string, error) { return pool, cause }
			})
			g.node = &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: nodeName}}
			g.report(t, phases.NodeDegraded, metav1.ConditionFalse)
			object = g.object()
			assert.Empty(t, object.OwnerReferences, "a Node without a UID is not an owner")
			assert.Equal(t, upgrademonitor.NotYetSet, object.Spec.Pool.Name)
			assert.Equal(t, upgrademonitor.NotYetSet, object.Spec.ConfigVersion.Desired)
			assert.Equal(t, versions("", upgrademonitor.NotYetSet), object.Status.ConfigVersion)
			assert.Len(t, g.log.take(), 1)
		}
	})
}

func versions(current, desired string) *mcfgv1.MachineConfigNodeStatusMachineConfigVersion {
	return &mcfgv1.MachineConfigNodeStatusMachineConfigVersion{Current: current, Desired: desired}
}

// Until the Node is provisioned, reports stay pending, and no object is created. Flush looks at the Node again.
func TestNoObjectIsCreatedBeforeTheNodeIsProvisioned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, phase := range []corev1.NodePhase{corev1.NodePending, "Provisioning"} {
			f := newFixture(t)
			f.becomes(func(n *corev1.Node) { n.Status.Phase = phase })
			f.queues(t, phases.Resumed, metav1.ConditionTrue)
			assert.Equal(t, []string{"get"}, f.requests())
			pass(time.Hour)
			assert.NotContains(t, f.requests(), "create")
			lines := f.log.take()
			require.Len(t, lines, 1)
			assert.Contains(t, lines[0], "node worker-0: the MachineConfigNode is not created before the Node is provisioned")
			f.becomes(func(n *corev1.Node) { n.Status.Phase = corev1.NodeRunning })
			assert.Zero(t, took(func() { require.NoError(t, f.Flush(t.Context())) }))
			assert.Equal(t, metav1.ConditionTrue, f.status(phases.Resumed))
		}
	})
}

func TestARejectedSpecIsLoggedOnceAndTheStatusIsWritten(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.fails(errInvalid, "patch")
		for _, config := range []string{newConfig, thirdConfig} {
			f.starts(t, config)
			assert.Equal(t, metav1.ConditionUnknown, f.status(phases.UpdatePrepared))
			assert.Equal(t, oldConfig, f.desired())
		}
		f.fails(nil)
		f.report(t, phases.Updated, metav1.ConditionTrue)
		f.starts(t, newConfig)
		assert.Equal(t, newConfig, f.desired())
		assertLines(t, []string{"has rejected the spec", "works again"}, f.log.take())
	})
}
