package rollout_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clienttesting "k8s.io/client-go/testing"

	"github.com/openshift/upgrademonitor/internal/nodemeta"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/rollout"
	"github.com/openshift/upgrademonitor/upgrademonitor/upgrademonitortest"
)

// If rollout runs, a daemon needs neither Config.Pool nor GenerateAndApplyMachineConfigNodeSpec. The daemon writes the spec
// only if an update starts before rollout has written the spec.
func TestTheDaemonWritesTheSpecOnlyIfItIsFirst(t *testing.T) {
	for name, test := range map[string]struct {
		isFirst bool // the daemon sees the Node before rollout runs
		writes  int
	}{
		"rollout writes first":    {false, 0},
		"the daemon writes first": {true, 1},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, nil, one("worker"), func(t *testing.T, c *cluster) {
				c.mcfg = upgrademonitortest.NewClientset(t)
				c.createPool(newPool("worker"))
				var of rollout.Config
				c.run(func(config *rollout.Config) { of = *config })
				monitor, err := upgrademonitor.New(t.Context(), upgrademonitor.Config{
					Client: c.mcfg, NodeName: "node", Lister: of.MachineConfigNodes.Lister(),
					Node: func() (*corev1.Node, error) { return of.Nodes.Lister().Get("node") },
				})
				require.NoError(t, err)
				monitor.Report(t.Context(), phases.Updated, "Node is updated", metav1.ConditionTrue)
				if test.isFirst {
					c.end() // until the next leader runs, no rollout writes the spec
				}
				c.mcfg.ClearActions()
				c.changeNode(desires("rendered-2"))
				for _, report := range []struct {
					phase  phases.Phase
					status metav1.ConditionStatus
				}{
					{phases.Updated, metav1.ConditionFalse}, {phases.UpdatePrepared, metav1.ConditionTrue},
					{phases.RebootedNode, metav1.ConditionTrue}, {phases.Resumed, metav1.ConditionTrue},
				} {
					monitor.Report(t.Context(), report.phase, "about it", report.status)
				}
				c.changeNode(func(n *corev1.Node) { n.Annotations[nodemeta.CurrentConfig] = "rendered-2" })
				monitor.Report(t.Context(), phases.Updated, "Node is updated", metav1.ConditionTrue)
				c.advance(time.Minute)

				writes := 0
				for _, action := range c.mcfg.Actions() {
					patch, isPatch := action.(clienttesting.PatchActionImpl)
					if isPatch && patch.GetSubresource() == "" && patch.PatchOptions.FieldManager == "machine-config-operator" {
						writes++
					}
				}
				assert.Equal(t, test.writes, writes)
				assert.Equal(t, "worker rendered-2", c.spec(), "a write of the daemon keeps the pool")
			})
		})
	}
}
