package screen

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// A node whose cordon is lifted needs another command than a node with the same error.
func TestALiftedCordonIsACauseOfItsOwn(t *testing.T) {
	n := cluster.Node{State: cluster.Updating, Slow: true, Node: mco.Node{Node: progress.Node{Name: "w-1", Pool: "worker", Update: progress.Started}, Step: phases.Drained, Failing: true, Message: "an error"}}
	lifted := n
	lifted.IsLifted = true
	assert.NotEqual(t, ofNode(cluster.Pool{}, n, Options{}).cause, ofNode(cluster.Pool{}, lifted, Options{}).cause)
}

// If no set is named, the sets that the daemon pulls are not known.
func TestTheEntryOfPinnedImageSetsNamesThem(t *testing.T) {
	for want, p := range map[string]Problem{
		"the daemon checks the pinned image sets since 14:00:00": {What: " since 14:00:00", Sets: []string{""}, Tone: Warn},
		"a pinned image set has failed":                          {Sets: []string{""}, Tone: Alarm},
		"pinned image set a is being pulled":                     {Sets: []string{"a"}, Tone: Warn},
		"pinned image sets a, b have failed":                     {Sets: []string{"a", "b"}, Tone: Alarm},
	} {
		assert.Equal(t, want, ofSets(p))
	}
}
