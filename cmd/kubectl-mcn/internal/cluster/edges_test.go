package cluster_test

import (
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// TestOnlyANodeOfTwoPoolsWaits: no unavailable node holds it back, because it never starts.
func TestOnlyANodeOfTwoPoolsWaits(t *testing.T) {
	both := waitingNode("b")
	both.Conflict = []string{"worker", "infra"}
	p := one(t, worker("1", retargeted(20)), 100, cordoned(finishedNode("a", 0, 90)), both)
	assert.Equal(t, 1, p.Unavailable)
	assert.False(t, p.Full || p.Blocked)
}

// TestCertificateWithoutASubject: it has the name of its bundle.
func TestCertificateWithoutASubject(t *testing.T) {
	p := worker("", paused)
	p.Status.CertExpirys = []mcfgv1.CertExpiry{{Bundle: "KubeAPIServerServingCAData", Expiry: &metav1.Time{Time: at(1)}}}
	assert.Equal(t, []cluster.Certificate{{Subject: "KubeAPIServerServingCAData", Expires: at(1)}}, one(t, p, 0).Certificates)
}

// TestBegin: an update begins with its request, unless the request has changed the target of a running update.
func TestBegin(t *testing.T) {
	for name, tc := range map[string]struct{ requested, started, want time.Time }{
		"not started":        {at(1), time.Time{}, at(1)},
		"started later":      {at(1), at(2), at(1)},
		"a new target":       {at(3), at(2), at(2)},
		"request is unknown": {time.Time{}, at(2), at(2)},
	} {
		assert.Equal(t, tc.want, cluster.Node{Node: progress.Node{Requested: tc.requested, Started: tc.started}}.Begin(), name)
	}
}

// TestArbiterUpdates: the other arbiters wait for the masters.
func TestArbiterUpdates(t *testing.T) {
	pools, nodes := []*mcfgv1.MachineConfigPool{selecting("arbiter"), selecting("master")}, []cluster.Node{drainingNode("a", 29), waitingNode("b"), waitingNode("m")}
	nodes[0].Pool, nodes[1].Pool, nodes[2].Pool = "arbiter", "arbiter", "master"
	assert.Equal(t, "master", poolsOf(pools, nodes, at(30), cluster.Limits{})[1].WaitsFor)
}
