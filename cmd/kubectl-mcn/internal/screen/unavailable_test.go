package screen

import (
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
	"github.com/openshift/upgrademonitor/internal/nodemeta"
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

// Nodes may take places without a reason, for example while their daemons work on nothing that is requested.
func TestNodesThatTakePlacesWithoutAReasonAreCounted(t *testing.T) {
	pool := cluster.Pool{}
	for _, name := range []string{"a", "b", "c", "d"} {
		kube := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{
			nodemeta.CurrentConfig: "x", nodemeta.DesiredConfig: "x", nodemeta.State: "Working",
		}}}
		kube.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
		pool.Nodes = append(pool.Nodes, cluster.NewNode(kube, nil))
	}
	problem := Problem{}
	problem.addUnavailable(pool, Options{})
	assert.Equal(t, ": 4 nodes with a daemon that is not done (a, b, c, and 1 more)", problem.What)
	assert.Len(t, problem.About, 4)
}

func TestTheControllerIsNotNamedAsWhoCordoned(t *testing.T) {
	n := cluster.Node{}
	n.Unavailable = []progress.Unavailable{{Reason: progress.Cordoned}}
	for by, want := range map[string]string{"oc": "cordoned by oc", mco.Controller: "cordoned"} {
		n.Cordoner.Name = by
		assert.Equal(t, want, reasons(n, Options{}))
	}
}
