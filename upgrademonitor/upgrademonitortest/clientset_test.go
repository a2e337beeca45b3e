package upgrademonitortest_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/upgrademonitortest"
)

const nodeName = "worker-0"

func newObject() *mcfgv1.MachineConfigNode {
	return &mcfgv1.MachineConfigNode{
		ObjectMeta: metav1.ObjectMeta{Name: nodeName},
		Spec: mcfgv1.MachineConfigNodeSpec{
			Node:          mcfgv1.MCOObjectReference{Name: nodeName},
			Pool:          mcfgv1.MCOObjectReference{Name: "worker"},
			ConfigVersion: mcfgv1.MachineConfigNodeSpecMachineConfigVersion{Desired: "rendered-a"},
		},
	}
}

func conditionsPatch(conditions ...string) []byte {
	list := ""
	for i := 0; i < len(conditions); i += 2 {
		if i > 0 {
			list += ","
		}
		list += fmt.Sprintf(`{"type":%q,"status":%q,"reason":"R","message":"","lastTransitionTime":"2026-05-22T12:37:%02dZ"}`, conditions[i], conditions[i+1], len(conditions[i+1]))
	}
	return []byte(`{"status":{"conditions":[` + list + `]}}`)
}

func write(t *testing.T, c *fake.Clientset, conditions ...string) {
	t.Helper()
	_, err := c.MachineconfigurationV1().MachineConfigNodes().Patch(t.Context(), nodeName, types.MergePatchType, conditionsPatch(conditions...), metav1.PatchOptions{}, "status")
	require.NoError(t, err)
}

// recorder is a test that records its errors, and does not fail.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}
func (r *recorder) Fatalf(format string, args ...any) { r.Errorf(format, args...) }
func (r *recorder) Fatal(args ...any)                 { r.errors = append(r.errors, fmt.Sprint(args...)) }

// Create drops the status. Creating an object that exists is an error, and does not reset its history: the next status is
// checked against the last one.
func TestCreateDropsTheStatusAndKeepsAnExistingObject(t *testing.T) {
	r := &recorder{TB: t}
	c := upgrademonitortest.NewClientset(r)
	client := c.MachineconfigurationV1().MachineConfigNodes()
	object := newObject()
	object.Generation, object.Status.ObservedGeneration = 7, 7
	created, err := client.Create(t.Context(), object, metav1.CreateOptions{})
	require.NoError(t, err)
	assert.Zero(t, created.Status)
	assert.NotEmpty(t, created.UID)
	assert.NotEmpty(t, created.ResourceVersion)
	assert.EqualValues(t, 1, created.Generation)
	assert.False(t, created.CreationTimestamp.IsZero())

	_, err = client.Create(t.Context(), object, metav1.CreateOptions{})
	require.True(t, apierrors.IsAlreadyExists(err), "%v", err)
	write(t, c, "Drained", "True")
	assert.Len(t, r.errors, 1)
	object.Name = "worker-1"
	_, err = client.Create(t.Context(), object, metav1.CreateOptions{})
	assert.True(t, apierrors.IsInvalid(err), "an object whose spec names another node is invalid: %v", err)
}

// NewClientset accepts any object of its API groups, and fails the test for other objects.
func TestNewClientsetAcceptsObjectsOfItsAPIGroups(t *testing.T) {
	r := &recorder{TB: t}
	pool := &mcfgv1.MachineConfigPool{ObjectMeta: metav1.ObjectMeta{Name: "worker"}}
	c := upgrademonitortest.NewClientset(r, newObject(), pool)
	read, err := c.MachineconfigurationV1().MachineConfigPools().Get(t.Context(), "worker", metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, pool, read)
	assert.Empty(t, r.errors)
	upgrademonitortest.NewClientset(r, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: nodeName}})
	require.Len(t, r.errors, 1)
	assert.Contains(t, r.errors[0], "Failed to add *v1.Node to the clientset: ")
}

