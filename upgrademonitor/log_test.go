package upgrademonitor_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"

	"github.com/openshift/upgrademonitor/internal/nodemeta"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// sink is a log output that calls a function for each line.
type sink func()

func (s sink) Write(line []byte) (int, error) {
	s()
	return len(line), nil
}

// logsTo returns a Monitor that logs to a writer.
func logsTo(t *testing.T, s *server, out io.Writer) *upgrademonitor.Monitor {
	t.Helper()
	ctx := klog.NewContext(t.Context(), textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(out))))
	monitor, err := upgrademonitor.New(ctx, upgrademonitor.Config{
		Client: clientsetOn(t, s), NodeName: nodeName, Node: func() (*corev1.Node, error) { return annotated(oldConfig, oldConfig), nil },
	})
	require.NoError(t, err)
	return monitor
}

func TestALogSinkMayCallTheMonitor(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.fails(errDown)
		var monitor *upgrademonitor.Monitor
		pending := 0
		monitor = logsTo(t, f.server, sink(func() { pending, _ = monitor.Pending() }))
		monitor.ReportDegraded(t.Context(), errDown)
		synctest.Wait()
		assert.Equal(t, 1, pending)
	})
}

// While a log sink blocks, a report returns at once, and Flush returns when its ctx ends.
func TestALogSinkThatBlocksDelaysOnlyTheWriter(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		release := make(chan struct{})
		monitor := logsTo(t, f.server, sink(func() { <-release }))
		f.fails(errDown)
		assert.Zero(t, took(func() { monitor.ReportDegraded(t.Context(), errDown) }))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		assert.Equal(t, time.Second, took(func() { require.Error(t, monitor.Flush(ctx)) }))
		close(release)
	})
}

func TestEachLineAboutAFunctionOfConfigNamesTheNode(t *testing.T) {
	var cache lister
	inBubble(t, func(t *testing.T, f *fixture) {
		cache.returns(func() (*mcfgv1.MachineConfigNode, error) { return nil, errors.New("no cache") })
		f.viewFails(errors.New("no Node"))
		_ = f.Flush(t.Context())
		f.viewFails(nil)
		f.becomes(func(n *corev1.Node) { n.Annotations[nodemeta.DesiredConfig] = "No_Config" })
		require.NoError(t, f.Flush(t.Context()))
		lines := f.log.take()
		assertLines(t, []string{"Failed to get the pool", "Failed to get the Node", "works again", "invalid annotation", "Ignoring the Lister"}, lines)
		for _, line := range lines {
			assert.Contains(t, line, `node="worker-0"`)
		}
	}, cache.use, func(c *upgrademonitor.Config) {
		c.Pool = func(*corev1.Node) (string, error) { return "", errors.New("no pool") }
	})
}
