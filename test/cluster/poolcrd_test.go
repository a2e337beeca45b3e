package cluster_test

import (
	"testing"

	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/test/cluster"
)

func TestInstallPoolCRD(t *testing.T) {
	ctx := testContext(t)
	clientset, err := mcfgclientset.NewForConfig(shared.Config())
	require.NoError(t, err)
	for range 2 { // it may be there already
		require.NoError(t, cluster.InstallPoolCRD(ctx, shared.Config()))
		_, err = clientset.MachineconfigurationV1().MachineConfigPools().List(ctx, metav1.ListOptions{})
		require.NoError(t, err)
	}
}
