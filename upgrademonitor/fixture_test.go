package upgrademonitor_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/internal/nodemeta"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apiserver"
)

const (
	nodeName    = "worker-0"
	oldConfig   = "rendered-worker-aaa"
	newConfig   = "rendered-worker-bbb"
	thirdConfig = "rendered-worker-ccc"

	timeout = 10 * time.Second

	hangs = 24 * time.Hour
)

var (
	errDown     = apierrors.NewServiceUnavailable("down")
	errRBAC     = apierrors.NewForbidden(apiserver.Resource, nodeName, errors.New("RBAC"))
	errInvalid  = apierrors.NewInvalid(apiserver.Kind, nodeName, nil)
	errNoCRD    = apierrors.NewGenericServerResponse(http.StatusNotFound, "get", apiserver.Resource, "", "404 page not found", 0, true)
	errConflict = apierrors.NewConflict(apiserver.Resource, nodeName, errors.New("modified"))
)

// TestMain fails if a test leaks a goroutine.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// server is a fake API server, below a real clientset. The tests of the Monitor use it in place of the generated fake
// clientset, which checks no resourceVersion, and loses and delays no response. Tests of a daemon use upgrademonitortest.
// A test decides how long responses take, and which requests fail.
// A request whose context ends before its response has no effect.
//
// takes, fails, failing and recovers first wait until every other goroutine of the bubble is blocked.
// So a request that is due still gets the old response, even on a busy machine.
type server struct {
	apiserver.Transport

	mu    sync.Mutex // guards the fields below
	delay func(request string) time.Duration
	fault func(request string) error
	back  chan struct{} // closed to end every delay
	made  []string      // requests with a response: get, create, patch, patch/status
}

func newServer() *server {
	s := &server{back: make(chan struct{})}
	s.Fault = s.respond
	s.delay = func(string) time.Duration { return 0 }
	s.fault = func(string) error { return nil }
	return s
}

func (s *server) respond(r *http.Request) (*http.Response, error) {
	request := map[string]string{http.MethodGet: "get", http.MethodPost: "create", http.MethodPatch: "patch"}[r.Method]
	if strings.HasSuffix(r.URL.Path, "/status") {
		request += "/status"
	}
	s.mu.Lock()
	delay, back := s.delay(request), s.back
	s.mu.Unlock()
	if delay > 0 {
		select {
		case <-time.After(delay):
		case <-back:
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made = append(s.made, request)
	if err := s.fault(request); errors.As(err, new(apierrors.APIStatus)) {
		return apiserver.Respond(r, nil, err), nil
	} else if err != nil {
		return nil, err
	}
	return nil, nil
}

// takes sets how long requests take from now on. Without names, it sets the time of every request.
func (s *server) takes(d time.Duration, requests ...string) {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.delay = func(request string) time.Duration {
		if len(requests) == 0 || slices.Contains(requests, request) {
			return d
		}
		return 0
	}
}

// heals removes the delay of new requests. Requests in flight still hang.
func (s *server) heals() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.delay = func(string) time.Duration { return 0 }
}

// recovers ends all delays, even those of requests in flight.
func (s *server) recovers() {
	s.takes(0)
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.back)
	s.back = make(chan struct{})
}

// fails makes requests fail with err from now on. Without names, every request fails. With nil, no request fails.
func (s *server) fails(err error, requests ...string) {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = func(request string) error {
		if err != nil && (len(requests) == 0 || slices.Contains(requests, request)) {
			return err
		}
		return nil
	}
}

// failing sets the results of the next requests of a verb. The result nil is a success.
func (s *server) failing(verb string, errs ...error) {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = func(request string) (err error) {
		if len(errs) > 0 && strings.TrimSuffix(request, "/status") == verb {
			err, errs = errs[0], errs[1:]
		}
		return err
	}
}

// requests returns the requests with a response since the last call.
func (s *server) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	made := s.made
	s.made = nil
	return made
}

func (s *server) object() *mcfgv1.MachineConfigNode { return s.Get(nodeName) }

func (s *server) condition(p phases.Phase) metav1.Condition {
	if mcn := s.object(); mcn != nil {
		if c := conditions.Find(mcn.Status.Conditions, p); c != nil {
			return *c
		}
	}
	return metav1.Condition{}
}

func (s *server) status(p phases.Phase) metav1.ConditionStatus { return s.condition(p).Status }

func (s *server) desired() string { return s.object().Spec.ConfigVersion.Desired }

// write changes the spec, or the status, as another process does.
func (s *server) write(t *testing.T, subresource string, change func(*mcfgv1.MachineConfigNode)) {
	t.Helper()
	require.NoError(t, s.Write(nodeName, subresource, change))
}

// fixture is a Monitor on a fake API server, and its Node.
type fixture struct {
	*upgrademonitor.Monitor
	*server
	log logLines           // the log of the Monitor
	end context.CancelFunc // ends the life of the Monitor

	mu      sync.Mutex // guards the fields below
	node    *corev1.Node
	nodeErr error
	viewed  func() // called after a view of the Node was taken, or nil
}

// newFixture returns a Monitor without an object. The life of the Monitor ends with the test.
func newFixture(t testing.TB, change ...func(*upgrademonitor.Config)) *fixture {
	t.Helper()
	return newProcess(t, newServer(), annotated(oldConfig, oldConfig), change...)
}

