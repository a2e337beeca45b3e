package components_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	operatorv1 "github.com/openshift/api/operator/v1"
	applyoperatorv1 "github.com/openshift/client-go/operator/applyconfigurations/operator/v1"
	operatorv1client "github.com/openshift/client-go/operator/clientset/versioned/typed/operator/v1"
	operatorlisters "github.com/openshift/client-go/operator/listers/operator/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	applymetav1 "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// TestMain fails if a test leaks a goroutine.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	yes     = metav1.ConditionTrue
	no      = metav1.ConditionFalse
	unknown = metav1.ConditionUnknown
)

var (
	operatorDegraded    = components.TypeOf(components.Operator, components.Degraded)
	operatorProgressing = components.TypeOf(components.Operator, components.Progressing)
	controllerAvailable = components.TypeOf(components.Controller, components.Available)
	daemonAvailable     = components.TypeOf(components.Daemon, components.Available)
	daemonDegraded      = components.TypeOf(components.Daemon, components.Degraded)
	daemonProgressing   = components.TypeOf(components.Daemon, components.Progressing)
	bootstrap           = components.TypeOf(components.Bootstrap, components.Progressing)

	errDaemons  = errors.New("timed out waiting for the daemons")
	resource    = operatorv1.Resource("machineconfigurations")
	errNotFound = apierrors.NewNotFound(resource, "cluster")
	errDown     = apierrors.NewServiceUnavailable("down")
)

// memory is a server with one MachineConfiguration, and the cache of an informer. It does not track field managers, which
// an e2e test checks.
type memory struct {
	operatorv1client.MachineConfigurationInterface // is nil: no test calls another method

	mu      sync.Mutex
	object  *operatorv1.MachineConfiguration // nil if the object does not exist
	version int
	by      map[string]int // the number of attempted writes of each field manager
	fail    error          // the error of each write, or nil
	hangs   bool           // set if requests are counted, but get no response
	indexer cache.Indexer
}

func newMemory() *memory {
	m := &memory{version: 100, by: map[string]int{}, indexer: cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})}
	m.store(newObject())
	return m
}

func newObject() *operatorv1.MachineConfiguration {
	return &operatorv1.MachineConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "cluster", CreationTimestamp: metav1.Now()}}
}

// change waits until every process is idle, and then changes the server.
func (m *memory) change(change func()) {
	synctest.Wait()
	m.mu.Lock()
	defer m.mu.Unlock()
	change()
}

func (m *memory) create() { m.change(func() { m.store(newObject()) }) }

func (m *memory) delete() {
	m.change(func() {
		_ = m.indexer.Delete(m.object)
		m.object = nil
	})
}

// setConditions replaces all conditions, as another process may do.
func (m *memory) setConditions(list []metav1.Condition) {
	m.change(func() {
		next := m.object.DeepCopy()
		next.Status.Conditions = list
		m.store(next)
	})
}

func (m *memory) failWith(err error) { m.change(func() { m.fail = err }) }

func (m *memory) store(next *operatorv1.MachineConfiguration) *operatorv1.MachineConfiguration {
	m.version++
	next.ResourceVersion = strconv.Itoa(m.version)
	m.object = next
	_ = m.indexer.Add(next.DeepCopy())
	return next.DeepCopy()
}

func (m *memory) ApplyStatus(ctx context.Context, mc *applyoperatorv1.MachineConfigurationApplyConfiguration, options metav1.ApplyOptions) (*operatorv1.MachineConfiguration, error) {
	m.mu.Lock()
	m.by[options.FieldManager]++
	if m.hangs {
		m.mu.Unlock()
		<-ctx.Done()
		return nil, ctx.Err()
	}
	defer m.mu.Unlock()
	switch {
	case m.fail != nil:
		return nil, m.fail
	case m.object == nil:
		return nil, errNotFound
	case !options.Force || options.FieldManager == "" || mc.ResourceVersion != nil:
		return nil, apierrors.NewBadRequest("not a forced apply without a resource version")
	case slices.ContainsFunc(mc.Status.Conditions, func(c applymetav1.ConditionApplyConfiguration) bool { return c.ObservedGeneration != nil }):
		return nil, apierrors.NewBadRequest("the observedGeneration of a condition is not ours")
	}
	next := m.object.DeepCopy()
	for _, c := range mc.Status.Conditions {
		condition := metav1.Condition{Type: *c.Type, Status: *c.Status, LastTransitionTime: c.LastTransitionTime.Rfc3339Copy(), Reason: *c.Reason, Message: *c.Message}
		next.Status.Conditions = slices.DeleteFunc(next.Status.Conditions, func(c metav1.Condition) bool { return c.Type == condition.Type })
		next.Status.Conditions = append(next.Status.Conditions, condition)
	}
	return m.store(next), nil
}

