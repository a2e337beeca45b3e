package simulation_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// process is a process with a Monitor, from its start to its end.
type process struct {
	*upgrademonitor.Monitor
	logs
	*transport
	end context.CancelFunc // ends the life of the Monitor
}

// start starts a process: the daemon, or the controller that drains.
func (s *simulation) start(name string) *process {
	p := &process{transport: &transport{s.server, name, make(chan struct{})}}
	ctx, cancel := context.WithCancel(p.context(context.Background()))
	p.end = cancel
	clientset, err := mcfgclientset.NewForConfig(&rest.Config{Host: "http://simulation", Transport: p.transport, QPS: s.qps, Burst: 10})
	if err == nil {
		config := upgrademonitor.Config{Client: clientset, Timeout: s.timeout}
		if s.lister != nil {
			config.Lister = s.lister
		}
		p.Monitor, err = s.newMonitor(ctx, name, config)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.log("%s starts", name)
	return p
}

// newMonitor returns the Monitor of the daemon, or of the controller, which writes conditions only.
func (s *simulation) newMonitor(ctx context.Context, name string, config upgrademonitor.Config) (*upgrademonitor.Monitor, error) {
	if name == "controller" {
		monitors, err := upgrademonitor.NewMonitors(ctx, config, func(string) (*corev1.Node, error) { return s.node(), nil })
		return monitors.For(nodeName), err
	}
	config.NodeName = nodeName
	config.Node = func() (*corev1.Node, error) { return s.node(), nil }
	config.Pool = func(*corev1.Node) (string, error) { return "worker", nil }
	config.ImageMode = func() bool { return s.images }
	return upgrademonitor.New(ctx, config)
}

// kill ends a process. Its requests are cut; what they have done is done.
func (p *process) kill() {
	close(p.dead)
	p.end()
}

func (p *process) isDead() bool {
	select {
	case <-p.dead:
		return true
	default:
		return false
	}
}

// call is one call of a Monitor.
type call struct {
	*process
	caller  string
	name    string // of the call
	phase   phases.Phase
	status  metav1.ConditionStatus
	token   string // at the end of its message: where it is shown
	from    int64  // order of the starts and ends of all calls
	to      int64
	started time.Time
	took    time.Duration
	settled bool // the API server was well all the time
	idle    bool // nothing was pending before, and nothing but Timeout ends the call
	err     error
	silent  bool // the call does not say whether its report is written
}

// isAccepted reports whether the report is written, or is queued.
func (c *call) isAccepted() bool { return c.err == nil || errors.Is(c.err, upgrademonitor.ErrPending) }

// caller is a goroutine that reports. It has choices of its own.
type caller struct {
	*simulation
	name    string
	rng     *rand.Rand // nil: it does nothing by chance, and makes no pauses
	patient bool       // no context of its calls ends
}

// call makes a call and records it.
func (c *caller) call(made call, do func(ctx context.Context, p *process) error) *call {
	p := c.process(c.name)
	made.process, made.caller = p, c.name
	ctx, limit := p.context(context.Background()), c.timeout
	if !c.patient && c.chance(0.05) {
		limit = time.Duration(1+c.rng.IntN(5000)) * time.Millisecond
		limit = min(limit, c.timeout)
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	made.started, made.from = time.Now(), c.ticks.Add(1)
	n, _ := p.Pending()
	made.idle = n == 0 && limit == c.timeout && c.timeout == 10*time.Second
	settled := p.isSettled(made.started)
	made.err = do(ctx, p)
	made.took = time.Since(made.started)
	made.settled = settled && p.isSettled(made.started) && (made.took < limit/2 || made.idle) && !p.isDead() // else the queue is long
	result := "accepted"
	if made.err != nil {
		result = made.err.Error()
	}
	c.log("%s: %s %s: %s after %v", c.name, made.name, made.token, result, made.took)
	if made.took > limit {
		c.fail("%s: %s took %v, more than %v", c.name, made.name, made.took, limit)
	}
	c.mu.Lock()
	made.to = c.ticks.Add(1)
	c.calls = append(c.calls, &made)
	c.mu.Unlock()
	c.checkCall(&made)
	return &made
}

func (c *caller) chance(p float64) bool { return c.rng != nil && c.rng.Float64() < p }

// pause lets time pass: often none, sometimes minutes.
func (c *caller) pause() {
	if c.rng == nil {
		return
	}
	switch c.rng.IntN(8) {
	case 0, 1, 2:
	case 3, 4, 5:
		sleep(time.Duration(c.rng.IntN(3000)) * time.Millisecond)
	case 6:
		sleep(time.Duration(c.rng.IntN(30)) * time.Second)
	default:
		sleep(time.Duration(c.rng.IntN(4)) * time.Minute)
	}
}

func sleep(d time.Duration) { <-time.After(d) }

// text returns a text that no other report has.
func (c *caller) text() string {
	return fmt.Sprintf("by the %s #%d", c.name, c.tokens.Add(1))
}

func (c *caller) report(p phases.Phase, status metav1.ConditionStatus, opts ...upgrademonitor.Option) {
	text := c.text()
	for again := true; again; again = c.chance(0.1) {
		c.call(call{name: fmt.Sprintf("%s=%s", p, status), phase: p, status: status, token: lastToken(text)}, func(ctx context.Context, m *process) error {
			return m.GenerateAndApplyMachineConfigNode(ctx, p, string(p), text, status, opts...)
		})
		c.pause()
	}
}

func (c *caller) spec() {
	var err error
	made := c.call(call{name: "spec"}, func(ctx context.Context, m *process) error {
		err = m.GenerateAndApplyMachineConfigNodeSpec(ctx)
		return err
	})
	if err != nil && made.settled && c.server.isFair(made.started.Add(-maxBackoff-each)) {
		c.fail("the spec is not written in fair weather: %v", err)
	}
}

// flush flushes, and checks that everything that was accepted before is done.
func (c *caller) flush() {
	p, from := c.process(c.name), c.ticks.Add(1)
	limit := time.Duration(1+c.rng.IntN(60)) * time.Second
	ctx, cancel := context.WithTimeout(p.context(context.Background()), limit)
	defer cancel()
	started := time.Now()
	err := p.Flush(ctx)
	c.log("%s: Flush: %v after %v", c.name, err, time.Since(started))
	switch {
	case time.Since(started) > limit:
		c.fail("Flush took %v of %v", time.Since(started), limit)
	case err == nil && !p.isDead():
		sleep(time.Millisecond) // a call that returns at the same time may have replaced a text
		c.checkNothingLost(p, from)
	case err != nil && !errors.Is(err, upgrademonitor.ErrPending):
		c.fail("Flush: %v", err)
	case err != nil && !p.isDead():
		if n, _ := p.Pending(); n == 0 {
			c.fail("nothing is pending, and Flush has waited for it: %v", err)
		}
	}
}

// update makes the reports of one update of the daemon.
func (c *caller) update() {
	target := fmt.Sprintf("rendered-%d", c.tokens.Add(1))
	c.becomes("", target)
	c.report(phases.Updated, metav1.ConditionFalse)
	if c.chance(0.2) {
		c.spec()
	}
	c.report(phases.UpdatePrepared, metav1.ConditionTrue)
	steps := []phases.Phase{phases.Cordoned, phases.Drained, phases.AppliedFilesAndOS}
	if c.images {
		steps = []phases.Phase{phases.Cordoned, phases.Drained, phases.ImagePulledFromRegistry, phases.AppliedFiles, phases.AppliedOSImage}
	}
	for i, p := range steps {
		if c.chance(0.1) || p == phases.Drained && c.drains {
			continue
		}
		if c.chance(0.7) {
			c.report(p, metav1.ConditionUnknown)
		}
		if c.chance(0.05) {
			return // another update starts
		}
		if i == len(steps)-1 {
			c.report(p, metav1.ConditionTrue, upgrademonitor.CompletesParent())
		} else {
			c.report(p, metav1.ConditionTrue)
		}
	}
	c.report(phases.RebootedNode, metav1.ConditionUnknown)
	if c.chance(0.5) {
		c.flush()
	}
	c.report(phases.RebootedNode, metav1.ConditionTrue)
	c.report(phases.Resumed, metav1.ConditionTrue)
	c.report(phases.Uncordoned, metav1.ConditionTrue, upgrademonitor.CompletesParent())
	c.becomes(target, target)
	c.report(phases.Updated, metav1.ConditionTrue)
}

// imageSets reports on two image sets. At the end the object has the last report.
func (c *caller) imageSets() {
	sets := []upgrademonitor.PinnedImageSet{{Name: "a", Generation: int64(1 + c.rng.IntN(3)), Done: c.chance(0.5)}}
	token := ""
	if c.chance(0.5) {
		text := c.text()
		token = lastToken(text)
		sets = append(sets, upgrademonitor.PinnedImageSet{Name: "b", Generation: int64(1 + c.rng.IntN(3)), Err: errors.New(text)})
	}
	c.call(call{name: fmt.Sprint("image sets ", len(sets)), phase: phases.PinnedImageSetsDegraded, token: token, silent: true}, func(ctx context.Context, m *process) error {
		const notReported = `change="report of pinned image sets"` // the call returns no error
		before := len(m.about(notReported))
		m.ReportPinnedImageSets(ctx, sets, nil)
		if lines := m.about(notReported); len(lines) > before {
			return errors.New(lines[before])
		}
		return nil
	})
	c.mu.Lock()
	c.sets = sets
	c.mu.Unlock()
}

func lastToken(text string) string { return token.FindString(text) }

// degraded reports one of few texts: a report may be a repeat.
func (c *caller) degraded() {
	status := []metav1.ConditionStatus{metav1.ConditionTrue, metav1.ConditionFalse}[c.rng.IntN(2)]
	c.reportDegraded(status, "few")
}

// burst reports one status again and again, as two goroutines do at the same time.
func (c *caller) burst() {
	for range c.rng.IntN(8) {
		c.reportDegraded(metav1.ConditionTrue, c.text())
		sleep(time.Duration(c.rng.IntN(3000)) * time.Millisecond)
	}
	c.degraded()
}

func (c *caller) reportDegraded(status metav1.ConditionStatus, text string) {
	c.call(call{name: "NodeDegraded=" + string(status), phase: phases.NodeDegraded, status: status, token: lastToken(text)}, func(ctx context.Context, m *process) error {
		return m.GenerateAndApplyMachineConfigNode(ctx, phases.NodeDegraded, "NodeDegraded", text, status)
	})
}

// drain makes the reports of a drain of the controller.
func (c *caller) drain() {
	c.report(phases.Drained, metav1.ConditionUnknown)
	c.report(phases.Drained, metav1.ConditionTrue)
}

// logs records the log of a process.
type logs struct {
	mu    sync.Mutex
	lines []string
}

func (l *logs) context(ctx context.Context) context.Context {
	return klog.NewContext(ctx, textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(l))))
}

func (l *logs) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, string(line))
	return len(line), nil
}

// about returns the lines with a text.
func (l *logs) about(text string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(l.lines), func(line string) bool { return !strings.Contains(line, text) })
}
