package upgrademonitor_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

func newMonitors(t *testing.T, s *server, node func(string) (*corev1.Node, error)) (*upgrademonitor.Monitors, *logLines) {
	t.Helper()
	log := &logLines{}
	monitors, err := upgrademonitor.NewMonitors(log.context(t.Context()), upgrademonitor.Config{Client: clientsetOn(t, s)}, node)
	require.NoError(t, err)
	return monitors, log
}

func namedNode(name string) (*corev1.Node, error) {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: "1"}}, nil
}

func nodeNames(i int) string { return fmt.Sprint("worker-", i) }

// For an invalid node name, For returns a Monitor that rejects every report.
func TestForReturnsTheSameMonitorUntilForget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		monitors, _ := newMonitors(t, s, namedNode)
		first := monitors.For(nodeName)
		assert.Same(t, first, monitors.For(nodeName))
		monitors.Forget(nodeName)
		monitors.Forget(nodeName)
		assert.NotSame(t, first, monitors.For(nodeName))

		monitor := monitors.For("Worker_0")
		var invalid *field.Error
		require.ErrorAs(t, monitor.GenerateAndApplyMachineConfigNode(t.Context(), phases.Drained, "R", "", metav1.ConditionTrue), &invalid)
		require.ErrorAs(t, monitor.GenerateAndApplyMachineConfigNodeSpec(t.Context()), &invalid)
		monitor.ReportPinnedImageSets(t.Context(), nil, nil)
		n, _ := monitor.Pending()
		assert.Zero(t, n)
		require.NoError(t, monitor.Flush(t.Context()))
		assert.Empty(t, s.requests())
	})
}

func TestTheMonitorsRetryNothingAfterTheEndOfTheLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		s.fails(errDown)
		life, end := context.WithCancel(t.Context())
		monitors, err := upgrademonitor.NewMonitors(life, upgrademonitor.Config{Client: clientsetOn(t, s)}, namedNode)
		require.NoError(t, err)
		monitors.For(nodeName).ReportDegraded(t.Context(), errDown)
		end()
		synctest.Wait()
		s.requests()
		pass(time.Hour)
		assert.Empty(t, s.requests())
	})
}

func TestForAcceptsAnInvalidNameAfterTheEndOfTheLife(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	end()
	monitors, err := upgrademonitor.NewMonitors(ctx, upgrademonitor.Config{Client: clientsetOn(t, newServer())}, namedNode)
	require.NoError(t, err)
	assert.NotPanics(t, func() { assert.NoError(t, monitors.For("Worker_0").Flush(t.Context())) })
}

// Pending and Flush concern all nodes, which are flushed at the same time. Forget ends the retries of a node.
func TestMonitorsCountAndFlushTheReportsOfAllNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		s.fails(errDown)
		monitors, log := newMonitors(t, s, namedNode)
		n, since := monitors.Pending()
		assert.Zero(t, n)
		assert.True(t, since.IsZero())
		started := time.Now()
		for i := range 3 {
			monitors.For(nodeNames(i)).ReportDegraded(t.Context(), errDown)
			<-time.After(time.Minute)
			if i > 0 { // the oldest report is the only one of its node
				monitors.For(nodeNames(i)).ReportDegraded(t.Context(), nil)
			}
		}
		monitors.For("idle")
		for range 10 { // Pending reads the Monitors in random order
			n, since = monitors.Pending()
			assert.Equal(t, 5, n)
			assert.Equal(t, started, since)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		assert.Equal(t, time.Second, took(func() { require.ErrorIs(t, monitors.Flush(ctx), upgrademonitor.ErrPending) }))
		for i := range 3 {
			daemonOf(t, s, nodeNames(i))
		}
		s.fails(nil)
		for i := range 3 {
			daemonOf(t, s, nodeNames(i)).Report(t.Context(), phases.Updated, "", metav1.ConditionTrue)
		}
		s.takes(time.Second)
		assert.Equal(t, 3*time.Second, took(func() { require.NoError(t, monitors.Flush(t.Context())) }), "the nodes are flushed at the same time, with one read and two writes for each node")
		s.fails(errDown)
		for i := range 3 {
			monitors.For(nodeNames(i)).ReportDegraded(t.Context(), errDown)
			monitors.Forget(nodeNames(i))
		}
		synctest.Wait()
		s.requests()
		log.take()
		pass(time.Hour)
		assert.Empty(t, s.requests())
		assert.Empty(t, log.take())
	})
}

// daemonOf returns the Monitor of a node's daemon.
func daemonOf(t *testing.T, s *server, name string) *upgrademonitor.Monitor {
	t.Helper()
	monitor, err := upgrademonitor.New(t.Context(), upgrademonitor.Config{Client: clientsetOn(t, s), NodeName: name,
		Node: func() (*corev1.Node, error) { return namedNode(name) }})
	require.NoError(t, err)
	return monitor
}

func TestANodeFunctionThatBlocksDoesNotBlockOtherNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		monitors, _ := newMonitors(t, s, func(name string) (*corev1.Node, error) {
			if name == nodeName {
				<-t.Context().Done()
			}
			return namedNode(name)
		})
		go monitors.For(nodeName).ReportDegraded(t.Context(), nil)
		synctest.Wait()
		for i := 1; i < 20; i++ {
			daemonOf(t, s, nodeNames(i)).Report(t.Context(), phases.Updated, "", metav1.ConditionTrue)
			monitors.For(nodeNames(i)).ReportDegraded(t.Context(), errDown)
			assert.Equal(t, metav1.ConditionTrue, conditions.StatusOf(s.Get(nodeNames(i)).Status.Conditions, phases.NodeDegraded))
		}
	})
}
