package command

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/terminal"
	"github.com/openshift/upgrademonitor/phases"
)

// running is a command in the background. A test can wait for its lines.
type running struct {
	t      *testing.T
	cancel context.CancelFunc
	code   chan int
	lines  *lines
	stderr *lines
}

// fastClock starts at the real time, and runs ten times as fast.
type fastClock struct {
	clock.RealClock
	start time.Time
}

func (c fastClock) Now() time.Time                         { return c.start.Add(10 * time.Since(c.start)) }
func (c fastClock) Since(t time.Time) time.Duration        { return c.Now().Sub(t) }
func (c fastClock) After(d time.Duration) <-chan time.Time { return c.RealClock.After(d / 10) }
func (c fastClock) NewTicker(d time.Duration) clock.Ticker { return c.RealClock.NewTicker(d / 10) }

// heldClock is a fast clock for everything except --timeout, which ends when the test steps the clock deadline.
type heldClock struct {
	fastClock
	deadline *clocktesting.FakeClock
}

func (c heldClock) AfterFunc(d time.Duration, f func()) clock.Timer {
	return c.deadline.AfterFunc(d, f)
}

// startWithTimeout runs a wait with --timeout 1s. The time is over when the test calls timeout.
func startWithTimeout(t *testing.T, args ...string) (r *running, timeout func()) {
	t.Helper()
	c := heldClock{fastClock{start: time.Now()}, clocktesting.NewFakeClock(time.Now())}
	args = append([]string{"wait", "--timeout", "1s"}, args...)
	r = startWith(t, c, terminal.Terminal{Size: func() (int, int) { return 80, 0 }}, args...)
	return r, func() { c.deadline.Step(time.Second) }
}

// start runs the command on a fast clock, without a terminal.
func start(t *testing.T, args ...string) *running {
	t.Helper()
	return startWith(t, fastClock{start: time.Now()}, terminal.Terminal{Size: func() (int, int) { return 80, 0 }}, args...)
}

