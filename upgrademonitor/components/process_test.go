package components_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// process is a running Reporter in a bubble of synctest: time advances while all goroutines are blocked.
type process struct {
	*components.Reporter
	stop func()
}

// start runs a Reporter on a server, and waits until it is idle.
func (m *memory) start(t *testing.T, component components.Component, change ...func(*components.Config)) *process {
	t.Helper()
	return m.startIn(t.Context(), t, component, change...)
}

func (m *memory) startIn(ctx context.Context, t *testing.T, component components.Component, change ...func(*components.Config)) *process {
	t.Helper()
	config := components.Config{Client: m, Lister: m.lister(), Component: component}
	for _, c := range change {
		c(&config)
	}
	reporter, err := components.New(config)
	require.NoError(t, err)
	m.mu.Lock()
	m.handlers = append(m.handlers, reporter.Handler())
	m.mu.Unlock()
	p := &process{Reporter: reporter}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error)
	go func() { ended <- p.Run(ctx) }()
	p.stop = sync.OnceFunc(func() {
		cancel()
		assert.NoError(t, <-ended)
	})
	t.Cleanup(p.stop)
	synctest.Wait()
	return p
}

// pass lets time pass, and waits until all processes are idle.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// sync is one sync of the operator or the controller, with a step that ends with an error.
func (p *process) sync(parent, step components.State, err error) {
	sync := p.Begin(parent, "")
	p.Begin(step, "").End(err)
	sync.End(err)
	synctest.Wait()
}

// healthy starts an operator that is healthy, and has nothing left to write.
func healthy(t *testing.T, m *memory, change ...func(*components.Config)) *process {
	t.Helper()
	p := m.start(t, components.Operator, change...)
	p.sync(components.OperatorSync, components.OperatorSyncMCD, nil)
	peersAre(t, p, true, "")
	pass(3 * time.Hour)
	require.Len(t, m.conditions(), 7)
	return p
}

// peersAre sets all peer conditions of an operator.
func peersAre(t *testing.T, p *process, good bool, message string) {
	t.Helper()
	for name, c := range map[string]components.Component{
		controllerAvailable: components.Controller, daemonAvailable: components.Daemon, daemonDegraded: components.Daemon, daemonProgressing: components.Daemon,
	} {
		status := no
		if good == strings.HasSuffix(name, "Available") {
			status = yes
		}
		peer := condition(name, status)
		peer.Message = message
		require.NoError(t, p.SetPeerConditions(c, peer))
	}
}

func condition(name string, status metav1.ConditionStatus) metav1.Condition {
	reason := "AsExpected"
	if (status == yes) != strings.HasSuffix(name, "Available") {
		reason = "Broken"
	}
	return metav1.Condition{Type: name, Status: status, Reason: reason}
}

var (
	operatorDegraded    = components.TypeOf(components.Operator, components.Degraded)
	operatorProgressing = components.TypeOf(components.Operator, components.Progressing)
	controllerAvailable = components.TypeOf(components.Controller, components.Available)
	daemonAvailable     = components.TypeOf(components.Daemon, components.Available)
	daemonDegraded      = components.TypeOf(components.Daemon, components.Degraded)
	daemonProgressing   = components.TypeOf(components.Daemon, components.Progressing)
	bootstrap           = components.TypeOf(components.Bootstrap, components.Progressing)
	errDaemons          = errors.New("timed out waiting for the daemons")
)

// inBubble runs a test on a server of its own.
func inBubble(t *testing.T, test func(t *testing.T, m *memory)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(t, newMemory()) })
}
