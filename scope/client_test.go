package scope_test

import (
	"context"
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

// narrow is the part of the typed client that a node needs. Both implement it.
type narrow interface {
	Get(ctx context.Context, name string, opts metav1.GetOptions) (*mcfgv1.MachineConfigNode, error)
	Create(ctx context.Context, mcn *mcfgv1.MachineConfigNode, opts metav1.CreateOptions) (*mcfgv1.MachineConfigNode, error)
	Patch(ctx context.Context, name string, pt types.PatchType, data []byte, opts metav1.PatchOptions, subresources ...string) (*mcfgv1.MachineConfigNode, error)
}

var (
	_ narrow = (*scope.Client)(nil)
	_ narrow = mcfgclient.MachineConfigNodeInterface(nil)
)

// newClient returns a client of a cluster that has the object of this node and of another.
func newClient(t *testing.T) (*scope.Client, *mcfgfake.Clientset) {
	t.Helper()
	clientset := mcfgfake.NewClientset(object(nodeName, nodeName), object("worker-00", "worker-00"))
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

func TestNewClientRejectsANilClientAndInvalidNames(t *testing.T) {
	nodes := mcfgfake.NewClientset().MachineconfigurationV1().MachineConfigNodes()
	var typedNil *nilNodes
	for name, tc := range map[string]struct {
		client   mcfgclient.MachineConfigNodeInterface
		nodeName string
		contains string
	}{
		"nil client":        {nil, nodeName, "MachineConfigNodes()"},
		"typed nil client":  {typedNil, nodeName, "MachineConfigNodes()"},
		"empty":             {nodes, "", "pass the name of the Node"},
		"upper case":        {nodes, "Worker-0", `"Worker-0"`},
		"254 characters":    {nodes, strings.Repeat("a", 254), "253"},
		"a dash at the end": {nodes, "worker-", `"worker-"`},
		"slash":             {nodes, "worker/0", `"worker/0"`},
		"space":             {nodes, " worker-0", `" worker-0"`},
		"parent directory":  {nodes, "..", `".."`},
		"comma":             {nodes, "a,metadata.name=b", "not a valid name of a Node"},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := scope.NewClient(tc.client, tc.nodeName)
			require.ErrorContains(t, err, tc.contains)
			_, _ = requireInvalid(t, err)
			assert.Nil(t, c)
			assert.NotErrorIs(t, err, scope.ErrOutOfScope)
		})
	}
}

// requireInvalid asserts that an error is a *field.Error, and returns its field and value.
func requireInvalid(t *testing.T, err error) (name string, value any) {
	t.Helper()
	var invalid *field.Error
	require.ErrorAs(t, err, &invalid)
	return invalid.Field, invalid.BadValue
}

type nilNodes struct {
	mcfgclient.MachineConfigNodeInterface
}

func TestNewClientAcceptsEveryNameOfANode(t *testing.T) {
	nodes := mcfgfake.NewClientset().MachineconfigurationV1().MachineConfigNodes()
	for _, name := range []string{"a", "ip-10-0-1-147.ec2.internal", strings.Repeat("a", 253)} {
		c, err := scope.NewClient(nodes, name)
		require.NoError(t, err)
		assert.Equal(t, name, c.NodeName())
	}
}

func TestClientPassesRequestsForItsObjectUnchanged(t *testing.T) {
	patch := []byte(`{"metadata":{"labels":{"a":"b"}}}`)
	for name, tc := range map[string]struct {
		call              func(c *scope.Client) (*mcfgv1.MachineConfigNode, error)
		verb, subresource string
		check             func(t *testing.T, a clienttesting.Action)
	}{
		"get": {
			func(c *scope.Client) (*mcfgv1.MachineConfigNode, error) {
				return c.Get(t.Context(), nodeName, metav1.GetOptions{ResourceVersion: "7"})
			}, "get", "",
			func(t *testing.T, a clienttesting.Action) {
				assert.Equal(t, nodeName, a.(clienttesting.GetAction).GetName())
				assert.Equal(t, "7", a.(clienttesting.GetActionImpl).GetOptions.ResourceVersion)
			},
		},
		"patch": {
			func(c *scope.Client) (*mcfgv1.MachineConfigNode, error) {
				return c.Patch(t.Context(), nodeName, types.MergePatchType, patch, metav1.PatchOptions{DryRun: []string{"All"}})
			}, "patch", "",
			func(t *testing.T, a clienttesting.Action) {
				p := a.(clienttesting.PatchActionImpl)
				assert.Equal(t, []string{nodeName, string(patch)}, []string{p.Name, string(p.Patch)})
				assert.Equal(t, types.MergePatchType, p.PatchType)
				assert.Equal(t, []string{"All"}, p.PatchOptions.DryRun)
			},
		},
		"patch of a subresource": {
			func(c *scope.Client) (*mcfgv1.MachineConfigNode, error) {
				return c.Patch(t.Context(), nodeName, types.MergePatchType, patch, metav1.PatchOptions{}, "status")
			}, "patch", "status", func(*testing.T, clienttesting.Action) {},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, clientset := newClient(t)

			mcn, err := tc.call(c)

			require.NoError(t, err)
			assert.Equal(t, nodeName, mcn.Name)
			actions := clientset.Actions()
			require.Len(t, actions, 1)
			assert.Equal(t, []string{tc.verb, tc.subresource}, []string{actions[0].GetVerb(), actions[0].GetSubresource()})
			assert.Equal(t, "machineconfignodes", actions[0].GetResource().Resource)
			tc.check(t, actions[0])
		})
	}
}

