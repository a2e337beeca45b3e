package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"

	"github.com/openshift/upgrademonitor/examples/internal/program"
	"github.com/openshift/upgrademonitor/phases"
)

// running is a run of the command in the background, whose lines can be waited for.
type running struct {
	t      *testing.T
	cancel context.CancelFunc
	code   chan int
	lines  *lines
	stderr *bytes.Buffer
}

// start runs the command with the real clock, without a terminal.
func start(t *testing.T, args ...string) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r := &running{t: t, cancel: cancel, code: make(chan int, 1), lines: newLines(), stderr: &bytes.Buffer{}}
	p := testProgram(r.lines, r.stderr)
	p.clock = clock.RealClock{}
	go func() {
		code := exit(ctx, p, args)
		r.lines.close()
		r.code <- code
	}()
	t.Cleanup(cancel)
	return r
}

// await waits for a line that contains a text.
func (r *running) await(text string) string {
	r.t.Helper()
	line, all := r.lines.await(text)
	require.NotEmpty(r.t, line, "no line with %q: %s%s", text, all, r.stderr)
	return line
}

// end waits until the command has ended.
func (r *running) end() (code int, stdout, stderr string) {
	r.t.Helper()
	code = <-r.code
	return code, r.lines.String(), r.stderr.String()
}

// lines is a writer whose lines can be waited for.
type lines struct {
	mu     sync.Mutex
	more   *sync.Cond
	text   strings.Builder
	seen   int
	closed bool
	err    error // of the next write
}

func newLines() *lines {
	l := &lines{}
	l.more = sync.NewCond(&l.mu)
	return l
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return 0, l.err
	}
	defer l.more.Broadcast()
	return l.text.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *lines) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.more.Broadcast()
}

// await returns the first line that contains a text, after the last one that was awaited.
func (l *lines) await(text string) (line, all string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		all = l.text.String()
		rest := all[l.seen:]
		if i := strings.Index(rest, text); i >= 0 {
			if end := strings.IndexByte(rest[i:], '\n'); end >= 0 {
				begin := strings.LastIndexByte(rest[:i], '\n') + 1
				l.seen += i + end + 1
				return rest[begin : i+end], all
			}
		}
		if l.closed {
			return "", all
		}
		l.more.Wait()
	}
}

func TestWaitUntilDone(t *testing.T) {
	t.Parallel()
	n := newNode("worker-0", "worker", oldConfig, time.Now().Add(-time.Hour))
	s := newServer(t, newPool("worker", oldConfig), n)
	r := start(t, "wait", "worker", "--from", oldConfig, "--kubeconfig", s.kubeconfig(t))
	r.await("worker 1/1 target 11111111")

	s.set(newPool("worker", newConfig))
	r.await("worker 0/1 target 22222222")
	update(n, newConfig, time.Now(), phases.Drained, func() {})
	s.set(n)
	r.await("worker-0 begun, Draining")
	report(n, phases.Drained, metav1.ConditionTrue, time.Now(), "done")
	report(n, phases.AppliedFilesAndOS, metav1.ConditionUnknown, time.Now(), "now")
	s.set(n)
	r.await("worker-0 Draining done")
	update(n, newConfig, time.Now(), "", func() {})
	s.set(n)
	code, stdout, stderr := r.end()
	assert.Zero(t, code, stderr)
	assert.Contains(t, stdout, "worker 1/1 worker-0 done")
	assert.True(t, strings.HasSuffix(stdout, "worker 1/1 done\n"), stdout)
}

func TestWaitFails(t *testing.T) {
	t.Parallel()
	n := newNode("worker-0", "worker", oldConfig, time.Now().Add(-time.Hour))
	update(n, newConfig, time.Now().Add(-20*time.Minute), phases.AppliedFilesAndOS, noop)
	report(n, phases.NodeDegraded, metav1.ConditionTrue, time.Now().Add(-10*time.Minute), "Node worker-0 upgrade failure. disk full")
	s := newServer(t, newPool("worker", newConfig), n)
	code, stdout, stderr := start(t, "wait", "--kubeconfig", s.kubeconfig(t)).end()
	assert.Equal(t, program.ExitFailure, code)
	assert.Contains(t, stdout, "worker-0 STUCK degraded for 10m at step Files and OS: Node worker-0 upgrade failure. disk full")
	assert.Contains(t, stderr, "kubectl-mcn: worker-0 of worker is stuck, degraded for 10m at step Files and OS: Node worker-0 upgrade failure. disk full\n")
}

