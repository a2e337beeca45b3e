package components_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	operatorv1 "github.com/openshift/api/operator/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// walk is a random walk of an operator, and what its conditions have to be.
type walk struct {
	t      *testing.T
	random *rand.Rand
	m      *memory
	p      *process
	failed map[string]time.Time // of the unresolved errors, since when
	node   bool                 // a node is degraded
	before [][]metav1.Condition // that the object had
}

var walkStates = []components.State{components.OperatorSyncMCD, components.OperatorSyncMCP, components.OperatorSyncMCPRequired, components.MetricsSync}

// step makes one of the events of a cluster.
func (w *walk) step() {
	s, key := walkStates[w.random.IntN(len(walkStates))], []string{"", "worker", "infra"}[w.random.IntN(3)]
	name := fmt.Sprint(s, " ", key)
	switch w.random.IntN(12) {
	case 0, 1, 2:
		w.p.Begin(s, key).End(nil)
		delete(w.failed, name)
	case 3, 4:
		w.p.Begin(s, key).End(fmt.Errorf("error %d", w.random.IntN(3)))
		if _, again := w.failed[name]; !again {
			w.failed[name] = time.Now()
		}
	case 5:
		w.p.Forget(s, key)
		delete(w.failed, name)
	case 6:
		w.node = w.random.IntN(2) == 0
		w.setPeer()
	case 7: // another process writes a whole status from its cache
		w.before = append(w.before, w.m.conditions())
		w.m.change(func(mc *operatorv1.MachineConfiguration) *operatorv1.MachineConfiguration {
			mc.Status.Conditions = w.before[w.random.IntN(len(w.before))]
			return mc
		})
	case 8:
		w.m.failWith([]error{apierrors.NewServiceUnavailable("down"), errConflict, errNotFound, nil}[w.random.IntN(4)])
	default:
		pass(time.Duration(w.random.IntN(300)) * time.Second)
	}
}

func (w *walk) setPeer() {
	status := no
	if w.node {
		status = yes
	}
	require.NoError(w.t, w.p.SetPeerConditions(components.Daemon, condition(daemonDegraded, status)))
}

// lead has another process lead, which may overlap with the last one. Its first sync reports
// what fails and what does not.
func (w *walk) lead() {
	last := w.p
	if w.random.IntN(2) == 0 {
		last.stop()
		w.p = w.m.start(w.t, components.Operator)
	} else {
		w.p = w.m.start(w.t, components.Operator)
		pass(time.Duration(w.random.IntN(600)) * time.Second)
		last.stop()
	}
	for _, s := range walkStates {
		for _, key := range []string{"", "worker", "infra"} {
			name := fmt.Sprint(s, " ", key)
			if _, failed := w.failed[name]; failed {
				w.failed[name] = time.Now()
				w.p.Begin(s, key).End(fmt.Errorf("error %d", w.random.IntN(3)))
			} else {
				w.p.Begin(s, key).End(nil)
			}
		}
	}
	w.setPeer()
}

// TestWalks: after any events, the object has the conditions of the errors that are not resolved.
func TestWalks(t *testing.T) {
	t.Parallel()
	for seed := range uint64(10) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T, m *memory) {
				w := &walk{t: t, random: rand.New(rand.NewPCG(seed, 2)), m: m, failed: map[string]time.Time{}}
				w.p = healthy(t, m)
				want := map[bool]metav1.ConditionStatus{true: yes, false: no}
				for range 20 {
					for range 1 + w.random.IntN(20) {
						w.step()
					}
					if w.random.IntN(3) == 0 {
						w.lead()
					}
					m.failWith(nil)
					pass(12 * time.Minute)
					assert.Equal(t, want[len(w.failed) > 0], m.condition(t, operatorDegraded).Status, "%v", w.failed)
					assert.Equal(t, want[w.node], m.condition(t, daemonDegraded).Status)
					rested := m.writes()
					pass(30 * time.Minute) // three times the longest interval
					assert.Equal(t, rested, m.writes(), "nothing is left to write")
					if t.Failed() {
						return
					}
				}
			})
		})
	}
}