// An update of the object keeps the status, and an update of the status keeps the rest. A write of an old version is a
// conflict. The resourceVersion of a given object is counted up.
func TestAnUpdateKeepsTheOtherSubresource(t *testing.T) {
	given := newObject()
	given.ResourceVersion, given.Status.ObservedGeneration = "41", 1
	given.CreationTimestamp = metav1.Unix(1, 0)
	c := upgrademonitortest.NewClientset(t, given)
	client := c.MachineconfigurationV1().MachineConfigNodes()
	assert.Empty(t, given.UID, "the given object is copied")
	change, err := client.Get(t.Context(), nodeName, metav1.GetOptions{})
	require.NoError(t, err)
	assert.True(t, change.CreationTimestamp.Equal(&given.CreationTimestamp))
	change.Spec.Pool.Name, change.Status.ObservedGeneration = "infra", 2
	for _, update := range []func(context.Context, *mcfgv1.MachineConfigNode, metav1.UpdateOptions) (*mcfgv1.MachineConfigNode, error){client.UpdateStatus, client.Update} {
		updated, err := update(t.Context(), change, metav1.UpdateOptions{})
		require.NoError(t, err)
		assert.EqualValues(t, 2, updated.Status.ObservedGeneration)
		_, err = update(t.Context(), change, metav1.UpdateOptions{})
		assert.True(t, apierrors.IsConflict(err), "%v", err)
		change.ResourceVersion, change.Status.ObservedGeneration = updated.ResourceVersion, 0
	}
	read, err := client.Get(t.Context(), nodeName, metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, []any{"45", int64(2), "infra"}, []any{read.ResourceVersion, read.Generation, read.Spec.Pool.Name})
	change.ResourceVersion = ""
	_, err = client.Update(t.Context(), change, metav1.UpdateOptions{})
	assert.True(t, apierrors.IsInvalid(err), "%v", err)
	_, err = client.Patch(t.Context(), nodeName, types.ApplyPatchType, []byte("{}"), metav1.PatchOptions{})
	assert.True(t, apierrors.IsUnsupportedMediaType(err), "%v", err)

	read.ResourceVersion = "60"
	require.NoError(t, c.Tracker().Update(mcfgv1.GroupVersion.WithResource("machineconfignodes"), read, ""))
	read.Spec.Pool.Name = "worker"
	updated, err := client.Update(t.Context(), read, metav1.UpdateOptions{})
	require.NoError(t, err)
	assert.Equal(t, "61", updated.ResourceVersion, "after a write through the tracker, the resourceVersion is counted up from the stored one")
}

// Transitions returns the statuses that a watcher has seen. The first status of an object that was created again may be the
// last status of the deleted object.
func TestTransitionsReturnsWhatAWatcherHasSeen(t *testing.T) {
	r := &recorder{TB: t}
	c := upgrademonitortest.NewClientset(r, newObject())
	assert.Empty(t, upgrademonitortest.Transitions(t, c, nodeName))
	write(t, c, "Updated", "True", "Drained", "False", "Cordoned", "False")
	write(t, c, "Updated", "False", "Drained", "Unknown", "Cordoned", "False", "Foreign", "True")
	drained := []string{"Updated", "False", "Drained", "True", "Cordoned", "False", "NodeDegraded", "True"}
	write(t, c, drained...)
	client := c.MachineconfigurationV1().MachineConfigNodes()
	require.NoError(t, client.Delete(t.Context(), nodeName, metav1.DeleteOptions{}))
	_, err := client.Create(t.Context(), newObject(), metav1.CreateOptions{})
	require.NoError(t, err)
	write(t, c, drained...)
	write(t, c, "Updated", "True", "Drained", "False")
	assert.Equal(t, "Drained: False Unknown True False\nNodeDegraded: False True False\nUpdated: False True False True", upgrademonitortest.Transitions(t, c, nodeName))
	object, err := client.Get(t.Context(), nodeName, metav1.GetOptions{})
	require.NoError(t, err)
	object.Status.Conditions = append(object.Status.Conditions, metav1.Condition{Type: "Cordoned", Status: metav1.ConditionTrue})
	require.NoError(t, c.Tracker().Update(mcfgv1.GroupVersion.WithResource("machineconfignodes"), object, ""))
	write(t, c, "Updated", "True", "Drained", "False")
	assert.Contains(t, upgrademonitortest.Transitions(t, c, nodeName), "Cordoned: False True False", "Transitions also shows a write through the tracker")
	assert.Empty(t, upgrademonitortest.Transitions(t, c, "worker-1"))
	assert.Empty(t, r.errors)

	c = upgrademonitortest.NewClientset(r, newObject())
	client = c.MachineconfigurationV1().MachineConfigNodes()
	require.NoError(t, client.Delete(t.Context(), nodeName, metav1.DeleteOptions{}))
	_, err = client.Create(t.Context(), newObject(), metav1.CreateOptions{})
	require.NoError(t, err)
	write(t, c, drained...)
	assert.Empty(t, r.errors, "the first status after a given object was deleted and created again is not checked")
	assert.Equal(t, "Drained: False True\nNodeDegraded: False True", upgrademonitortest.Transitions(t, c, nodeName))

	upgrademonitortest.Transitions(r, fake.NewClientset(), nodeName)
	assert.Equal(t, []string{"Transitions needs a clientset from upgrademonitortest.NewClientset"}, r.errors)
}

