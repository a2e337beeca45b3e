package cluster_test

import (
	"testing"

	operatorclientset "github.com/openshift/client-go/operator/clientset/versioned"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/test/cluster"
)

func TestInstallConfigurationCRD(t *testing.T) {
	ctx := testContext(t)
	clientset, err := operatorclientset.NewForConfig(shared.Config())
	require.NoError(t, err)
	for range 2 { // it may be there already
		require.NoError(t, cluster.InstallConfigurationCRD(ctx, shared.Config()))
		_, err = clientset.OperatorV1().MachineConfigurations().List(ctx, metav1.ListOptions{})
		require.NoError(t, err)
	}
}