func TestWaitTimesOut(t *testing.T) {
	t.Parallel()
	n := newNode("worker-0", "worker", oldConfig, time.Now().Add(-time.Hour))
	s := newServer(t, newPool("worker", newConfig), n)
	code, _, stderr := start(t, "wait", "--timeout", "1500ms", "--kubeconfig", s.kubeconfig(t)).end()
	assert.Equal(t, exitTimeout, code)
	assert.Equal(t, "kubectl-mcn: not done within 1.5s: worker 0/1\n", stderr)
}

func TestWaitForAnUpdateThatDoesNotBegin(t *testing.T) {
	t.Parallel()
	n := newNode("worker-0", "worker", oldConfig, time.Now().Add(-time.Hour))
	s := newServer(t, newPool("worker", oldConfig), n)
	code, _, stderr := start(t, "wait", "--from", oldConfig, "--begin-within", "1s", "--kubeconfig", s.kubeconfig(t)).end()
	assert.Equal(t, exitTimeout, code)
	assert.Contains(t, stderr, "no update has begun within 1s")
}

func TestWaitForAPoolThatIsDeleted(t *testing.T) {
	t.Parallel()
	n := newNode("worker-0", "infra", oldConfig, time.Now().Add(-time.Hour))
	s := newServer(t, newPool("infra", newConfig), newPool("master", "m"), n)
	r := start(t, "wait", "infra", "--kubeconfig", s.kubeconfig(t))
	r.await("infra 0/1")
	s.remove(poolsResource, "infra")
	code, _, stderr := r.end()
	assert.Equal(t, program.ExitUsage, code)
	assert.Contains(t, stderr, `nothing is left to wait for: unknown pool "infra": the pools are master`)
}

func TestWaitIsInterrupted(t *testing.T) {
	t.Parallel()
	n := newNode("worker-0", "worker", oldConfig, time.Now().Add(-time.Hour))
	s := newServer(t, newPool("worker", newConfig), n)
	r := start(t, "wait", "--timeout", "1h", "--kubeconfig", s.kubeconfig(t))
	r.await("worker 0/1")
	r.cancel()
	code, _, stderr := r.end()
	assert.Equal(t, exitInterrupted, code)
	assert.Empty(t, stderr)
}

func TestWaitQuietly(t *testing.T) {
	t.Parallel()
	s := newServer(t, newPool("worker", newConfig), newNode("worker-0", "worker", newConfig, time.Now()))
	code, stdout, stderr := start(t, "wait", "-q", "--kubeconfig", s.kubeconfig(t)).end()
	assert.Zero(t, code)
	assert.Empty(t, stdout+stderr)
}

// TestClosedPipe: the reader of the output closes it.
func TestClosedPipe(t *testing.T) {
	t.Parallel()
	n := newNode("worker-0", "worker", oldConfig, time.Now().Add(-time.Hour))
	s := newServer(t, newPool("worker", newConfig), n)
	r := start(t, "-w", "--kubeconfig", s.kubeconfig(t))
	r.await("worker 0/1")
	r.lines.mu.Lock()
	r.lines.err = io.ErrClosedPipe
	r.lines.mu.Unlock()
	update(n, newConfig, time.Now(), phases.Drained, noop)
	s.set(n)
	code, _, stderr := r.end()
	assert.Equal(t, program.ExitFailure, code)
	assert.Empty(t, stderr)
}

// TestServerThatComesBack: watches and lists fail for a while, and nothing is lost.
func TestServerThatComesBack(t *testing.T) {
	t.Parallel()
	n := newNode("worker-0", "worker", oldConfig, time.Now().Add(-time.Hour))
	s := newServer(t, newPool("worker", newConfig), n)
	r := start(t, "-w", "--kubeconfig", s.kubeconfig(t))
	r.await("worker 0/1")

	s.mu.Lock()
	s.fail = func(string, string) int { return http.StatusForbidden } // as a server that is starting may
	s.mu.Unlock()
	s.CloseClientConnections()
	update(n, newConfig, time.Now(), phases.Drained, noop)
	s.set(n)
	s.mu.Lock()
	s.fail = nil
	s.mu.Unlock()
	r.await("worker-0 begun, Draining")
	r.cancel()
	code, _, _ := r.end()
	assert.Equal(t, exitInterrupted, code)
}
