package e2e

import (
	"context"
	"testing"
	"time"

	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	mcfgclient "github.com/openshift/client-go/machineconfiguration/clientset/versioned/typed/machineconfiguration/v1"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

type (
	nodes = mcfgclient.MachineConfigNodeInterface
	pools = mcfgclient.MachineConfigPoolInterface
)

func kubeClient(t *testing.T, config *rest.Config) *kubernetes.Clientset {
	t.Helper()
	client, err := kubernetes.NewForConfig(config)
	require.NoError(t, err)
	return client
}

func mcfgClient(t *testing.T, config *rest.Config) *mcfgclientset.Clientset {
	t.Helper()
	client, err := mcfgclientset.NewForConfig(config)
	require.NoError(t, err)
	return client
}

func nodesOf(t *testing.T, config *rest.Config) nodes {
	t.Helper()
	return mcfgClient(t, config).MachineconfigurationV1().MachineConfigNodes()
}

// only returns list options that select the object with this name.
func only(name string) metav1.ListOptions {
	return metav1.ListOptions{FieldSelector: "metadata.name=" + name}
}

// eventually waits until a check succeeds. The message is formatted as in testify.
func eventually(t *testing.T, check func() bool, message ...any) {
	t.Helper()
	err := wait.PollUntilContextTimeout(t.Context(), 5*time.Millisecond, time.Minute, true, func(context.Context) (bool, error) {
		return check(), nil
	})
	require.NoError(t, err, message...)
}
