package upgrademonitor_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apiserver"
)

const hangs = 24 * time.Hour

// slow is a Monitor in a bubble of fake time, on a server whose responses take a time that a test
// decides. A request whose context ends before has no effect.
type slow struct {
	*upgrademonitor.Monitor
	log logLines
	end context.CancelFunc // ends the life of the Monitor

	server apiserver.Transport

	mu      sync.Mutex // guards the fields below
	view    *corev1.Node
	viewErr error
	viewed  func()                             // called after a view was taken, or nil
	delay   func(request string) time.Duration // of "GET", "PATCH" or "PATCH/status"
	err     error                              // of every request after its delay
	back    chan struct{}                      // closed to end every delay
	made    []string                           // requests with a response
}

// onSlowServer runs a test with a slow server. Its object exists, and is between updates.
func onSlowServer(t *testing.T, test func(t *testing.T, s *slow), change ...func(*upgrademonitor.Config)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &slow{view: annotated(oldConfig, oldConfig), back: make(chan struct{})}
		s.server.Fault = s.wait
		s.takes(0)
		config := upgrademonitor.Config{
			Client: clientsetOn(t, &s.server), NodeName: nodeName, Node: s.node,
			Pool: func(*corev1.Node) (string, error) { return "worker", nil },
		}
		for _, c := range change {
			c(&config)
		}
		ctx, cancel := context.WithCancel(s.log.context(t.Context()))
		s.end = cancel
		var err error
		s.Monitor, err = upgrademonitor.New(ctx, config)
		require.NoError(t, err)
		s.tell(t, phases.Updated, metav1.ConditionTrue)
		s.requests()
		test(t, s)
	})
}

// takes makes requests take a time from now on: all of them, or the named ones.
func (s *slow) takes(d time.Duration, requests ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.delay = func(request string) time.Duration {
		if len(requests) == 0 || strings.Contains(strings.Join(requests, " ")+" ", request+" ") {
			return d
		}
		return 0
	}
}

// fails makes every request fail from now on, or none with a nil error.
func (s *slow) fails(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

// recovers ends the delays, those of the requests in flight included.
func (s *slow) recovers() {
	s.takes(0)
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.back)
	s.back = make(chan struct{})
}

// wait delays a request.
func (s *slow) wait(r *http.Request) (*http.Response, error) {
	request := r.Method + strings.TrimPrefix(r.URL.Path, "/apis/machineconfiguration.openshift.io/v1/machineconfignodes/"+nodeName)
	s.mu.Lock()
	delay, back := s.delay(request), s.back
	s.mu.Unlock()
	select {
	case <-time.After(delay):
	case <-back:
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made = append(s.made, request)
	if s.err != nil {
		return apiserver.Respond(r, nil, s.err), nil
	}
	return nil, nil
}

// requests returns the requests with a response since the last call.
func (s *slow) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	made := s.made
	s.made = nil
	return made
}

func (s *slow) node() (*corev1.Node, error) {
	s.mu.Lock()
	view, err, viewed := s.view, s.viewErr, s.viewed
	s.mu.Unlock()
	if viewed != nil {
		viewed()
	}
	return view, err
}

func (s *slow) annotate(current, desired string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.view = annotated(current, desired)
}

func (s *slow) status(p phases.Phase) metav1.ConditionStatus {
	return conditions.StatusOf(s.server.Get(nodeName).Status.Conditions, p)
}

func (s *slow) desired() string { return s.server.Get(nodeName).Spec.ConfigVersion.Desired }

func (s *slow) tell(t *testing.T, p phases.Phase, status metav1.ConditionStatus) {
	t.Helper()
	require.NoError(t, s.GenerateAndApplyMachineConfigNode(t.Context(), p, string(p), "about "+string(p), status))
}

// took returns how long a function takes in the time of the bubble.
func took(work func()) time.Duration {
	started := time.Now()
	work()
	return time.Since(started)
}

// pass lets time pass, until every goroutine that is due has run.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}
