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

	"github.com/openshift/upgrademonitor/internal/nodemeta"
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

// newMonitor returns the Monitor of the daemon, or the Monitor of the controller, which writes only conditions.
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

// kill ends a process, and cuts its connections.
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
	caller   string
	name     string // of the call
	phase    phases.Phase
	status   metav1.ConditionStatus
	token    string // the end of its message, which is unique
	from, to int64  // the ticks at its start and its end
	started  time.Time
	took     time.Duration
	limit    time.Duration
	err      error
	isSilent bool // the method returns no error: err is ErrPending unless the log has an error
}

func (c *call) String() string { return fmt.Sprintf("%s: %s %s", c.caller, c.name, c.token) }

// isAccepted reports whether the report was written or queued.
func (c *call) isAccepted() bool { return c.err == nil || errors.Is(c.err, upgrademonitor.ErrPending) }

// caller is a goroutine that makes calls. Its choices do not depend on other goroutines.
type caller struct {
	*simulation
	name    string
	rng     *rand.Rand // nil after the faults: no random choices and no pauses
	patient bool       // set if the contexts of its calls do not end
	tookUp  *process   // the process that has reported Updated=False
	order   string     // the config that this process has taken up
}

// call makes a call, records it, and checks it.
func (c *caller) call(made call, do func(ctx context.Context, p *process) error) {
	p := c.process(c.name)
	c.takeUp(p, made.phase, made.status)
	made.process, made.caller, made.limit = p, c.name, c.timeout
	ctx := p.context(context.Background())
	if !c.patient && c.chance(0.05) {
		made.limit = min(time.Duration(1+c.rng.IntN(5000))*time.Millisecond, c.timeout)
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, made.limit)
		defer cancel()
	}
	made.started, made.from = time.Now(), c.ticks.Add(1)
	made.err = do(ctx, p)
	made.took = time.Since(made.started)
	c.log("%s: %v after %v", &made, made.err, made.took)
	c.mu.Lock()
	made.to = c.ticks.Add(1)
	c.calls = append(c.calls, &made)
	c.mu.Unlock()
	c.checkCall(&made)
}

// takeUp records the order of the Node, if a call takes it up: Updated=False or, in a new process, UpdatePrepared.
func (c *caller) takeUp(p *process, phase phases.Phase, status metav1.ConditionStatus) {
	if phase == phases.Updated && status == metav1.ConditionFalse || phase == phases.UpdatePrepared && c.tookUp != p {
		c.tookUp, c.order = p, c.node().Annotations[nodemeta.DesiredConfig]
		c.mu.Lock()
		defer c.mu.Unlock()
		c.orders[c.order] = struct{}{}
	}
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
	if c.name == "daemon" && c.chance(0.1) {
		c.becomes("", fmt.Sprintf("rendered-%d", c.tokens.Add(1))) // another order
	}
}

func (c *caller) spec() {
	c.call(call{name: "spec"}, func(ctx context.Context, m *process) error { return m.GenerateAndApplyMachineConfigNodeSpec(ctx) })
}

// update makes the reports of one update of the daemon.
func (c *caller) update() {
	c.becomes("", fmt.Sprintf("rendered-%d", c.tokens.Add(1)))
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
		c.flush(c.process(c.name), time.Duration(1+c.rng.IntN(60))*time.Second)
	}
	c.report(phases.RebootedNode, metav1.ConditionTrue)
	c.report(phases.Resumed, metav1.ConditionTrue)
	c.report(phases.Uncordoned, metav1.ConditionTrue, upgrademonitor.CompletesParent())
	c.becomes(c.order, "")
	c.report(phases.Updated, metav1.ConditionTrue)
}

// imageSets reports one or two image sets.
func (c *caller) imageSets() {
	generation := func() int64 { return 1 + c.tokens.Add(1)%3 }
	sets := []upgrademonitor.PinnedImageSet{{Name: "a", Generation: generation(), Done: c.chance(0.5)}}
	token := ""
	if c.chance(0.5) {
		text := c.text()
		token = lastToken(text)
		sets = append(sets, upgrademonitor.PinnedImageSet{Name: "b", Generation: generation(), Err: errors.New(text)})
	}
	made := call{name: fmt.Sprint("image sets ", len(sets)), phase: phases.PinnedImageSetsDegraded, token: token, isSilent: true}
	c.call(made, func(ctx context.Context, m *process) error {
		const notAccepted = `change="report of pinned image sets"`
		before := len(m.about(notAccepted))
		m.ReportPinnedImageSets(ctx, sets, nil)
		if lines := m.about(notAccepted); len(lines) > before {
			return errors.New(lines[before])
		}
		return upgrademonitor.ErrPending
	})
	c.mu.Lock()
	c.sets = sets
	c.mu.Unlock()
}

func lastToken(text string) string { return token.FindString(text) }

// degraded reports NodeDegraded, always with the same text, so that some reports are repeats.
func (c *caller) degraded() {
	status := []metav1.ConditionStatus{metav1.ConditionTrue, metav1.ConditionFalse}[c.rng.IntN(2)]
	c.reportDegraded(status, "few")
}

// burst reports NodeDegraded=True several times, each time with another text.
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

// drain makes the reports of a controller that drains the node.
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
