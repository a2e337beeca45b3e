package scope_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/scope"
)

func TestErrOutOfScopeNamesTheObjectAndTheNode(t *testing.T) {
	c, _ := newClient(t)

	_, err := c.Create(t.Context(), object(nodeName, "worker-1"), metav1.CreateOptions{})

	require.ErrorIs(t, err, scope.ErrOutOfScope)
	assert.EqualError(t, err, `out of scope: a node may access only its own MachineConfigNode: spec.node.name is "worker-1", the node is "worker-0"`)
}
