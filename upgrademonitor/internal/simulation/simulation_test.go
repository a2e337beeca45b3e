// Package simulation_test tests the whole Monitor, from its Config to its HTTP requests, in fake time. The API server
// responds slowly, hangs, fails, loses responses and cuts connections. Other processes write to the object. The
// Lister lags, trims objects, fails and returns older versions. The daemon has several goroutines, whose contexts end,
// and is restarted. check_test.go lists the rules. A seed decides everything except the order in which goroutines run,
// so it may take a few runs to reproduce a failure.
package simulation_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/internal/nodemeta"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

const (
	nodeName = "worker-0"
	events   = 30
	lines    = 120 // the number of lines of the script that are printed
)

// TestSimulation runs the simulation with twelve seeds, or with as many seeds as fit into DURATION. The first seed is SEED. A
// simulation that fails is repeated with fewer events, and the shortest script that fails is printed.
func TestSimulation(t *testing.T) {
	duration, err := time.ParseDuration(cmp.Or(os.Getenv("DURATION"), "0s"))
	require.NoError(t, err, "DURATION")
	seed, err := strconv.ParseUint(cmp.Or(os.Getenv("SEED"), "1"), 10, 64)
	require.NoError(t, err, "SEED")
	isEnough := func(seeds int) bool { return seeds == 12 }
	if end := time.Now().Add(duration); duration > 0 {
		isEnough = func(int) bool { return time.Now().After(end) }
	}
	seeds := 0
	for ; !isEnough(seeds); seeds, seed = seeds+1, seed+1 {
		s := simulate(t, seed, events)
		for n := events / 2; s.problem != nil && n > 0; n /= 2 {
			shorter := simulate(t, seed, n)
			if shorter.problem == nil {
				break
			}
			s = shorter
		}
		if s.problem != nil {
			t.Fatalf("seed %d: %v\n%+v\n\t%s", seed, s.problem, s.world, strings.Join(s.script[max(0, len(s.script)-lines):], "\n\t"))
		}
	}
	t.Logf("%d seeds", seeds)
}

// world has the properties that do not change during a simulation.
type world struct {
	timeout  time.Duration
	qps      float32
	images   bool   // image mode
	lists    bool   // the processes have a Lister
	others   bool   // other processes write
	drains   bool   // one of the processes is a controller with its own Monitor
	operator bool   // an operator writes the configs of the Node to the spec
	old      string // the process without this library: daemon, controller or none
}

type simulation struct {
	world
	t      *testing.T
	rng    *rand.Rand
	server *weatherServer
	lister *lister
	ticks  atomic.Int64 // the order of the starts and ends of calls
	tokens atomic.Int64 // the number of unique texts and configs
	calm   atomic.Bool  // the faults are over, and everything is written: see rule 5

	mu        sync.Mutex // guards the fields below
	started   time.Time
	nodes     []*corev1.Node // all versions of the Node
	stale     bool           // processes see the second-last version
	processes map[string]*process
	script    []string
	calls     []*call
	sets      []upgrademonitor.PinnedImageSet // the last reported image sets
	orders    map[string]struct{}             // the configs that the daemon has taken up
	stopped   bool                            // the faults are over
	problem   error
}

// simulate runs a simulation with a number of events.
func simulate(t *testing.T, seed uint64, events int) *simulation {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 0))
	coin := func() bool { return rng.IntN(2) == 0 }
	s := &simulation{t: t, rng: rng, processes: map[string]*process{}, orders: map[string]struct{}{}, world: world{
		timeout: []time.Duration{10 * time.Second, 2 * time.Second}[rng.IntN(2)],
		qps:     []float32{-1, 5}[rng.IntN(2)],
		images:  coin(), lists: coin(), others: coin(), drains: coin(),
		old: []string{"none", "none", "daemon", "controller"}[rng.IntN(4)], operator: coin(),
	}}
	s.images = s.images && s.old == "none" // an old process knows standard mode only
	s.drains = s.drains && s.old != "controller" || s.old == "daemon"
	synctest.Test(t, func(*testing.T) {
		s.started = time.Now()
		s.server = &weatherServer{log: s.log, rng: rand.New(rand.NewPCG(seed, 1)), shown: map[string]bool{}, weather: fair, cut: make(chan struct{})}
		s.server.Stored, s.server.checkNode = s.server.stored, s.checkNode
		s.nodes = []*corev1.Node{newNode("rendered-0", "rendered-0", s.images)}
		if s.lists {
			s.lister = &lister{simulation: s, mode: "current"}
		}
		s.run(seed, events)
	})
	if s.problem == nil {
		s.problem = s.server.problem
	}
	return s
}

