package scope_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	mcfgclient "github.com/openshift/client-go/machineconfiguration/clientset/versioned/typed/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	clienttesting "k8s.io/client-go/testing"

	"github.com/openshift/upgrademonitor/scope"
)

const nodeName = "worker-0"

// narrow is the part of the typed client that a node needs. Both clients implement it.
type narrow interface {
	Get(ctx context.Context, name string, opts metav1.GetOptions) (*mcfgv1.MachineConfigNode, error)
	Create(ctx context.Context, mcn *mcfgv1.MachineConfigNode, opts metav1.CreateOptions) (*mcfgv1.MachineConfigNode, error)
	Patch(ctx context.Context, name string, pt types.PatchType, data []byte, opts metav1.PatchOptions, subresources ...string) (*mcfgv1.MachineConfigNode, error)
}

var (
	_ narrow = (*scope.Client)(nil)
	_ narrow = mcfgclient.MachineConfigNodeInterface(nil)
)

// newClient returns a client of a cluster that has the object of another node.
func newClient(t *testing.T) (*scope.Client, *mcfgfake.Clientset) {
	t.Helper()
	clientset := mcfgfake.NewClientset(object("worker-00", "worker-00"))
	c, err := scope.NewClient(clientset.MachineconfigurationV1().MachineConfigNodes(), nodeName)
	require.NoError(t, err)
	require.Empty(t, clientset.Actions(), "NewClient makes no request")
	return c, clientset
}

func object(name, node string) *mcfgv1.MachineConfigNode {
	return &mcfgv1.MachineConfigNode{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       mcfgv1.MachineConfigNodeSpec{Node: mcfgv1.MCOObjectReference{Name: node}},
	}
}

type nilNodes struct {
	mcfgclient.MachineConfigNodeInterface
}

func TestNewClient(t *testing.T) {
	nodes := mcfgfake.NewClientset().MachineconfigurationV1().MachineConfigNodes()
	var typedNil *nilNodes
	for name, tc := range map[string]struct {
		client   mcfgclient.MachineConfigNodeInterface
		nodeName string
		contains string // of the error; "": it is valid
	}{
		"one letter":        {nodes, "a", ""},
		"dots and dashes":   {nodes, "ip-10-0-1-147.ec2.internal", ""},
		"253 characters":    {nodes, strings.Repeat("a", 253), ""},
		"254 characters":    {nodes, strings.Repeat("a", 254), "253"},
		"nil client":        {nil, nodeName, "MachineConfigNodes()"},
		"typed nil client":  {typedNil, nodeName, "MachineConfigNodes()"},
		"empty":             {nodes, "", "pass the name of the Node"},
		"upper case":        {nodes, "Worker-0", `"Worker-0"`},
		"a dash at the end": {nodes, "worker-", `"worker-"`},
		"slash":             {nodes, "worker/0", `"worker/0"`},
		"parent directory":  {nodes, "..", `".."`},
		"comma":             {nodes, "a,metadata.name=b", "not a valid name of a Node"},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := scope.NewClient(tc.client, tc.nodeName)
			if tc.contains == "" {
				require.NoError(t, err)
				assert.Equal(t, tc.nodeName, c.NodeName())
				return
			}
			require.ErrorContains(t, err, tc.contains)
			var invalid *field.Error
			require.ErrorAs(t, err, &invalid)
			assert.Nil(t, c)
			assert.NotErrorIs(t, err, scope.ErrOutOfScope)
		})
	}
}

// Requests for the object are sent unchanged, and have the errors of the typed client.
func TestRequestsForItsObject(t *testing.T) {
	c, clientset := newClient(t)
	_, err := c.Get(t.Context(), nodeName, metav1.GetOptions{ResourceVersion: "7"})
	assert.True(t, apierrors.IsNotFound(err))
	created, err := c.Create(t.Context(), object(nodeName, nodeName), metav1.CreateOptions{FieldManager: "mine"})
	require.NoError(t, err)
	read, err := c.Get(t.Context(), nodeName, metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, created, read)
	_, err = c.Patch(t.Context(), nodeName, types.MergePatchType, []byte("{}"), metav1.PatchOptions{DryRun: []string{"All"}}, "status")
	require.NoError(t, err)

	resource := mcfgv1.GroupVersion.WithResource("machineconfignodes")
	assert.Equal(t, []clienttesting.Action{
		clienttesting.NewRootGetActionWithOptions(resource, nodeName, metav1.GetOptions{ResourceVersion: "7"}),
		clienttesting.NewRootCreateActionWithOptions(resource, object(nodeName, nodeName), metav1.CreateOptions{FieldManager: "mine"}),
		clienttesting.NewRootGetActionWithOptions(resource, nodeName, metav1.GetOptions{}),
		clienttesting.NewRootPatchSubresourceActionWithOptions(resource, nodeName, types.MergePatchType, []byte("{}"), metav1.PatchOptions{DryRun: []string{"All"}}, "status"),
	}, clientset.Actions())
}

// Requests for another object are not sent.
func TestRequestsForAnotherObject(t *testing.T) {
	c, clientset := newClient(t)
	for _, name := range []string{"", "worker-1", "worker-00", "worker-", "Worker-0", " worker-0", "worker-0/status", "worker-0.example", "*"} {
		generated := object(name, nodeName)
		generated.GenerateName = nodeName
		_, get := c.Get(t.Context(), name, metav1.GetOptions{})
		_, create := c.Create(t.Context(), object(name, nodeName), metav1.CreateOptions{})
		_, generate := c.Create(t.Context(), generated, metav1.CreateOptions{})
		_, ofAnother := c.Create(t.Context(), object(nodeName, name), metav1.CreateOptions{})
		_, patch := c.Patch(t.Context(), name, types.MergePatchType, []byte(`{}`), metav1.PatchOptions{})
		_, patchStatus := c.Patch(t.Context(), name, types.ApplyPatchType, []byte(`{}`), metav1.PatchOptions{}, "status")
		for i, err := range []error{get, create, generate, ofAnother, patch, patchStatus} {
			require.ErrorIs(t, err, scope.ErrOutOfScope, "%d %q", i, name)
			where := []string{"name", "metadata.name", "metadata.name", "spec.node.name", "name", "name"}[i]
			assert.EqualError(t, err, fmt.Sprintf("out of scope: a node may access only its own MachineConfigNode: %s is %q, but the name of this node is %q", where, name, nodeName))
		}
	}
	_, err := c.Create(t.Context(), nil, metav1.CreateOptions{})
	var invalid *field.Error
	require.ErrorAs(t, err, &invalid)
	assert.Empty(t, clientset.Actions())
}
