package upgrademonitor_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	mcfglisters "github.com/openshift/client-go/machineconfiguration/listers/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/upgrademonitortest"
)

// slowServer is a server whose answers take a time that a test decides, in the time of a bubble. A
// request whose context ends before has no effect.
type slowServer struct {
	server cannedServer
	mu     sync.Mutex                         // guards what follows
	delay  func(request string) time.Duration // of "GET", "PATCH" or "PATCH/status"
	back   chan struct{}                      // ends every delay when it is closed
	made   []string                           // and answered
}

// takes makes requests take a time from now on. back, if it is not nil, ends the delays when it is closed.
func (s *slowServer) takes(delay func(request string) time.Duration, back chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.delay, s.back = delay, back
}

// view is the Node of a Monitor whose Run looks at it while a test changes it.
type view struct{ atomic.Pointer[corev1.Node] }

func viewOf(node *corev1.Node) *view {
	v := &view{}
	v.Store(node)
	return v
}

func (v *view) use(c *upgrademonitor.Config) {
	c.Node = func() (*corev1.Node, error) { return v.Load(), nil }
}

// always is the same delay for every request.
func always(d time.Duration) func(string) time.Duration {
	return func(string) time.Duration { return d }
}

const hangs = 24 * time.Hour

func newSlowServer(t *testing.T) *slowServer {
	return &slowServer{server: cannedServer{object: updatedObject(t)}, delay: always(0)}
}

