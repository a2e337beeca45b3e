package components

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var epoch = time.Date(2026, 5, 22, 12, 0, 0, 0, time.UTC)

// model is an independent implementation of Degraded: the errors that no later pass of the same state and
// key has resolved.
type model map[step]time.Time

func (m model) degraded(now time.Time, persist time.Duration) bool {
	for _, since := range m {
		if now.Sub(since) >= persist {
			return true
		}
	}
	return false
}

// TestDegradedFollowsFromUnresolvedErrors: passes of several states and keys begin and end in any
// order. Degraded is True exactly when an unresolved error is older than Persist, and Progressing
// exactly when a pass takes longer than Dwell.
func TestDegradedFollowsFromUnresolvedErrors(t *testing.T) {
	var steps []step
	for _, s := range []State{OperatorSync, OperatorSyncMCD, OperatorSyncMCP, MetricsSync} {
		for _, key := range []string{"", "worker", "master"} {
			steps = append(steps, step{s, key})
		}
	}
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		tr, now := newTracker(DefaultPersist, DefaultDwell), epoch
		m, running := model{}, map[step]*Pass{}
		for range 200 {
			now = now.Add(time.Duration(random.IntN(40)) * time.Second)
			s := steps[random.IntN(len(steps))]
			switch p := running[s]; {
			case random.IntN(20) == 0:
				tr.forget(s, now)
				delete(m, s)
				delete(running, s)
			case p == nil:
				running[s] = &Pass{step: s, began: now}
				tr.begin(running[s])
			case random.IntN(2) == 0:
				tr.succeed(p, now)
				delete(m, s)
				delete(running, s)
			default:
				tr.fail(p, fmt.Sprint("error ", random.IntN(3)), now)
				if _, again := m[s]; !again {
					m[s] = now
				}
				delete(running, s)
			}
			tr.advance(now)
			degraded := tr.degraded(nil, now)
			assert.Equal(t, m.degraded(now, DefaultPersist), degraded.Status == metav1.ConditionTrue, "seed %d", seed)
			slow := false
			for _, p := range running {
				slow = slow || now.Sub(p.began) >= DefaultDwell
			}
			progressing := tr.progressing(now)
			assert.Equal(t, slow, progressing.Status == metav1.ConditionTrue, "seed %d", seed)
			for range 3 { // the order of maps differs from one walk to the next
				assert.Equal(t, degraded, tr.degraded(nil, now), "seed %d", seed)
				assert.Equal(t, progressing, tr.progressing(now), "seed %d", seed)
			}
			if wait, ok := tr.next(now); ok && random.IntN(3) == 0 {
				before := now.Add(wait - time.Nanosecond)
				tr.advance(before)
				assert.Equal(t, degraded, tr.degraded(nil, before), "seed %d: nothing changes before the time returned by next", seed)
				assert.Equal(t, progressing, tr.progressing(before), "seed %d", seed)
			}
			if t.Failed() {
				return
			}
		}
	}
}

func TestTheFaultOfOnePoolIsNotThatOfAnother(t *testing.T) {
	tr := newTracker(time.Minute, time.Minute)
	fail := func(s State, key, text string, at time.Time) {
		tr.fail(&Pass{step: step{s, key}, began: at}, text, at)
	}
	fail(MCCSyncMachineConfigPool, "worker", "no such config", epoch)
	fail(MCCSyncMachineConfigPool, "master", "no such image", epoch.Add(time.Second))
	now := epoch.Add(2 * time.Minute)
	assert.Equal(t, "master: no such image; and 1 more error", tr.degraded(nil, now).Message, "the newest")
	tr.succeed(&Pass{step: step{MCCSyncMachineConfigPool, "master"}}, now)
	assert.Equal(t, "worker: no such config", tr.degraded(nil, now).Message)
	tr.forget(step{MCCSyncMachineConfigPool, "worker"}, now)
	assert.Equal(t, "Last error, resolved 2026-05-22T12:02:00Z, in SyncMCCMachineConfigPool: worker: no such config", tr.degraded(nil, now).Message)
}

