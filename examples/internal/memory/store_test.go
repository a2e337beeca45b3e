package memory_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgapply "github.com/openshift/client-go/machineconfiguration/applyconfigurations/machineconfiguration/v1"
	mcfgclient "github.com/openshift/client-go/machineconfiguration/clientset/versioned/typed/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/openshift/upgrademonitor/examples/internal/memory"
)

func specApply(desired string) *mcfgapply.MachineConfigNodeApplyConfiguration {
	return mcfgapply.MachineConfigNode("worker-0").WithSpec(mcfgapply.MachineConfigNodeSpec().
		WithConfigVersion(mcfgapply.MachineConfigNodeSpecMachineConfigVersion().WithDesired(desired)))
}

func statusApply() *mcfgapply.MachineConfigNodeApplyConfiguration {
	return mcfgapply.MachineConfigNode("worker-0").WithStatus(mcfgapply.MachineConfigNodeStatus().
		WithConfigVersion(mcfgapply.MachineConfigNodeStatusMachineConfigVersion().WithDesired("a")))
}

func by(manager string) metav1.ApplyOptions {
	return metav1.ApplyOptions{FieldManager: manager, Force: true}
}

func applied(t *testing.T) (context.Context, mcfgclient.MachineConfigNodeInterface, *mcfgv1.MachineConfigNode) {
	t.Helper()
	nodes := memory.MachineConfigs().MachineconfigurationV1().MachineConfigNodes()
	mcn, err := nodes.Apply(t.Context(), specApply("a"), by("operator"))
	require.NoError(t, err)
	return t.Context(), nodes, mcn
}

func TestApplyCreates(t *testing.T) {
	_, _, mcn := applied(t)
	assert.NotEmpty(t, mcn.UID)
	assert.NotEmpty(t, mcn.ResourceVersion)
	assert.False(t, mcn.CreationTimestamp.IsZero())
	assert.EqualValues(t, 1, mcn.Generation)
}

func TestApplyOfAStatusDoesNotCreate(t *testing.T) {
	nodes := memory.MachineConfigs().MachineconfigurationV1().MachineConfigNodes()
	_, err := nodes.ApplyStatus(t.Context(), statusApply(), by("daemon"))
	assert.True(t, apierrors.IsNotFound(err), "%v", err)
}

func TestManagersOwnTheirFields(t *testing.T) {
	ctx, nodes, first := applied(t)
	second, err := nodes.ApplyStatus(ctx, statusApply(), by("daemon"))
	require.NoError(t, err)
	assert.Equal(t, "a", second.Spec.ConfigVersion.Desired)
	assert.Equal(t, first.Generation, second.Generation)
	assert.Equal(t, first.UID, second.UID)
	assert.NotEqual(t, first.ResourceVersion, second.ResourceVersion)

	third, err := nodes.Apply(ctx, specApply("b"), by("operator"))
	require.NoError(t, err)
	assert.Equal(t, "a", third.Status.ConfigVersion.Desired)
	assert.Equal(t, first.Generation+1, third.Generation)
}

func TestStaleWriteIsAConflict(t *testing.T) {
	ctx, nodes, first := applied(t)
	_, err := nodes.ApplyStatus(ctx, statusApply(), by("daemon"))
	require.NoError(t, err)

	late := statusApply().WithResourceVersion(first.ResourceVersion)
	other := specApply("b").WithUID("other")
	patch := []byte(`{"metadata":{"resourceVersion":"` + first.ResourceVersion + `"}}`)
	for name, write := range map[string]func() error{
		"apply":            func() error { _, err := nodes.ApplyStatus(ctx, late, by("daemon")); return err },
		"apply to another": func() error { _, err := nodes.Apply(ctx, other, by("operator")); return err },
		"patch": func() error {
			_, err := nodes.Patch(ctx, "worker-0", types.MergePatchType, patch, metav1.PatchOptions{})
			return err
		},
		"update": func() error { _, err := nodes.Update(ctx, first, metav1.UpdateOptions{}); return err },
		"delete": func() error {
			return nodes.Delete(ctx, "worker-0", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{ResourceVersion: &first.ResourceVersion}})
		},
		"delete another": func() error {
			return nodes.Delete(ctx, "worker-0", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: ptr.To(types.UID("other"))}})
		},
	} {
		err := write()
		assert.True(t, apierrors.IsConflict(err), "%s: %v", name, err)
	}
	require.NoError(t, nodes.Delete(ctx, "worker-0", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &first.UID}}))
	_, err = nodes.ApplyStatus(ctx, late, by("daemon"))
	assert.True(t, apierrors.IsNotFound(err), "%v", err)
}