// another returns a second Monitor for the same Node: of another process, or of the process after a restart.
func (f *fixture) another(t testing.TB, change ...func(*upgrademonitor.Config)) *fixture {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	return newProcess(t, f.server, f.node, change...)
}

func newProcess(t testing.TB, s *server, node *corev1.Node, change ...func(*upgrademonitor.Config)) *fixture {
	t.Helper()
	idle(t) // if a test is slow in real time, the Monitor would also look at the Node
	f := &fixture{server: s, node: node}
	config := upgrademonitor.Config{
		Client:   clientsetOn(t, s),
		NodeName: nodeName,
		Node:     f.view,
		Pool:     func(*corev1.Node) (string, error) { return "worker", nil },
	}
	for _, c := range change {
		c(&config)
	}
	ctx, cancel := context.WithCancel(f.log.context(t.Context()))
	f.end = cancel
	var err error
	f.Monitor, err = upgrademonitor.New(ctx, config)
	require.NoError(t, err)
	return f
}

// inBubble runs a test in fake time, with a Monitor of a node that is not being updated.
func inBubble(t *testing.T, test func(t *testing.T, f *fixture), change ...func(*upgrademonitor.Config)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(t, newUpdated(t, change...)) })
}

// newUpdated returns a Monitor of a node that is not being updated. The object exists.
func newUpdated(t testing.TB, change ...func(*upgrademonitor.Config)) *fixture {
	t.Helper()
	f := newFixture(t, change...)
	f.report(t, phases.Updated, metav1.ConditionTrue)
	idle(t) // the writer ends shortly after the call. Until then, it would write the next change at once
	f.requests()
	return f
}

// idle waits until the Monitor is idle. A test has to run in a bubble. In a benchmark, idle does nothing.
func idle(t testing.TB) {
	if _, isTest := t.(*testing.T); isTest {
		synctest.Wait()
	}
}

func (f *fixture) tryReport(t testing.TB, p phases.Phase, status metav1.ConditionStatus, opts ...upgrademonitor.Option) error {
	t.Helper()
	return f.GenerateAndApplyMachineConfigNode(t.Context(), p, string(p), "about "+string(p), status, opts...)
}

func (f *fixture) report(t testing.TB, p phases.Phase, status metav1.ConditionStatus, opts ...upgrademonitor.Option) {
	t.Helper()
	require.NoError(t, f.tryReport(t, p, status, opts...))
}

// queues makes a report that is still pending when the call returns.
func (f *fixture) queues(t testing.TB, p phases.Phase, status metav1.ConditionStatus) {
	t.Helper()
	require.ErrorIs(t, f.tryReport(t, p, status), upgrademonitor.ErrPending)
}

// starts starts an update to a config.
func (f *fixture) starts(t testing.TB, config string) {
	t.Helper()
	f.annotate(oldConfig, config)
	f.report(t, phases.Updated, metav1.ConditionFalse)
}

func (f *fixture) syncSpec(t testing.TB) error {
	t.Helper()
	return f.GenerateAndApplyMachineConfigNodeSpec(t.Context())
}

func (f *fixture) flushFor(t testing.TB, d time.Duration) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	return f.Flush(ctx)
}

func (f *fixture) pending() int {
	n, _ := f.Pending()
	return n
}

func (f *fixture) view() (*corev1.Node, error) {
	f.mu.Lock()
	node, err, viewed := f.node, f.nodeErr, f.viewed
	f.mu.Unlock()
	if viewed != nil {
		viewed()
	}
	return node, err
}

// becomes changes the Node that Config.Node returns.
func (f *fixture) becomes(change func(*corev1.Node)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.node = f.node.DeepCopy()
	change(f.node)
}

// viewFails makes Config.Node fail.
func (f *fixture) viewFails(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.nodeErr = err
}

// calls makes Config.Node call a function. With nil, Config.Node calls no function.
func (f *fixture) calls(viewed func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.viewed = viewed
}

func (f *fixture) annotate(current, desired string) {
	f.becomes(func(n *corev1.Node) {
		n.Annotations[nodemeta.CurrentConfig] = current
		n.Annotations[nodemeta.DesiredConfig] = desired
	})
}

func annotated(current, desired string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: nodeName, UID: "1a01a163", Annotations: map[string]string{
		nodemeta.CurrentConfig: current,
		nodemeta.DesiredConfig: desired,
	}}}
}

func clientsetOn(t testing.TB, transport http.RoundTripper) *mcfgclientset.Clientset {
	t.Helper()
	clientset, err := mcfgclientset.NewForConfig(&rest.Config{Host: "http://fake", Transport: transport, QPS: -1})
	require.NoError(t, err)
	return clientset
}

// took returns how long a function takes in fake time.
func took(work func()) time.Duration {
	started := time.Now()
	work()
	return time.Since(started)
}

// pass lets time pass, and waits until every goroutine that is due has run.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// logLines records the lines that are logged through a context.
type logLines struct {
	mu    sync.Mutex
	lines []string
}

func (l *logLines) context(ctx context.Context) context.Context {
	return klog.NewContext(ctx, textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(l))))
}

func (l *logLines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, string(line))
	return len(line), nil
}

// take returns the lines since the last take. A line about a call of the Monitor may be logged after the call has returned.
func (l *logLines) take() []string {
	synctest.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	lines := l.lines
	l.lines = nil
	return lines
}