func (s *slowServer) RoundTrip(r *http.Request) (*http.Response, error) {
	request := r.Method + strings.TrimPrefix(r.URL.Path, "/apis/machineconfiguration.openshift.io/v1/machineconfignodes/"+nodeName)
	s.mu.Lock()
	delay, back := s.delay, s.back
	s.mu.Unlock()
	select {
	case <-time.After(delay(request)):
	case <-back:
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made = append(s.made, request)
	return s.server.RoundTrip(r)
}

func (s *slowServer) status(p phases.Phase) metav1.ConditionStatus {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.server.object.Status.Conditions {
		if c.Type == string(p) {
			return c.Status
		}
	}
	return ""
}

func tell(t *testing.T, m *upgrademonitor.Monitor, p phases.Phase, status metav1.ConditionStatus) {
	t.Helper()
	require.NoError(t, m.GenerateAndApplyMachineConfigNode(t.Context(), p, string(p), "about "+string(p), status))
}

// took returns how long a function takes in the time of a bubble.
func took(work func()) time.Duration {
	began := time.Now()
	work()
	return time.Since(began)
}

// Flush and the spec call return when what they wait for is written, whatever is pending behind it.
func TestWaitingEndsWithTheWrite(t *testing.T) {
	inBubble(t, func(t *testing.T, run func(func(context.Context) error)) {
		node := viewOf(annotated(oldConfig, oldConfig))
		server := newSlowServer(t)
		m := monitorOn(t, server, nil, node.use)
		run(m.Run)
		tell(t, m, phases.Updated, metav1.ConditionTrue)
		var statuses atomic.Int32
		server.takes(func(request string) time.Duration {
			if request == "PATCH/status" && statuses.Add(1) > 1 {
				return hangs
			}
			return 2 * time.Second
		}, nil)
		go m.ReportDegraded(t.Context(), errors.New("first"))
		synctest.Wait()
		flushed := make(chan time.Duration)
		go func() { flushed <- took(func() { assert.NoError(t, m.Flush(t.Context())) }) }()
		synctest.Wait()
		go m.ReportDegraded(t.Context(), nil)
		synctest.Wait()
		node.Store(annotated(oldConfig, newConfig))
		assert.Equal(t, 4*time.Second, took(func() { assert.NoError(t, m.GenerateAndApplyMachineConfigNodeSpec(t.Context())) }), "the first status, then the spec")
		assert.Equal(t, 2*time.Second, <-flushed)
	})
}

// A hanging spec has half of Timeout, and then the statuses go first for 10 s, Run or not.
func TestASpecThatHangs(t *testing.T) {
	inBubble(t, func(t *testing.T, run func(func(context.Context) error)) {
		node := viewOf(annotated(oldConfig, oldConfig))
		server := newSlowServer(t)
		m := monitorOn(t, server, nil, node.use)
		run(m.Run)
		tell(t, m, phases.Updated, metav1.ConditionTrue)
		server.takes(func(request string) time.Duration {
			if request == "PATCH" {
				return hangs
			}
			return 0
		}, nil)
		node.Store(annotated(oldConfig, newConfig))
		assert.Equal(t, 5*time.Second, took(func() { require.Error(t, m.GenerateAndApplyMachineConfigNodeSpec(t.Context())) }))
		assert.Zero(t, took(func() { require.Error(t, m.GenerateAndApplyMachineConfigNodeSpec(t.Context())) }), "the known error")
		for range 100 {
			assert.LessOrEqual(t, took(func() {
				tell(t, m, phases.NodeDegraded, metav1.ConditionTrue)
				tell(t, m, phases.NodeDegraded, metav1.ConditionFalse)
			}), 5*time.Second)
			pass(time.Second)
		}
	})
}

// A begin whose spec is denied goes on, and Run writes its spec within a minute, without a call.
func TestTheSpecOfABeginIsTriedAgain(t *testing.T) {
	for _, denial := range []error{apierrors.NewForbidden(resource, nodeName, errors.New("RBAC")), apierrors.NewInternalError(errors.New("etcd"))} {
		inBubble(t, func(t *testing.T, run func(func(context.Context) error)) {
			f := newFixture(t)
			var log logLines
			ctx := log.context(t.Context())
			run(func(context.Context) error { return f.Run(ctx) })
			f.reportUpdated(t)
			f.failing("patch", denial, nil)
			f.annotate(oldConfig, newConfig)
			require.NoError(t, f.GenerateAndApplyMachineConfigNode(ctx, phases.Updated, "Updated", "", metav1.ConditionFalse))
			assert.Equal(t, metav1.ConditionUnknown, f.condition(t, phases.UpdatePrepared).Status)
			assert.Equal(t, oldConfig, f.object(t).Spec.ConfigVersion.Desired)
			assert.Len(t, log.take(), 1)
			pass(time.Minute)
			assert.Equal(t, newConfig, f.object(t).Spec.ConfigVersion.Desired)
			assert.Len(t, log.take(), 1, "it works again")
		})
	}
}

// An API server that hangs costs an update at most two Timeouts, one of them before it is known to
// hang; with Run running, that is. When it is back, calls wait for their writes again.
func TestAnOutageCostsOneTimeout(t *testing.T) {
	inBubble(t, func(t *testing.T, run func(func(context.Context) error)) {
		node := viewOf(annotated(oldConfig, oldConfig))
		server := newSlowServer(t)
		back := make(chan struct{})
		m := monitorOn(t, server, nil, node.use)
		run(m.Run)
		tell(t, m, phases.Updated, metav1.ConditionTrue)
		server.takes(always(hangs), back)
		node.Store(annotated(oldConfig, newConfig))
		assert.LessOrEqual(t, took(func() {
			for range 3 {
				_ = m.GenerateAndApplyMachineConfigNodeSpec(t.Context())
				tell(t, m, phases.Updated, metav1.ConditionFalse)
				tell(t, m, phases.UpdatePrepared, metav1.ConditionTrue)
				tell(t, m, phases.Drained, metav1.ConditionUnknown)
				tell(t, m, phases.Drained, metav1.ConditionTrue)
			}
		}), 2*upgrademonitor.DefaultTimeout)

		n, since := m.Pending()
		assert.Positive(t, n)
		assert.False(t, since.IsZero())
		server.takes(always(0), nil)
		close(back)
		tell(t, m, phases.AppliedFilesAndOS, metav1.ConditionUnknown)
		pass(time.Second)
		assert.Equal(t, metav1.ConditionUnknown, server.status(phases.AppliedFilesAndOS), "within a second")
		n, since = m.Pending()
		assert.Zero(t, n)
		assert.True(t, since.IsZero())
		server.takes(always(time.Second), nil)
		assert.Equal(t, time.Second, took(func() { tell(t, m, phases.AppliedFilesAndOS, metav1.ConditionTrue) }), "calls wait again")
	})
}

// So does one that answers every write with a conflict.
func TestConflictsWithoutEnd(t *testing.T) {
	inBubble(t, func(t *testing.T, run func(func(context.Context) error)) {
		f := newFixture(t)
		var log logLines
		run(func(ctx context.Context) error { return f.Run(log.context(ctx)) })
		ctx := log.context(t.Context())
		f.reportUpdated(t)
		f.outage(apierrors.NewConflict(resource, nodeName, errors.New("modified")))
		assert.Less(t, took(func() {
			for i := range 8 {
				f.ReportDegraded(ctx, fmt.Errorf("cause %d", i))
			}
		}), upgrademonitor.DefaultTimeout)
		assert.Len(t, log.take(), 1)
	})
}

// Without Run, every call tries what is pending, one that changes nothing itself too.
func TestARepeatTriesWhatIsPending(t *testing.T) {
	inBubble(t, func(t *testing.T, _ func(func(context.Context) error)) {
		f := newFixture(t)
		f.reportUpdated(t)
		denied := f.outage(apierrors.NewForbidden(resource, nodeName, errors.New("RBAC")))
		for _, cause := range []error{errDown, nil} {
			f.ReportDegraded(t.Context(), cause)
		}
		for _, repeat := range []func(){
			func() { f.ReportDegraded(t.Context(), nil) },
			func() { assert.NoError(t, f.GenerateAndApplyMachineConfigNodeSpec(t.Context())) },
		} {
			f.clientset.ClearActions()
			repeat()
			synctest.Wait()
			assert.Equal(t, []string{"patch/status"}, f.requests())
		}
		denied.Store(false)
		f.ReportDegraded(t.Context(), nil)
		synctest.Wait()
		n, _ := f.Pending()
		assert.Zero(t, n)
	})
}

// What is healthy is that statuses are written: a read that is answered is not.
func TestAnOutageOfWrites(t *testing.T) {
	inBubble(t, func(t *testing.T, run func(func(context.Context) error)) {
		server := newSlowServer(t)
		m := monitorOn(t, server, nil, viewOf(annotated(oldConfig, oldConfig)).use)
		run(m.Run)
		tell(t, m, phases.Updated, metav1.ConditionTrue)
		server.takes(func(request string) time.Duration {
			if request == "GET" {
				return 0
			}
			return hangs
		}, nil)
		var all time.Duration
		for range 300 {
			all += took(func() { tell(t, m, phases.NodeDegraded, metav1.ConditionTrue) })
			pass(time.Second)
		}
		assert.LessOrEqual(t, all, 2*upgrademonitor.DefaultTimeout)
		server.takes(always(0), nil)
	})
}

// liveLister is that of an informer that is never behind.
type liveLister struct {
	mcfglisters.MachineConfigNodeLister
	clientset *mcfgfake.Clientset
}

func (l liveLister) Get(name string) (*mcfgv1.MachineConfigNode, error) {
	object, err := l.clientset.Tracker().Get(mcfgv1.GroupVersion.WithResource("machineconfignodes"), "", name)
	if err != nil {
		return nil, err
	}
	return object.(*mcfgv1.MachineConfigNode), nil
}

// Two processes, one of whose views of the Node is behind, do not overwrite each other for ever, though each sees what
// the other has written.
func TestTwoViewsOfTheNode(t *testing.T) {
	inBubble(t, func(t *testing.T, run func(func(context.Context) error)) {
		clientset := upgrademonitortest.NewClientset(t)
		for _, current := range []string{oldConfig, newConfig} {
			m, err := upgrademonitor.New(upgrademonitor.Config{Client: clientset, NodeName: nodeName, Lister: liveLister{clientset: clientset},
				Node: func() (*corev1.Node, error) { return annotated(current, newConfig), nil }})
			require.NoError(t, err)
			tell(t, m, phases.NodeDegraded, metav1.ConditionTrue)
			tell(t, m, phases.NodeDegraded, metav1.ConditionFalse)
			run(m.Run)
		}
		pass(time.Minute)
		clientset.ClearActions()
		pass(time.Hour)
		assert.Empty(t, clientset.Actions())
	})
}

// A server that is refused is known to be down: no call waits, each makes an attempt, and the first
// after it is back is written at once.
func TestAnAttemptIsMadeAllTheSame(t *testing.T) {
	inBubble(t, func(t *testing.T, run func(func(context.Context) error)) {
		f := newFixture(t)
		run(f.Run)
		f.reportUpdated(t)
		down := f.outage(errDown)
		for range 10 {
			f.report(t, phases.NodeDegraded, metav1.ConditionTrue)
			f.report(t, phases.NodeDegraded, metav1.ConditionFalse)
			pass(time.Minute)
		}
		down.Store(false)
		f.report(t, phases.NodeDegraded, metav1.ConditionTrue)
		synctest.Wait()
		assert.Equal(t, metav1.ConditionTrue, f.condition(t, phases.NodeDegraded).Status)
	})
}

// Without Run each call makes an attempt: that of an earlier call, which fails, is none.
func TestACallDuringARequestThatFails(t *testing.T) {
	inBubble(t, func(t *testing.T, _ func(func(context.Context) error)) {
		server := newSlowServer(t)
		m := monitorOn(t, server, nil, viewOf(annotated(oldConfig, oldConfig)).use)
		tell(t, m, phases.Updated, metav1.ConditionTrue)
		server.made = nil
		server.takes(always(hangs), nil)
		tell(t, m, phases.NodeDegraded, metav1.ConditionTrue)
		pass(2 * time.Second)
		server.takes(always(0), nil) // but for what is under way
		assert.Equal(t, 8*time.Second, took(func() { tell(t, m, phases.NodeDegraded, metav1.ConditionFalse) }))
		assert.Equal(t, metav1.ConditionFalse, server.status(phases.NodeDegraded))
		assert.Equal(t, []string{"GET", "PATCH/status", "PATCH/status"}, server.made)
	})
}

// An outage in which there was nothing to write but the spec, or only a read, is over when the API server
// answers: it is logged, and nobody gets its error later.
func TestAnOutageWithoutAReport(t *testing.T) {
	inBubble(t, func(t *testing.T, run func(func(context.Context) error)) {
		f := newFixture(t)
		var log logLines
		run(func(ctx context.Context) error { return f.Run(log.context(ctx)) })
		ctx := log.context(t.Context())
		update := func() error {
			return f.GenerateAndApplyMachineConfigNode(ctx, phases.Updated, "Updated", "", metav1.ConditionTrue)
		}
		for _, call := range []func() error{
			func() error { return f.GenerateAndApplyMachineConfigNodeSpec(ctx) }, // it creates the object
			func() error { require.NoError(t, update()); return errDown },        // a repeat that is checked
		} {
			down := f.outage(errDown)
			require.Error(t, call())
			assert.Len(t, log.take(), 1)
			pass(time.Minute)
			down.Store(false)
			pass(time.Minute)
			lines := log.take()
			require.Len(t, lines, 1, "it is over")
			assert.Contains(t, lines[0], "works again")
			f.annotate(oldConfig, newConfig)
			assert.NoError(t, f.GenerateAndApplyMachineConfigNodeSpec(ctx))
			f.annotate(oldConfig, oldConfig)
			assert.NoError(t, f.GenerateAndApplyMachineConfigNodeSpec(ctx))
			require.NoError(t, update())
			pass(checkInterval)
		}
	})
}

// A spec that is on its way when the Node goes back is written back, and both calls wait for that.
func TestASpecThatIsTakenBackOnItsWay(t *testing.T) {
	inBubble(t, func(t *testing.T, _ func(func(context.Context) error)) {
		node := viewOf(annotated(oldConfig, oldConfig))
		server := newSlowServer(t)
		m := monitorOn(t, server, nil, node.use)
		require.NoError(t, m.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
		server.takes(always(time.Second), nil)
		node.Store(annotated(oldConfig, newConfig))
		go func() { assert.NoError(t, m.GenerateAndApplyMachineConfigNodeSpec(t.Context())) }()
		synctest.Wait()
		node.Store(annotated(oldConfig, oldConfig))
		assert.NoError(t, m.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
		assert.Equal(t, oldConfig, server.server.object.Spec.ConfigVersion.Desired)
	})
}

// The end of a caller's context ends no request.
func TestACallerThatGivesUp(t *testing.T) {
	inBubble(t, func(t *testing.T, _ func(func(context.Context) error)) {
		node := viewOf(annotated(oldConfig, oldConfig))
		server := newSlowServer(t)
		m := monitorOn(t, server, nil, node.use)
		tell(t, m, phases.Updated, metav1.ConditionTrue)
		server.made = nil
		server.takes(always(3*time.Second), nil)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.NoError(t, m.GenerateAndApplyMachineConfigNode(ctx, phases.Drained, "R", "", metav1.ConditionUnknown))
		assert.Equal(t, 2*time.Second, took(func() { require.NoError(t, m.Flush(t.Context())) }))
		assert.Equal(t, []string{"PATCH/status"}, server.made)
	})
}

// A function of Config that panics in Flush is the caller's, who may recover.
func TestFlushPanicsInItsCaller(t *testing.T) {
	inBubble(t, func(t *testing.T, _ func(func(context.Context) error)) {
		panics := false
		f := newFixture(t, func(c *upgrademonitor.Config) {
			node := c.Node
			c.Node = func() (*corev1.Node, error) {
				if panics {
					panic("broken")
				}
				return node()
			}
		})
		f.reportUpdated(t)
		f.outage(errDown)
		f.report(t, phases.Drained, metav1.ConditionUnknown)
		panics = true
		assert.Panics(t, func() { _ = f.Flush(t.Context()) })
	})
}

// Flush makes no attempt for a context that has ended.
func TestFlushOfAContextThatHasEnded(t *testing.T) {
	inBubble(t, func(t *testing.T, _ func(func(context.Context) error)) {
		f := newFixture(t)
		f.reportUpdated(t)
		down := f.outage(errDown)
		f.report(t, phases.Drained, metav1.ConditionUnknown)
		down.Store(false)
		f.requests()
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorIs(t, f.Flush(ended), upgrademonitor.ErrPending)
		synctest.Wait()
		assert.Empty(t, f.requests())
	})
}

// A server that takes longer than Timeout is written to with one request a write.
func TestAServerThatIsSlowerThanTheTimeout(t *testing.T) {
	inBubble(t, func(t *testing.T, run func(func(context.Context) error)) {
		node := viewOf(annotated(oldConfig, oldConfig))
		server := newSlowServer(t)
		m := monitorOn(t, server, nil, node.use)
		run(m.Run)
		tell(t, m, phases.Updated, metav1.ConditionTrue)
		server.made = nil
		server.takes(always(12*time.Second), nil)
		var log logLines
		ctx := log.context(t.Context())
		for range 5 {
			require.NoError(t, m.GenerateAndApplyMachineConfigNode(ctx, phases.NodeDegraded, "R", "", metav1.ConditionTrue))
			require.NoError(t, m.GenerateAndApplyMachineConfigNode(ctx, phases.NodeDegraded, "R", "", metav1.ConditionFalse))
			pass(time.Minute)
		}
		assert.Len(t, server.made, 10)
		assert.Len(t, log.take(), 1, "the failure lasts until a write is in time")
		server.takes(always(0), nil)
		require.NoError(t, m.GenerateAndApplyMachineConfigNode(ctx, phases.NodeDegraded, "R", "", metav1.ConditionTrue))
		pass(time.Second)
		assert.Len(t, log.take(), 1, "it is over")
	})
}

// A request whose answer never comes delays the others for two Timeouts, not for a minute: the
// connection is gone, and the server may be well.
func TestARequestThatIsLost(t *testing.T) {
	inBubble(t, func(t *testing.T, _ func(func(context.Context) error)) {
		node := viewOf(annotated(oldConfig, oldConfig))
		server := newSlowServer(t)
		m := monitorOn(t, server, nil, node.use)
		tell(t, m, phases.Updated, metav1.ConditionTrue)
		server.takes(always(hangs), nil)
		tell(t, m, phases.Drained, metav1.ConditionUnknown)
		server.takes(always(0), nil)
		ctx, cancel := context.WithTimeout(t.Context(), upgrademonitor.DefaultTimeout+time.Second)
		defer cancel()
		require.NoError(t, m.Flush(ctx), "before a reboot")
	})
}

// An API server that takes half a minute is written to in the end.
func TestAServerThatTakesHalfAMinute(t *testing.T) {
	inBubble(t, func(t *testing.T, run func(func(context.Context) error)) {
		node := viewOf(annotated(oldConfig, oldConfig))
		server := newSlowServer(t)
		m := monitorOn(t, server, nil, node.use)
		run(m.Run)
		tell(t, m, phases.Updated, metav1.ConditionTrue)
		server.takes(always(30*time.Second), nil)
		m.ReportDegraded(t.Context(), errors.New("disk full"))
		pass(5 * time.Minute)
		assert.Equal(t, metav1.ConditionTrue, server.status(phases.NodeDegraded))
	})
}

// With Run, the versions in the status follow the Node without a report, if this process's view has
// changed.
func TestVersionsFollowTheNodeUnderRun(t *testing.T) {
	inBubble(t, func(t *testing.T, run func(func(context.Context) error)) {
		f := newFixture(t)
		run(f.Run)
		f.reportUpdated(t)
		f.annotate(oldConfig, newConfig)
		f.report(t, phases.Updated, metav1.ConditionFalse)
		f.report(t, phases.UpdatePrepared, metav1.ConditionTrue)
		f.report(t, phases.Updated, metav1.ConditionTrue) // the informer is behind
		assert.Equal(t, oldConfig, f.object(t).Status.ConfigVersion.Current)
		before := f.object(t).Status.Conditions
		f.annotate(newConfig, newConfig)
		f.requests()
		pass(time.Minute)
		assert.Equal(t, []string{"patch/status"}, f.requests())
		assert.Equal(t, newConfig, f.object(t).Status.ConfigVersion.Current)
		assert.Equal(t, before, f.object(t).Status.Conditions)

		down := f.outage(errDown)
		f.annotate(oldConfig, newConfig)
		pass(time.Minute)
		_, accepted := f.Pending()
		f.clock.SetTime(start.Add(time.Hour))
		f.annotate(oldConfig, oldConfig)
		pass(time.Minute)
		n, since := f.Pending()
		assert.Equal(t, 1, n)
		assert.Equal(t, accepted, since, "of the first change that is not written")
		down.Store(false)
		f.annotate(newConfig, newConfig)
		pass(time.Minute)

		behind := f.another(t)
		behind.annotate(oldConfig, newConfig)
		behind.ReportDegraded(t.Context(), nil)
		f.requests()
		run(behind.Run)
		pass(time.Hour)
		assert.LessOrEqual(t, len(f.requests()), 3, "two processes of different views do not go on and on")
	})
}

// A Lister that fails, or whose versions cannot be compared, shows nothing: what is there already is
// checked as without one.
func TestAListerThatShowsNothing(t *testing.T) {
	for name, change := range map[string]func(*fixture, cache.Indexer, *upgrademonitor.Config){
		"fails": func(_ *fixture, _ cache.Indexer, c *upgrademonitor.Config) { c.Lister = failingLister{} },
		"versions that are no numbers": func(_ *fixture, indexer cache.Indexer, c *upgrademonitor.Config) {
			withLister(indexer)(c)
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, _ func(func(context.Context) error)) {
				indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
				f := newFixture(t, func(c *upgrademonitor.Config) { change(nil, indexer, c) })
				f.reportUpdated(t)
				f.show(t, indexer, "no-number")
				f.report(t, phases.Updated, metav1.ConditionTrue)
				require.Empty(t, f.requests())
				f.delete(t)
				pass(checkInterval)
				f.report(t, phases.Updated, metav1.ConditionTrue)
				assert.Equal(t, []string{"get", "create", "patch/status"}, f.requests())
			})
		})
	}
}