func startWith(t *testing.T, clock clock.WithTickerAndDelayedExecution, screen terminal.Terminal, args ...string) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r := &running{t: t, cancel: cancel, code: make(chan int, 1), lines: newLines(), stderr: newLines()}
	c := testCommand(r.lines, r.stderr)
	c.clock, c.terminal = clock, screen
	go func() {
		code := c.run(ctx, args)
		r.lines.close()
		r.stderr.close()
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

// awaitError waits for a line of the standard error that contains a text.
func (r *running) awaitError(text string) {
	r.t.Helper()
	line, all := r.stderr.await(text)
	require.NotEmpty(r.t, line, "no line with %q: %s%s", text, r.lines, all)
}

// end waits until the command has ended.
func (r *running) end() (code int, stdout, stderr string) {
	r.t.Helper()
	select {
	case code = <-r.code:
	case <-time.After(patience):
		require.Fail(r.t, "the command does not end", "%s%s", r.lines, r.stderr)
	}
	return code, r.lines.String(), r.stderr.String()
}

// patience is how long a test waits before it fails.
const patience = 2 * time.Minute

// until waits until a check is true. It returns false after patience. The caller holds the lock of more.
func until(more *sync.Cond, is func() bool) bool {
	isLate := false
	defer time.AfterFunc(patience, func() {
		more.L.Lock()
		defer more.L.Unlock()
		isLate = true
		more.Broadcast()
	}).Stop()
	for !is() {
		if isLate {
			return false
		}
		more.Wait()
	}
	return true
}

// lines collects the output of a command. A test can wait for its lines.
type lines struct {
	mu     sync.Mutex
	more   *sync.Cond
	text   strings.Builder
	seen   int
	closed bool
}

func newLines() *lines {
	l := &lines{}
	l.more = sync.NewCond(&l.mu)
	return l
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
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

// await returns the first line that contains a text, after the last one that was awaited. The line is "" if
// there is none.
func (l *lines) await(text string) (line, all string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	until(l.more, func() bool {
		all = l.text.String()
		rest := all[l.seen:]
		if i := strings.Index(rest, text); i >= 0 {
			if end := strings.IndexByte(rest[i:], '\n'); end >= 0 {
				begin := strings.LastIndexByte(rest[:i], '\n') + 1
				l.seen += i + end + 1
				line = rest[begin : i+end]
			}
		}
		return line != "" || l.closed
	})
	return line, all
}

func image(digit string) mcfgv1.ImageDigestFormat {
	return mcfgv1.ImageDigestFormat("registry.example/os@sha256:" + strings.Repeat(digit, 64))
}

func TestWaitEndsWhenThePoolIsUpdated(t *testing.T) {
	t.Parallel()
	n := newNode("worker-0", "worker", oldConfig, time.Now().Add(-time.Hour))
	s := newServer(t, updatedPool("worker", oldConfig), n)
	r := start(t, "wait", "worker", "--from", oldConfig, "--kubeconfig", s.kubeconfig(t))
	r.await("worker 1/1 to 11111111")

	s.set(newPool("worker", newConfig))
	r.await("worker 0/1 to 22222222")
	update(n, newConfig, time.Now(), phases.Drained)
	s.set(n)
	r.await("worker 0/1 to 22222222, 1 draining")
	report(n, phases.Drained, metav1.ConditionTrue, time.Now(), "done")
	report(n, phases.AppliedFilesAndOS, metav1.ConditionUnknown, time.Now(), "now")
	s.set(n)
	r.await("worker 0/1 to 22222222, 1 applying files and OS")
	update(n, newConfig, time.Now(), "")
	s.set(n)
	r.await("worker 1/1 to 22222222, not Updated") // the pool's controller is behind the daemon
	s.set(updatedPool("worker", newConfig))
	code, stdout, stderr := r.end()
	assert.Zero(t, code, stderr)
	assert.Regexp(t, `worker 1/1 to 22222222\ndone\n$`, stdout)
}

// stillClock never ticks.
type stillClock struct{ fastClock }

func (stillClock) NewTicker(d time.Duration) clock.Ticker {
	return clocktesting.NewFakeClock(time.Now()).NewTicker(d)
}

// wait ends as soon as the last write is seen, without another tick of the clock and without another list.
func TestWaitEndsAtOnceAfterTheLastWrite(t *testing.T) {
	t.Parallel()
	n := newNode("worker-0", "worker", oldConfig, time.Now().Add(-time.Hour))
	update(n, newConfig, time.Now(), phases.Drained)
	s := newServer(t, newPool("worker", newConfig), n)
	lists := func() int { return s.requests("list machineconfignodes") + s.requests("list machineconfigpools") }
	r := startWith(t, stillClock{fastClock{start: time.Now()}}, terminal.Terminal{Size: func() (int, int) { return 80, 0 }}, "wait", "--kubeconfig", s.kubeconfig(t))
	r.await("worker 0/1")
	before := lists()
	update(n, newConfig, time.Now(), "")
	s.set(n, updatedPool("worker", newConfig))
	code, _, stderr := r.end()
	assert.Zero(t, code, stderr)
	assert.Equal(t, before, lists())
	assert.Less(t, minPause, 2*time.Second)
}

// After the timeout, the exit code is 3, and the error says what is not done.
func TestWaitTimesOut(t *testing.T) {
	t.Parallel()
	n := newNode("worker-0", "worker", oldConfig, time.Now().Add(-time.Hour))
	done := newNode("worker-0", "worker", newConfig, time.Now().Add(-time.Hour))
	paused := newPool("worker", newConfig)
	paused.Spec.Paused = true
	for want, test := range map[string]struct {
		pool *mcfgv1.MachineConfigPool
		node *mcfgv1.MachineConfigNode
		args string
	}{
		"not done within 1s: worker 0/1 to 22222222, 1 waiting\n":                         {newPool("worker", newConfig), n, ""},
		"not done within 1s: worker 0/1 to 22222222, 1 waiting, paused\n":                 {paused, n, ""},
		"not done within 1s: worker 0/1 to 22222222, 1 waiting, its image is not built\n": {with(newPool("worker", newConfig), "Updating", time.Minute, "Pool is waiting for OS image build to complete (mosb: b)"), done, ""},
		", still the target of --from":                                                    {newPool("worker", newConfig), done, "--from " + newConfig},
	} {
		s := newServer(t, test.pool, test.node)
		r, timeout := startWithTimeout(t, append(strings.Fields(test.args), "--kubeconfig", s.kubeconfig(t))...)
		r.await("worker ")
		timeout()
		code, _, stderr := r.end()
		assert.Equal(t, exitTimeout, code, want)
		assert.Contains(t, stderr, want)
	}
}

// If wait times out during an outage, the error has the time of the last response, because the pools may be done now.
func TestWaitTimesOutDuringAnOutage(t *testing.T) {
	t.Parallel()
	s := newServer(t, newPool("worker", newConfig), newNode("worker-0", "worker", oldConfig, time.Now().Add(-time.Hour)))
	r, timeout := startWithTimeout(t, "--kubeconfig", s.kubeconfig(t))
	r.await("worker 0/1")
	s.failWith(failure{status: http.StatusServiceUnavailable})
	s.CloseClientConnections()
	r.awaitError("trying again")
	timeout()
	code, stdout, stderr := r.end()
	assert.Equal(t, exitTimeout, code)
	assert.Regexp(t, `not done within 1s: worker 0/1 to 22222222, 1 waiting; last response \d\d:\d\d:\d\d\n$`, stderr)
	assert.Contains(t, stdout, "no response from the server since ")
}

func TestWaitForADeletedPoolIsWrongUsage(t *testing.T) {
	t.Parallel()
	n := newNode("worker-0", "infra", oldConfig, time.Now().Add(-time.Hour))
	s := newServer(t, newPool("infra", newConfig), newPool("master", "m"), n)
	r := start(t, "wait", "infra", "--kubeconfig", s.kubeconfig(t))
	r.await("infra 0/1")
	s.remove(poolsResource, "infra")
	code, _, stderr := r.end()
	assert.Equal(t, exitUsage, code)
	assert.Contains(t, stderr, `nothing to wait for: unknown pool "infra": the pools are master`)
}

func TestNoChangeDuringAnOutageIsLost(t *testing.T) {
	t.Parallel()
	n := newNode("worker-0", "worker", oldConfig, time.Now().Add(-time.Hour))
	s := newServer(t, newPool("worker", newConfig), n, newNode("worker-1", "worker", oldConfig, time.Now().Add(-time.Hour)))
	r := start(t, "wait", "--kubeconfig", s.kubeconfig(t))
	r.await("worker 0/2")

	s.failWith(failure{status: http.StatusServiceUnavailable})
	s.CloseClientConnections()
	before := s.requests("list " + nodesResource)
	assert.Eventually(t, func() bool { return s.requests("list "+nodesResource) > before }, 30*time.Second, 10*time.Millisecond)
	update(n, newConfig, time.Now(), phases.Drained)
	s.set(n)
	s.remove(nodesResource, "worker-1") // only the next list shows the change
	s.failWith(failure{})
	r.await("worker 0/1 to 22222222, 1 draining")
	r.cancel()
	code, stdout, _ := r.end()
	assert.Equal(t, exitInterrupted, code)
	assert.Equal(t, 1, strings.Count(stdout, "worker 0/2"), "an outage repeats no line")
}

func TestEachOutageIsNoted(t *testing.T) {
	t.Parallel()
	n := newNode("worker-0", "worker", oldConfig, time.Now().Add(-time.Hour))
	s := newServer(t, newPool("worker", newConfig), n)
	r := start(t, "wait", "--kubeconfig", s.kubeconfig(t))
	r.await("worker 0/1 to 22222222, 1 waiting")
	loseServer := func() {
		s.failWith(failure{status: http.StatusServiceUnavailable})
		s.CloseClientConnections()
		r.awaitError("trying again")
	}
	loseServer()
	s.failWith(failure{})
	s.set(newPool("worker", "rendered-worker-33333333"))
	cordoned := newKubeNode("worker-0")
	cordoned.Spec.Unschedulable = true
	s.set(cordoned)
	r.await("worker 0/1 to 33333333, 1 waiting, blocked") // a view after both resources have responded
	update(n, "rendered-worker-33333333", time.Now(), phases.Drained)
	s.set(n)
	r.await("worker 0/1 to 33333333, 1 draining")
	loseServer()
}

// During an outage, wait neither succeeds nor fails, because the last view may be out of date.
func TestWaitDoesNotTrustAnOldView(t *testing.T) {
	t.Parallel()
	done := cluster.NewNode(nil, newNode("worker-0", "worker", newConfig, now.Add(-time.Hour)))
	failed := updatedPool("worker", newConfig)
	failed.Status.Conditions = []mcfgv1.MachineConfigPoolCondition{{Type: mcfgv1.MachineConfigPoolRenderDegraded, Status: "True"}}
	for _, p := range []*mcfgv1.MachineConfigPool{updatedPool("worker", newConfig), failed} {
		objects := cluster.Objects{Pools: []*mcfgv1.MachineConfigPool{p}, Nodes: []cluster.Node{done}}
		v := source.View{Time: now, Last: true, Cluster: cluster.Of(objects, now)}
		isOver, err := (&check{}).decide(v)
		assert.True(t, isOver)
		assert.Equal(t, p == failed, err != nil)
		v.LastContact = now.Add(-time.Minute)
		isOver, err = (&check{}).decide(v)
		assert.NoError(t, err)
		assert.False(t, isOver)
	}
}

// If a server accepts requests and never responds, the error names the server and the time of --request-timeout.
func TestASilentServerIsNoted(t *testing.T) {
	t.Parallel()
	closed := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-closed:
		}
	}))
	t.Cleanup(s.Close)
	t.Cleanup(func() { close(closed) })
	file := kubeconfigOf(t, s.URL)
	const silent = " does not respond within 50ms: is it up, and reachable from here?"
	for _, args := range [][]string{nil, {"node", "a"}} {
		code, stdout, stderr := start(t, append(args, "--request-timeout", "50ms", "--kubeconfig", file)...).end()
		assert.Equal(t, exitUsage, code, args)
		assert.Equal(t, "kubectl mcn: the cluster "+s.URL+silent+"\n", stderr, args)
		assert.Empty(t, stdout, args)
	}
	r, timeout := startWithTimeout(t, "--request-timeout", "50ms", "--kubeconfig", file)
	r.awaitError("trying again")
	timeout()
	code, stdout, stderr := r.end()
	assert.Equal(t, exitTimeout, code)
	assert.Equal(t, "kubectl mcn: the cluster "+s.URL+silent+"; trying again\nkubectl mcn: not done within 1s: the cluster could not be read\n", stderr)
	assert.Empty(t, stdout)
}