func TestStatusPatchKeepsTheGeneration(t *testing.T) {
	nodes := memory.Kube().CoreV1().Nodes()
	node, err := nodes.Create(t.Context(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-0"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	patch := func(body string) *corev1.Node {
		after, err := nodes.Patch(t.Context(), "worker-0", types.MergePatchType, []byte(body), metav1.PatchOptions{})
		require.NoError(t, err)
		return after
	}
	assert.Equal(t, node.Generation, patch(`{"metadata":{"annotations":{"a":"b"}}}`).Generation)
	assert.Equal(t, node.Generation, patch(`{"status":{"phase":"Running"}}`).Generation)
	assert.Equal(t, node.Generation+1, patch(`{"spec":{"unschedulable":true}}`).Generation)
}

// TestWatchBuffersEvents reads nothing while there are more events than a fake watch holds.
func TestWatchBuffersEvents(t *testing.T) {
	ctx, nodes, first := applied(t)
	w, err := nodes.Watch(ctx, metav1.ListOptions{})
	require.NoError(t, err)
	defer w.Stop()
	for i := range 300 {
		_, err := nodes.Apply(ctx, specApply(strconv.Itoa(i)), by("operator"))
		require.NoError(t, err)
	}
	event := <-w.ResultChan()
	assert.Equal(t, first, event.Object)
	event.Object.(*mcfgv1.MachineConfigNode).Labels = map[string]string{"mine": ""}
	var last *mcfgv1.MachineConfigNode
	for range 300 {
		last = (<-w.ResultChan()).Object.(*mcfgv1.MachineConfigNode)
	}
	assert.Equal(t, "299", last.Spec.ConfigVersion.Desired)
	assert.Empty(t, last.Labels)
}

// TestWatchDeliversCopies matters to informers with a transform.
func TestWatchDeliversCopies(t *testing.T) {
	ctx, nodes, _ := applied(t)
	w, err := nodes.Watch(ctx, metav1.ListOptions{})
	require.NoError(t, err)
	defer w.Stop()
	(<-w.ResultChan()).Object.(*mcfgv1.MachineConfigNode).Name = "mine"
	list, err := nodes.List(ctx, metav1.ListOptions{})
	require.NoError(t, err)
	assert.Equal(t, "worker-0", list.Items[0].Name)
}

// TestTimesAreConverted reads the times of an object on a clock that is an hour ahead, by a get,
// a list, a watch, and after a patch of what was read.
func TestTimesAreConverted(t *testing.T) {
	ahead := func(t time.Time) time.Time { return t.Add(time.Hour) }
	nodes := memory.MachineConfigs(memory.WithTimes(ahead)).MachineconfigurationV1().MachineConfigNodes()
	start := time.Now().Truncate(time.Second)
	w, err := nodes.Watch(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	defer w.Stop()
	_, err = nodes.Apply(t.Context(), specApply("a"), by("operator"))
	require.NoError(t, err)
	_, err = nodes.Patch(t.Context(), "worker-0", types.MergePatchType, []byte(`{"metadata":{"labels":{"a":"b"}}}`), metav1.PatchOptions{FieldManager: "other"})
	require.NoError(t, err)

	got, err := nodes.Get(t.Context(), "worker-0", metav1.GetOptions{})
	require.NoError(t, err)
	list, err := nodes.List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	for _, mcn := range []*mcfgv1.MachineConfigNode{got, &list.Items[0], (<-w.ResultChan()).Object.(*mcfgv1.MachineConfigNode)} {
		require.NotEmpty(t, mcn.ManagedFields)
		for _, f := range mcn.ManagedFields {
			assert.WithinRange(t, f.Time.Time, ahead(start), ahead(time.Now()))
		}
		assert.WithinRange(t, mcn.CreationTimestamp.Time, ahead(start), ahead(time.Now()))
	}
}