// Only a repeat is checked by a read; a report that changes something is written at once.
func TestAChangeIsNotCheckedByARead(t *testing.T) {
	inBubble(t, func(t *testing.T, _ func(func(context.Context) error)) {
		f := newFixture(t)
		f.reportUpdated(t)
		pass(checkInterval)
		f.report(t, phases.NodeDegraded, metav1.ConditionTrue)
		assert.Equal(t, []string{"patch/status"}, f.requests())
	})
}

// A report that is pending for a minute without a Run is worth a warning, once.
func TestPendingWithoutRun(t *testing.T) {
	inBubble(t, func(t *testing.T, run func(func(context.Context) error)) {
		f := newFixture(t)
		f.reportUpdated(t)
		f.outage(errDown)
		var log logLines
		ctx := log.context(t.Context())
		require.NoError(t, f.GenerateAndApplyMachineConfigNode(ctx, phases.Drained, "R", "", metav1.ConditionUnknown))
		n, since := f.Pending()
		assert.Equal(t, 1, n)
		assert.Equal(t, start, since)
		log.take()
		pass(time.Hour)
		lines := log.take()
		require.Len(t, lines, 1)
		assert.Contains(t, lines[0], "call Run")

		g := newFixture(t)
		g.reportUpdated(t)
		g.outage(errDown)
		run(g.Run)
		require.NoError(t, g.GenerateAndApplyMachineConfigNode(ctx, phases.Drained, "R", "", metav1.ConditionUnknown))
		synctest.Wait()
		log.take()
		pass(time.Hour)
		assert.Empty(t, log.take(), "Run tries it again")
	})
}