func newNode(current, desired string, images bool) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: nodeName, UID: "node", Annotations: map[string]string{
		nodemeta.CurrentConfig: current, nodemeta.DesiredConfig: desired,
	}}}
	if images {
		image := func(config string) string {
			return fmt.Sprintf("quay.io/os@sha256:%064s", strings.TrimPrefix(config, "rendered-"))
		}
		n.Annotations[nodemeta.CurrentImage], n.Annotations[nodemeta.DesiredImage] = image(current), image(desired)
	}
	return n
}

// run starts the processes and their callers, makes events happen, ends the faults, and checks what was written.
func (s *simulation) run(seed uint64, events int) {
	if s.old == "daemon" {
		s.createOld()
	} else {
		s.processes["daemon"] = s.start("daemon")
	}
	if s.drains {
		s.processes["controller"] = s.start("controller")
	}
	var callers sync.WaitGroup
	for i, what := range []struct {
		name, process string
		do            func(*caller)
	}{
		{"daemon", "daemon", (*caller).update},
		{"image manager", "daemon", (*caller).imageSets},
		{"health check", "daemon", (*caller).burst},
		{"disk check", "daemon", (*caller).burst},
		{"controller", "controller", (*caller).drain},
	} {
		switch {
		case s.old == "daemon" && what.name == "daemon":
			what.do = (*caller).updateOld
		case s.old == "controller" && what.name == "controller":
			what.do = (*caller).drainOld
		case s.processes[what.process] == nil:
			continue
		}
		c := &caller{simulation: s, name: what.name, rng: rand.New(rand.NewPCG(seed, uint64(10+i)))}
		callers.Go(func() {
			for !s.isStopped() {
				what.do(c)
				if what.name != "daemon" {
					sleep(time.Duration(c.rng.IntN(90)) * time.Second)
				}
				c.pause()
			}
		})
	}
	for range events {
		sleep(time.Duration(s.rng.IntN(60)) * time.Second)
		s.event()
	}
	s.mu.Lock()
	s.stopped = true
	s.mu.Unlock()
	s.change(fair, true)
	if s.lister != nil {
		s.lister.change("current")
	}
	s.makeStale(false)
	callers.Wait()
	s.server.lateWrite.Wait()
	if s.old == "daemon" {
		s.checkEndOld()
	} else {
		s.checkEnd()
	}
	for _, p := range s.processes {
		p.kill()
	}
	sleep(2 * time.Minute) // a request may outlive the Monitor by a minute
}

// made returns the calls that have returned.
func (s *simulation) made() []*call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

func (s *simulation) isStopped() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stopped || s.problem != nil
}

func (s *simulation) log(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = append(s.script, fmt.Sprintf("%9.3f ", time.Since(s.started).Seconds())+fmt.Sprintf(format, args...))
}

func (s *simulation) fail(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.problem == nil {
		s.problem = fmt.Errorf(format, args...)
		s.script = append(s.script, fmt.Sprintf("%9.3f ", time.Since(s.started).Seconds())+s.problem.Error())
	}
}

// process returns the current process of a caller.
func (s *simulation) process(caller string) *process {
	s.mu.Lock()
	defer s.mu.Unlock()
	if caller == "controller" {
		return s.processes["controller"]
	}
	return s.processes["daemon"]
}

// node returns the Node as the processes see it.
func (s *simulation) node() *corev1.Node {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stale && len(s.nodes) > 1 {
		return s.nodes[len(s.nodes)-2]
	}
	return s.nodes[len(s.nodes)-1]
}

func (s *simulation) makeStale(stale bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stale = stale
}

// becomes changes the configs of the Node. A config that is "" stays. An operator writes the spec at once.
func (s *simulation) becomes(current, desired string) {
	s.mu.Lock()
	last := s.nodes[len(s.nodes)-1].Annotations
	current, desired = cmp.Or(current, last[nodemeta.CurrentConfig]), cmp.Or(desired, last[nodemeta.DesiredConfig])
	s.nodes = append(s.nodes, newNode(current, desired, s.images))
	s.mu.Unlock()
	s.log("the Node desires %s, runs %s", desired, current)
	if s.operator {
		s.server.write(func(m *mcfgv1.MachineConfigNode) { m.Spec.ConfigVersion.Desired = desired }, "")
	}
}

// change waits until every other goroutine is blocked, and then changes the weather. So a request that is due still has the
// old weather.
func (s *simulation) change(w weather, cut bool) {
	synctest.Wait()
	s.log("the weather is %s, connections that hang are cut: %t", w.name, cut)
	s.server.change(w, cut)
}