// writes returns the number of attempted writes.
func (m *memory) writes() (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, count := range m.by {
		n += count
	}
	return n
}

func (m *memory) conditions() []metav1.Condition {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.object.DeepCopy().Status.Conditions
}

func (m *memory) condition(tb testing.TB, name string) metav1.Condition {
	tb.Helper()
	list := m.conditions()
	i := slices.IndexFunc(list, func(c metav1.Condition) bool { return c.Type == name })
	require.GreaterOrEqual(tb, i, 0, "%s", name)
	return list[i]
}

// is asserts the status and the reason of a condition, and returns it.
func (m *memory) is(tb testing.TB, name string, status metav1.ConditionStatus, reason string) metav1.Condition {
	tb.Helper()
	c := m.condition(tb, name)
	assert.Equal(tb, string(status)+" "+reason, string(c.Status)+" "+c.Reason, name)
	return c
}

func (m *memory) config(c components.Component) components.Config {
	return components.Config{
		Client:    m,
		Lister:    operatorlisters.NewMachineConfigurationLister(m.indexer),
		Component: c,
		Clock:     (*clocktesting.FakeClock)(nil), // counts as no Clock
	}
}

// process is a running Reporter in a bubble of synctest, where time advances only while all goroutines wait.
type process struct {
	*components.Reporter
	stop func()
}

// start runs a Reporter, and waits until it is idle.
func (m *memory) start(ctx context.Context, t *testing.T, config components.Config) *process {
	t.Helper()
	reporter, err := components.New(config)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error)
	go func() { ended <- reporter.Run(ctx) }()
	p := &process{reporter, sync.OnceFunc(func() {
		cancel()
		assert.NoError(t, <-ended)
	})}
	t.Cleanup(p.stop)
	synctest.Wait()
	return p
}

// startWithLog starts an operator that logs to a writer.
func (m *memory) startWithLog(t *testing.T, log io.Writer) *process {
	t.Helper()
	ctx := klog.NewContext(t.Context(), textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(log))))
	return m.start(ctx, t, m.config(components.Operator))
}

func (m *memory) operator(t *testing.T) *process {
	t.Helper()
	return m.start(t.Context(), t, m.config(components.Operator))
}

// pass lets time pass, and waits until all processes are idle.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// sync reports a sync of the operator with one step. The sync and the step fail with the error, or succeed if it is nil.
func (p *process) sync(err error) {
	end := p.Begin(components.OperatorSync, "")
	p.Begin(components.OperatorSyncMCD, "")(err)
	end(err)
	synctest.Wait()
}

// healthy starts an operator whose conditions are all healthy. The last write was hours ago.
func healthy(t *testing.T, m *memory) *process {
	t.Helper()
	p := m.operator(t)
	p.sync(nil)
	for name, status := range map[string]metav1.ConditionStatus{controllerAvailable: yes, daemonAvailable: yes, daemonDegraded: no, daemonProgressing: no} {
		p.setPeer(t, name, status, "")
	}
	pass(3 * time.Hour)
	require.Len(t, m.conditions(), 7)
	return p
}

// setPeer sets a condition of the controller or of the daemons.
func (p *process) setPeer(t *testing.T, name string, status metav1.ConditionStatus, message string) {
	t.Helper()
	component := components.Daemon
	if name == controllerAvailable {
		component = components.Controller
	}
	require.NoError(t, p.SetPeerConditions(component, metav1.Condition{Type: name, Status: status, Reason: "Reason", Message: message, ObservedGeneration: 7}))
}

// inBubble runs a test on a new server, in a bubble of synctest.
func inBubble(t *testing.T, test func(t *testing.T, m *memory)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		pass(time.Millisecond) // the clock must have a fraction of a second, because the times of the API have none
		test(t, newMemory())
	})
}
