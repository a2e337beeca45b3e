package screen

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/phases"
)

// While the controller drains a node, its log explains a message of the step. Another error is one of the daemon.
func TestTheControllersLogExplainsMessagesOfItsSteps(t *testing.T) {
	n := cluster.Node{State: cluster.Stuck}
	n.Name, n.Step, n.Degraded, n.Message, n.IsOfStep = "a", phases.Drained, true, "no such host", true
	assert.Equal(t, []string{controllerLog}, Next(n, Options{}))
	n.IsOfStep = false
	assert.NotContains(t, Next(n, Options{}), controllerLog)
}
