package components_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// process is a running Reporter in a bubble of synctest: time advances while all goroutines are blocked.
type process struct {
	*components.Reporter
	t    *testing.T
	stop func()
}

// start runs a Reporter on a server, and waits until it is idle.
func (m *memory) start(t *testing.T, component components.Component, change ...func(*components.Config)) *process {
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
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- reporter.Run(ctx) }()
	p := &process{Reporter: reporter, t: t}
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

func typeOf(c components.Component, a components.Aspect) string { return components.TypeOf(c, a) }