func TestSilentWatchesAreNoted(t *testing.T) {
	t.Parallel()
	lists := newServer(t, newPool("worker", newConfig))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("watch") == "" {
			lists.ServeHTTP(w, r)
			return
		}
		<-r.Context().Done()
	}))
	t.Cleanup(s.Close)
	r := start(t, "wait", "--request-timeout", "1s", "--kubeconfig", kubeconfigOf(t, s.URL))
	r.awaitError("trying again")
	r.cancel()
	_, _, stderr := r.end()
	assert.Contains(t, stderr, "the cluster "+s.URL+" does not respond within 1s")
}

// --request-timeout limits the time until a response starts.
func TestFlagsOfKubectlReachTheClient(t *testing.T) {
	t.Parallel()
	c := testCommand(io.Discard, io.Discard)
	root := newRoot(c)
	require.NoError(t, root.ParseFlags([]string{"--request-timeout", "7s", "-n", "default", "-s", "https://other", "--kubeconfig", kubeconfigOf(t, "https://localhost")}))
	connected, err := (&sourceFlags{CLI: c}).connect()
	require.NoError(t, err)
	cluster := connected.(*source.Cluster)
	assert.Equal(t, 7*time.Second, cluster.RequestTimeout)
	assert.Zero(t, cluster.Config.Timeout, "a watch may take longer than --request-timeout")
	assert.Negative(t, cluster.Config.QPS, "no client-side limit: the pages of a big cluster would take minutes")
	assert.Equal(t, "https://other", cluster.Config.Host)
}