// A node whose requests hang, or whose Node function blocks, keeps no other from being written.
func TestMonitorsWaitForNoNode(t *testing.T) {
	inBubble(t, func(t *testing.T, run func(func(context.Context) error)) {
		var down atomic.Bool
		f := newFixture(t)
		objects := map[string]*slowServer{}
		clientset := clientsetOn(t, roundTripper(func(r *http.Request) (*http.Response, error) {
			name := strings.Split(r.URL.Path, "/")[5]
			if down.Load() && name != "worker-19" {
				<-r.Context().Done()
				return nil, r.Context().Err()
			}
			if down.Load() {
				return nil, errors.New("refused")
			}
			return objects[name].server.RoundTrip(r)
		}))
		monitors, err := upgrademonitor.NewMonitors(upgrademonitor.Config{Client: clientset}, func(name string) (*corev1.Node, error) {
			node := f.node.DeepCopy()
			node.Name = name
			return node, nil
		})
		require.NoError(t, err)
		run(monitors.Run)
		for i := range 20 {
			name := fmt.Sprint("worker-", i)
			objects[name] = newSlowServer(t)
			objects[name].server.object.Name = name
			monitors.For(name).ReportDegraded(t.Context(), nil)
		}
		down.Store(true)
		var calls sync.WaitGroup
		for i := range 20 {
			calls.Go(func() { monitors.For(fmt.Sprint("worker-", i)).ReportDegraded(t.Context(), errors.New("disk full")) })
		}
		calls.Wait()
		pass(time.Minute)
		down.Store(false)
		pass(time.Minute + 30*time.Second)
		for i := range 20 {
			n, _ := monitors.For(fmt.Sprint("worker-", i)).Pending()
			assert.Zero(t, n)
		}
	})
}