func TestClientCreatesItsObject(t *testing.T) {
	clientset := mcfgfake.NewClientset()
	c, err := scope.NewClient(clientset.MachineconfigurationV1().MachineConfigNodes(), nodeName)
	require.NoError(t, err)

	mcn, err := c.Create(t.Context(), object(nodeName, nodeName), metav1.CreateOptions{FieldManager: "mine"})

	require.NoError(t, err)
	assert.Equal(t, nodeName, mcn.Name)
	require.Len(t, clientset.Actions(), 1)
	assert.Equal(t, "mine", clientset.Actions()[0].(clienttesting.CreateActionImpl).CreateOptions.FieldManager)
}

func TestClientReturnsTheErrorsOfTheTypedClient(t *testing.T) {
	clientset := mcfgfake.NewClientset()
	c, err := scope.NewClient(clientset.MachineconfigurationV1().MachineConfigNodes(), nodeName)
	require.NoError(t, err)

	_, err = c.Get(t.Context(), nodeName, metav1.GetOptions{})

	assert.True(t, apierrors.IsNotFound(err))
	assert.NotErrorIs(t, err, scope.ErrOutOfScope)
}

// otherNames are names that resemble the name of this node.
var otherNames = []string{"", "worker-1", "worker-00", "worker-", "Worker-0", " worker-0", "worker-0/status", "worker-0.example", "*"}

// calls makes a request for the named object with each method.
func calls(ctx context.Context, c *scope.Client, name string) map[string]error {
	_, get := c.Get(ctx, name, metav1.GetOptions{})
	_, create := c.Create(ctx, object(name, nodeName), metav1.CreateOptions{})
	generated := object(name, nodeName)
	generated.GenerateName = nodeName
	_, generate := c.Create(ctx, generated, metav1.CreateOptions{})
	_, patch := c.Patch(ctx, name, types.MergePatchType, []byte(`{}`), metav1.PatchOptions{})
	_, patchStatus := c.Patch(ctx, name, types.ApplyPatchType, []byte(`{}`), metav1.PatchOptions{}, "status")
	return map[string]error{"get": get, "create": create, "generate": generate, "patch": patch, "patchStatus": patchStatus}
}

func TestClientMakesNoRequestForAnotherName(t *testing.T) {
	for _, name := range otherNames {
		c, clientset := newClient(t)
		for call, err := range calls(t.Context(), c, name) {
			require.ErrorIs(t, err, scope.ErrOutOfScope, "%s %q", call, name)
			assert.ErrorContains(t, err, `"`+name+`"`, call)
		}
		assert.Empty(t, clientset.Actions(), "%q", name)
	}
}

func TestClientMakesNoRequestForAnotherNode(t *testing.T) {
	for _, node := range otherNames {
		c, clientset := newClient(t)

		_, err := c.Create(t.Context(), object(nodeName, node), metav1.CreateOptions{})
		require.ErrorIs(t, err, scope.ErrOutOfScope, "create %q", node)
		assert.ErrorContains(t, err, "spec.node.name")

		assert.Empty(t, clientset.Actions())
	}
}

func TestClientMakesNoRequestForNil(t *testing.T) {
	c, clientset := newClient(t)

	_, err := c.Create(t.Context(), nil, metav1.CreateOptions{})
	_, _ = requireInvalid(t, err)
	assert.Empty(t, clientset.Actions())
}
