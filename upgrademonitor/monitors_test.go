package upgrademonitor_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	clienttesting "k8s.io/client-go/testing"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

func newMonitors(t *testing.T, clientset *mcfgfake.Clientset) *upgrademonitor.Monitors {
	t.Helper()
	monitors, err := upgrademonitor.NewMonitors(upgrademonitor.Config{Client: clientset}, func(name string) (*corev1.Node, error) {
		return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}, nil
	})
	require.NoError(t, err)
	return monitors
}

func cordon(t *testing.T, monitors *upgrademonitor.Monitors, name string) error {
	t.Helper()
	monitor, err := monitors.Get(name)
	require.NoError(t, err)
	return monitor.GenerateAndApplyMachineConfigNode(t.Context(), phases.Cordoned, "UpdateExecutedCordoned", "Cordoned node", metav1.ConditionTrue)
}

func TestMonitorsKeepOneForEachNode(t *testing.T) {
	monitors := newMonitors(t, mcfgfake.NewClientset())
	first, err := monitors.Get("worker-0")
	require.NoError(t, err)
	again, err := monitors.Get("worker-0")
	require.NoError(t, err)
	assert.Same(t, first, again)

	monitors.Forget("worker-0")
	afterForget, err := monitors.Get("worker-0")
	require.NoError(t, err)
	assert.NotSame(t, first, afterForget)

	var bad *field.Error
	_, err = monitors.Get("Worker_0")
	require.ErrorAs(t, err, &bad)
}

func TestNewMonitorsValidates(t *testing.T) {
	node := func(string) (*corev1.Node, error) { return nil, nil }
	var bad *field.Error
	_, err := upgrademonitor.NewMonitors(upgrademonitor.Config{}, node)
	require.ErrorAs(t, err, &bad)
	assert.Equal(t, "upgrademonitor.Config.Client", bad.Field)
	_, err = upgrademonitor.NewMonitors(upgrademonitor.Config{Client: mcfgfake.NewClientset()}, nil)
	require.ErrorAs(t, err, &bad)
	assert.Equal(t, "upgrademonitor.Config.Node", bad.Field)
}

func TestMonitorsReportEachOnItsOwnObject(t *testing.T) {
	clientset := mcfgfake.NewClientset()
	monitors := newMonitors(t, clientset)
	var reporting sync.WaitGroup
	for i := range 20 {
		reporting.Go(func() { assert.NoError(t, cordon(t, monitors, fmt.Sprintf("worker-%d", i%5))) })
	}
	reporting.Wait()
	list, err := clientset.MachineconfigurationV1().MachineConfigNodes().List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	assert.Len(t, list.Items, 5)
}

// TestMonitorsRunWritesWhatIsPending: one report is pending before Run, another after it has started.
func TestMonitorsRunWritesWhatIsPending(t *testing.T) {
	clientset := mcfgfake.NewClientset()
	var mu sync.Mutex
	failures := map[string]int{"worker-0": 1, "worker-1": 2}
	written := make(chan string, 100)
	clientset.PrependReactor("patch", resource.Resource, func(action clienttesting.Action) (bool, runtime.Object, error) {
		mu.Lock()
		defer mu.Unlock()
		name := action.(clienttesting.PatchAction).GetName()
		if failures[name] > 0 {
			failures[name]--
			return true, nil, apierrors.NewServiceUnavailable("down")
		}
		written <- name
		return false, nil, nil
	})
	monitors := newMonitors(t, clientset)
	require.NoError(t, cordon(t, monitors, "worker-0"))

	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- monitors.Run(ctx) }()
	writtenFor := map[string]bool{receive(t, written, "Run has written"): true}
	require.NoError(t, cordon(t, monitors, "worker-1"))
	for !writtenFor["worker-1"] {
		writtenFor[receive(t, written, "Run has written for another node")] = true
	}
	for _, name := range []string{"worker-0", "worker-1"} {
		monitor, err := monitors.Get(name)
		require.NoError(t, err)
		require.NoError(t, monitor.Flush(t.Context()))
	}
	cancel()
	require.NoError(t, receive(t, ended, "Run has ended"))
	assert.Equal(t, map[string]bool{"worker-0": true, "worker-1": true}, writtenFor)
}

// Monitors.Run may be called again before the previous call has returned.
func TestMonitorsRunHandover(t *testing.T) {
	client := mcfgfake.NewClientset()
	f := newFixture(t)
	ms, err := upgrademonitor.NewMonitors(upgrademonitor.Config{Client: client, Timeout: time.Second}, func(string) (*corev1.Node, error) { return f.node, nil })
	require.NoError(t, err)
	first, endFirst := context.WithCancel(t.Context())
	firstDone := make(chan struct{})
	go func() { _ = ms.Run(first); close(firstDone) }()
	<-time.After(50 * time.Millisecond)
	go func() { _ = ms.Run(t.Context()) }()
	<-time.After(50 * time.Millisecond)
	endFirst()
	receive(t, firstDone, "the first Run has ended")
	m, err := ms.Get(nodeName)
	require.NoError(t, err)
	var once sync.Once
	client.PrependReactor("get", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
		fail := false
		once.Do(func() { fail = true })
		return fail, nil, errDown
	})
	require.NoError(t, m.GenerateAndApplyMachineConfigNode(t.Context(), phases.Updated, "Updated", "x", metav1.ConditionTrue))
	assert.Eventually(t, func() bool {
		_, err := client.MachineconfigurationV1().MachineConfigNodes().Get(t.Context(), nodeName, metav1.GetOptions{})
		return err == nil
	}, 2*time.Second, 20*time.Millisecond, "the Run that is running writes it")
}
