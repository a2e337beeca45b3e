package progress_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// TestLeftIsNotKnownWhileOnlyUnreportedNodesRemain: nobody knows whether they have anything to do.
func TestLeftIsNotKnownWhileOnlyUnreportedNodesRemain(t *testing.T) {
	unreported := progress.FromMachineConfigNode(mcn())
	unreported.Name = "u"
	nodes := []progress.Node{finishedNode("a", 0, 8), finishedNode("b", 0, 6), finishedNode("c", 6, 13), unreported}
	p := one(t, worker(""), 100, nodes...)
	assert.Equal(t, 1, p.Unreported)
	assert.Nil(t, p.Remaining)
	assert.NotNil(t, one(t, worker(""), 100, append(nodes, waitingNode("w"))...).Remaining)
}