func TestTheTrackerIsBounded(t *testing.T) {
	tr := newTracker(time.Minute, time.Minute)
	for i := range 5000 {
		p := &Pass{step: step{MCCSyncMachineConfigPool, fmt.Sprint(i)}, began: epoch}
		tr.begin(p)
		if i%2 == 0 {
			tr.fail(p, "x", epoch)
		}
	}
	assert.Len(t, tr.faults, maxFailed)
	assert.Len(t, tr.running, maxRunning)
	now := epoch.Add(time.Hour)
	assert.Len(t, tr.unresolved(now), maxFaults+1, "the last stands for all that there is no room for")
	assert.Contains(t, tr.degraded(nil, now).Message, "; and 64 more errors")
	assert.Equal(t, metav1.ConditionTrue, tr.progressing(now).Status)
	tr.succeed(&Pass{step: step{MCCSyncMachineConfigPool, "0"}}, now)
	tr.fail(&Pass{step: step{MCCSyncMachineConfigPool, "4000"}}, "x", now)
	assert.Contains(t, tr.faults, step{MCCSyncMachineConfigPool, "4000"}, "there was room for one more")
}

// TestTheClockIsSetBack by an hour: nothing waits for that hour again.
func TestTheClockIsSetBack(t *testing.T) {
	tr := newTracker(time.Minute, time.Minute)
	tr.fail(&Pass{step: step{OperatorSync, ""}, began: epoch}, "x", epoch)
	tr.begin(&Pass{step: step{OperatorSyncMCD, ""}, began: epoch})
	tr.adopt(Fault{State: OperatorSyncMCP, Since: metav1.NewTime(epoch)}, epoch)
	now := epoch.Add(-time.Hour)
	tr.advance(now)
	wait, ok := tr.next(now)
	assert.True(t, ok)
	assert.Equal(t, time.Minute, wait)
	now = now.Add(time.Minute)
	tr.advance(now)
	assert.Len(t, tr.unresolved(now), 2)
	assert.NotNil(t, tr.slow(now))
	now = now.Add(adoptedTimeout)
	tr.advance(now)
	assert.Nil(t, tr.adopted.newest)

	l := limiter{min: time.Minute, max: time.Hour}
	l.attempted(epoch)
	assert.Equal(t, time.Minute, l.wait(epoch.Add(-time.Hour)))
	assert.Zero(t, l.wait(epoch.Add(-time.Hour+time.Minute)))

	was := []metav1.Condition{{Type: "A", Status: metav1.ConditionTrue, LastTransitionTime: metav1.NewTime(epoch)}}
	list := []metav1.Condition{{Type: "A", Status: metav1.ConditionFalse}}
	stamp(list, was, nil, epoch.Add(-time.Hour))
	assert.Equal(t, epoch, list[0].LastTransitionTime.Time, "the time of a condition never decreases")
}

// TestLimiter: the attempts of a process that always has something to write.
func TestLimiter(t *testing.T) {
	l := limiter{min: DefaultMinInterval, max: DefaultMaxInterval}
	now := epoch
	var attempts []time.Duration
	for now.Before(epoch.Add(2 * time.Hour)) {
		now = now.Add(max(l.wait(now), 0))
		attempts = append(attempts, now.Sub(epoch))
		l.attempted(now)
	}
	seconds := []time.Duration{0, 30, 90, 210, 450, 930, 1530, 2130, 2730, 3330, 3930}
	for i, s := range seconds {
		assert.Equal(t, s*time.Second, attempts[i])
	}
	now = now.Add(time.Hour - time.Second)
	l.attempted(now)
	assert.Equal(t, DefaultMaxInterval, l.wait(now), "less than a quiet time")
	now = now.Add(time.Hour)
	l.attempted(now)
	assert.Equal(t, DefaultMinInterval, l.wait(now), "a quiet time")
}

// TestLimiterOfBursts has something to write for a while, then nothing for a while, and so on: that is never more
// than what a process writes that always has something.
func TestLimiterOfBursts(t *testing.T) {
	const day = 24 * time.Hour
	for burst := 1; burst <= 12; burst++ {
		for quiet := 5 * time.Minute; quiet <= 2*time.Hour; quiet += 5 * time.Minute {
			l := limiter{min: DefaultMinInterval, max: DefaultMaxInterval}
			attempts := 0
			for now := epoch; now.Before(epoch.Add(day)); now = now.Add(quiet) {
				for range burst {
					now = now.Add(max(l.wait(now), 0))
					l.attempted(now)
					attempts++
				}
			}
			assert.LessOrEqual(t, attempts, 10+6*23+burst, "bursts of %d, each %s", burst, quiet)
		}
	}
}
