package cluster_test

import (
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/internal/mcntest"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

const (
	no      = metav1.ConditionFalse
	running = metav1.ConditionUnknown
	yes     = metav1.ConditionTrue

	configA = mcntest.ConfigA
	configB = mcntest.ConfigB
)

var (
	start       = mcntest.At(0)
	at          = mcntest.At
	mcn         = mcntest.Object
	is          = mcntest.Is
	withDesired = mcntest.Desires
	managed     = mcntest.Managed
	entry       = mcntest.Entry
)

func target(config string) progress.Target { return progress.Target{Config: config} }

func poolsOf(pools []*mcfgv1.MachineConfigPool, nodes []cluster.Node, now time.Time) []cluster.Pool {
	return cluster.Of(cluster.Objects{Pools: pools, Nodes: nodes}, now).Pools
}
