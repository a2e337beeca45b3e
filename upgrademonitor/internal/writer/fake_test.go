package writer_test

import (
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/scope"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/writer"
)

// TestFakeClientset makes all requests with a clientset that has no REST client.
func TestFakeClientset(t *testing.T) {
	clientset := mcfgfake.NewClientset()
	client, err := scope.NewClient(clientset.MachineconfigurationV1().MachineConfigNodes(), nodeName)
	require.NoError(t, err)
	w := writer.New(client.WithREST(clientset.MachineconfigurationV1().RESTClient()), manager)

	_, err = w.Read(t.Context())
	require.True(t, apierrors.IsNotFound(err))

	_, err = w.Create(t.Context(), &mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: nodeName}, Spec: mcfgv1.MachineConfigNodeSpec{
		Node: mcfgv1.MCOObjectReference{Name: nodeName}, Pool: mcfgv1.MCOObjectReference{Name: "worker"}}})
	require.NoError(t, err)
	state, err := w.Read(t.Context())
	require.NoError(t, err)

	next := state.WithStatus(changed(read(t)).Object.Status)
	state, err = w.Write(t.Context(), state, plan.Step{Kind: plan.ApplyStatus, Next: next})
	require.NoError(t, err)
	assert.Equal(t, "Unknown", string(state.Object.Status.Conditions[0].Status))

	removed := state.Object.Status
	removed.PinnedImageSets, removed.ConfigImage = nil, mcfgv1.MachineConfigNodeStatusConfigImage{}
	state, err = w.Write(t.Context(), state, plan.Step{Kind: plan.MergeStatus, Next: state.WithStatus(removed)})
	require.NoError(t, err)

	object := *state.Object
	object.Spec.Pool.Name, object.Spec.ConfigImage.DesiredImage = "master", image
	spec := state
	spec.Object = &object
	state, err = w.Write(t.Context(), state, plan.Step{Kind: plan.MergeSpec, Next: spec})
	require.NoError(t, err)
	assert.False(t, state.NoImageField)

	again, err := w.Read(t.Context())
	require.NoError(t, err)
	assert.Equal(t, state.Object.Spec, again.Object.Spec)
	assert.Equal(t, state.Object.Status, again.Object.Status)
	assert.True(t, again.Unowned.Exact)
}
