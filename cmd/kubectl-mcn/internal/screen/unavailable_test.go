package screen

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// Of a waiting node, the entry says that it has an OS image and its pool has none. A node that is updated loses the image.
func TestTheOldImageOfAWaitingNodeIsAReason(t *testing.T) {
	n := cluster.Node{State: cluster.Waiting}
	n.Name, n.Unavailable, n.Current.Image = "a", []progress.Unavailable{{Reason: progress.NotReady}}, "registry.example/os@sha256:1"
	pool := cluster.Pool{}
	what := func(n cluster.Node) string {
		problem := Problem{}
		pool.Nodes = []cluster.Node{n}
		problem.addUnavailable(pool, Options{})
		return problem.What
	}
	assert.Equal(t, ": a (NotReady, with an OS image that its pool does not have)", what(n))
	pool.Target.Image = "registry.example/os@sha256:2"
	assert.Equal(t, ": a (NotReady)", what(n), "the pool has an image")
	pool.Target.Image, n.State = "", cluster.Updating
	assert.Equal(t, ": a (NotReady)", what(n))
}