func TestAnIllegalTransitionFailsTheTest(t *testing.T) {
	for name, tc := range map[string]struct {
		from, to []string
		want     string // the error, or "" if the write is legal
	}{
		"Unknown is skipped":               {nil, []string{"Drained", "True"}, "Drained must not change from False to True"},
		"False is skipped":                 {[]string{"Drained", "Unknown", "Cordoned", "Unknown"}, []string{"Drained", "False", "Cordoned", "Unknown"}, "Drained must not change from Unknown to False"},
		"Updated is Unknown":               {nil, []string{"Updated", "Unknown"}, "Updated must not change from False to Unknown"},
		"the end of an update":             {[]string{"Drained", "Unknown"}, []string{"Drained", "False", "Updated", "True"}, ""},
		"the start of an update":           {[]string{"Drained", "Unknown"}, []string{"Drained", "False", "UpdatePrepared", "Unknown"}, ""},
		"UpdatePrepared was never started": {[]string{"Drained", "Unknown"}, []string{"Drained", "False", "UpdatePrepared", "True"}, "UpdatePrepared must not change from False to True"},
		"a singleton":                      {[]string{"NodeDegraded", "True"}, []string{"NodeDegraded", "Unknown"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := &recorder{TB: t}
			c := upgrademonitortest.NewClientset(r, newObject())
			if tc.from != nil {
				write(t, c, tc.from...)
				require.Empty(t, r.errors)
			}
			write(t, c, tc.to...)
			if tc.want == "" {
				assert.Empty(t, r.errors)
				return
			}
			require.Len(t, r.errors, 1)
			assert.Contains(t, r.errors[0], tc.want)
		})
	}
}

// Several goroutines may write at the same time, in a bubble of synctest and with a watch.
func TestNoConcurrentWriteIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := upgrademonitortest.NewClientset(t, newObject())
		client := c.MachineconfigurationV1().MachineConfigNodes()
		watch, err := client.Watch(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		var writers sync.WaitGroup
		for _, p := range []phases.Phase{phases.Cordoned, phases.Drained, phases.NodeDegraded} {
			writers.Go(func() {
				for {
					read, _ := client.Get(context.Background(), nodeName, metav1.GetOptions{})
					read.Status.Conditions = append(read.Status.Conditions, metav1.Condition{Type: string(p), Status: "Unknown", Reason: "R", LastTransitionTime: metav1.Now()})
					if _, err := client.UpdateStatus(context.Background(), read, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
						assert.NoError(t, err)
						return
					}
				}
			})
		}
		writers.Wait()
		assert.Equal(t, "Cordoned: False Unknown\nDrained: False Unknown\nNodeDegraded: False Unknown", upgrademonitortest.Transitions(t, c, nodeName), "no write is lost")
		for range 3 {
			<-watch.ResultChan()
		}
	})
}
