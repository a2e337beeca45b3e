package components_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	operatorv1 "github.com/openshift/api/operator/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coordinationv1client "k8s.io/client-go/kubernetes/typed/coordination/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// TestADay simulates a day of both processes, which watch each other's Lease: continuous syncs,
// occasional errors, one that lasts for an hour, and a restart of each.
func TestADay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, leases := newMemory(), &leases{renewed: map[string]metav1.MicroTime{}}
		run := func(c, other components.Component) *process {
			p := m.start(t, c)
			watch, err := components.NewLeaseWatch(components.LeaseConfig{Client: leases, Component: other, SetPeerConditions: p.SetPeerConditions})
			require.NoError(t, err)
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error)
			go func() { ended <- watch.Run(ctx) }()
			stop := p.stop
			p.stop = func() { cancel(); assert.NoError(t, <-ended); stop() }
			return p
		}
		operator, controller := run(components.Operator, components.Controller), run(components.Controller, components.Operator)
		random := rand.New(rand.NewPCG(1, 2))
		var installed int
		const step = 30 * time.Second
		for n := 0; n < int(24*time.Hour/step); n++ {
			at := time.Duration(n) * step
			leases.renew("machine-config", "machine-config-controller")
			var err error
			if at > 8*time.Hour && at < 9*time.Hour {
				err = errDaemons
			}
			operator.sync(components.OperatorSync, components.OperatorSyncMCD, err)
			for _, pool := range []string{"master", "worker", "infra"} {
				var err error
				if random.IntN(10) == 0 {
					err = fmt.Errorf("conflict %d", n)
				}
				controller.Begin(components.MCCSyncMachineConfigPool, pool).End(err)
			}
			require.NoError(t, operator.SetPeerConditions(components.Daemon, components.Daemons(daemonSet(), nodes(n), time.Now())...))
			switch at {
			case time.Hour:
				installed = m.writes()
			case 12 * time.Hour:
				operator.stop()
				operator = run(components.Operator, components.Controller)
			case 16 * time.Hour:
				controller.stop()
				controller = run(components.Controller, components.Operator)
			}
			pass(step)
		}
		operator.stop()
		controller.stop()
		writes := map[string]int{}
		for _, body := range m.requestsSince(0) {
			writes[writerOf(body)]++
		}
		reads := leases.reads
		t.Logf("a day: %d writes of the operator and %d of the controller, %d of all in the first hour; %d reads of Leases, %d of the object",
			writes["operator"], writes["controller"], installed, reads, m.gets)
		assert.LessOrEqual(t, writes["operator"], 3+2+1, "the first start, the error and its recovery, the restart")
		assert.LessOrEqual(t, writes["controller"], 3, "the first start")
		assert.LessOrEqual(t, reads, 2*(24*60+2), "one Lease per minute")
		assert.Zero(t, m.gets)
		assert.Equal(t, components.Healthy, components.Overall(m.conditions()))
	})
}

// leases are renewed by running holders, and read continuously.
type leases struct {
	coordinationv1client.LeaseInterface // no other method is called

	mu      sync.Mutex
	renewed map[string]metav1.MicroTime
	reads   int
}

func (l *leases) renew(names ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, name := range names {
		l.renewed[name] = metav1.NewMicroTime(time.Now())
	}
}

func (l *leases) Get(_ context.Context, name string, _ metav1.GetOptions) (*coordinationv1.Lease, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reads++
	holder, duration, at := "a", int32(137), l.renewed[name]
	return &coordinationv1.Lease{Spec: coordinationv1.LeaseSpec{HolderIdentity: &holder, LeaseDurationSeconds: &duration, RenewTime: &at}}, nil
}

// nodes returns six nodes, one of which is sometimes in an update.
func nodes(n int) []*mcfgv1.MachineConfigNode {
	var list []*mcfgv1.MachineConfigNode
	for i := range 6 {
		status := yes
		if n%20 == i {
			status = no
		}
		list = append(list, mcn(fmt.Sprint("worker-", i), status, ""))
	}
	return list
}

// writerOf returns the process that made a request.
func writerOf(body string) string {
	if strings.Contains(body, "MachineConfigControllerDegraded") && strings.Contains(body, `"kind"`) {
		return "controller"
	}
	return "operator"
}

// TestSizes: the requests of an operator when it is healthy, and with the maximum of errors.
func TestSizes(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, m *memory) {
		p := healthy(t, m)
		write := func() int { // all conditions are taken away, and written again
			m.create()
			pass(time.Hour)
			return len(m.bodies[len(m.bodies)-1])
		}
		healthy := write()
		huge := strings.Repeat("<huge> ", 1<<16)
		peersAre(t, p, false, huge)
		for i := range 64 {
			p.Begin(components.OperatorSyncMCC, fmt.Sprint(i)).End(fmt.Errorf("%d: %s", i, huge))
			p.Begin(components.OperatorSyncMCP, strings.Repeat("key", i))
		}
		faulty := write()
		peersAre(t, p, true, "")
		for i := range 64 {
			p.Begin(components.OperatorSyncMCC, fmt.Sprint(i)).End(nil)
			p.Forget(components.OperatorSyncMCP, strings.Repeat("key", i))
		}
		recovered := write()
		t.Logf("healthy %d bytes, as many errors as there can be %d, all resolved %d", healthy, faulty, recovered)
		assert.LessOrEqual(t, healthy, 1500)
		assert.LessOrEqual(t, faulty, 8000)
		assert.Greater(t, faulty, 3000)
		assert.LessOrEqual(t, recovered, 2000)
	})
}

// hourly asserts the writes of a process that always has something to write.
func hourly(t *testing.T, m *memory, step func(n int)) {
	t.Helper()
	began, before := time.Now(), m.writes()
	for n := 0; time.Since(began) < 6*time.Hour; n++ {
		step(n)
		assert.LessOrEqual(t, m.writes()-before, 10+6*int(time.Since(began)/time.Hour))
	}
	t.Logf("%d writes in 6 hours", m.writes()-before)
}

func TestEndlessFlapping(t *testing.T) {
	t.Parallel()
	for name, period := range map[string]time.Duration{"as fast as the inertia lets it": 125 * time.Second, "11 minutes": 11 * time.Minute, "21 minutes": 21 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, m *memory) {
				p := healthy(t, m)
				hourly(t, m, func(int) {
					p.sync(components.OperatorSync, components.OperatorSyncMCD, errDaemons)
					pass(period - time.Second)
					p.sync(components.OperatorSync, components.OperatorSyncMCD, nil)
					pass(time.Second)
				})
			})
		})
	}
}

// TestEverythingFlaps: errors whose text always changes, the daemons, and what other processes write.
func TestEverythingFlaps(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, m *memory) {
		p := healthy(t, m)
		hourly(t, m, func(n int) {
			p.sync(components.OperatorSync, components.OperatorSyncMCD, fmt.Errorf("attempt %d", n))
			status := no
			if n%10 < 5 {
				status = yes
			}
			require.NoError(t, p.SetPeerConditions(components.Daemon, condition(daemonDegraded, status)))
			if n%7 == 0 {
				m.change(func(mc *operatorv1.MachineConfiguration) *operatorv1.MachineConfiguration {
					mc.Status.Conditions = nil
					return mc
				})
			}
			pass(30 * time.Second)
		})
	})
}
