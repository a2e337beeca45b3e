package e2e

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/test/cluster"
)

// standard is the cluster of most tests, with the CRD of standard mode.
var standard *cluster.Cluster

// withImages is a cluster with the CRD of image mode. withOperator also has the CRD of pools and the roles of operator.yaml.
// The tests on withOperator run one at a time, because their controllers sync every Node.
var withImages, withOperator onDemand

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	var err error
	if standard, err = cluster.Start(context.Background(), cluster.Options{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	for _, c := range []*cluster.Cluster{standard, withImages.cluster, withOperator.cluster} {
		if c == nil {
			continue
		}
		if err := c.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	return code
}

// onDemand is a cluster that is started when a test first needs it.
type onDemand struct {
	once    sync.Once
	cluster *cluster.Cluster
	err     error
}

func (o *onDemand) get(t *testing.T, prepare ...func(context.Context, *cluster.Cluster) error) *cluster.Cluster {
	t.Helper()
	o.once.Do(func() {
		ctx := context.Background()
		o.cluster, o.err = cluster.Start(ctx, cluster.Options{ImageMode: true})
		for _, f := range prepare {
			if o.err == nil {
				o.err = f(ctx, o.cluster)
			}
		}
	})
	require.NoError(t, o.err)
	return o.cluster
}

// installOperator installs the CRD of pools and the operator's role.
func installOperator(ctx context.Context, c *cluster.Cluster) error {
	if err := cluster.InstallPoolCRD(ctx, c.Config()); err != nil {
		return err
	}
	_, err := c.Kubectl(ctx, "apply", "-f", manifest("operator"))
	return err
}