func TestALongLineOfWaitIsWrapped(t *testing.T) {
	t.Parallel()
	const name = "worker-with-a-name-of-a-machine-set-in-a-region"
	p := newPool(name, newConfig)
	with(p, mcfgv1.MachineConfigPoolRenderDegraded, time.Hour, "duplicate osImageURL")
	objects := []runtime.Object{p}
	for i, step := range []phases.Phase{phases.Cordoned, phases.Drained, phases.AppliedFilesAndOS, phases.RebootedNode, phases.Uncordoned} {
		n := newNode(fmt.Sprint("worker-", i), name, oldConfig, now.Add(-24*time.Hour))
		update(n, newConfig, now.Add(-10*time.Minute), step)
		objects = append(objects, n)
	}
	for _, width := range []int{80, 120} {
		waited := executeAt(t, width, asList(t, objects...), "wait", "-f", "-").stdout
		line, _, _ := strings.Cut(waited, "\n\n")
		assert.Regexp(t, `(?s)^\S+ worker-\S+ 0/5 to\s+22222222, .* 1\s+rebooting, .*RenderDegraded$`, line)
		assertFits(t, width, line)
		assert.Contains(t, line, "\n         ", "the lines after the first are indented")
	}
}

func TestWaitWithFromIgnoresFailuresOfTheOldTarget(t *testing.T) {
	t.Parallel()
	n := newNode("worker-0", "worker", oldConfig, now.Add(-24*time.Hour))
	setCondition(n, phases.NodeDegraded, time.Hour, "disk full")
	list := asList(t, newPool("worker", oldConfig), n)
	for from, want := range map[string]string{oldConfig: "not done in stdin: ", newConfig: "failed: "} {
		got := execute(t, list, "wait", "--from", from, "-f", "-", "--at", now.Format(time.RFC3339))
		assert.Equal(t, exitFailed, got.code)
		assert.Contains(t, got.stderr, "kubectl mcn: "+want)
	}
}
