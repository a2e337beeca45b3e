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

// recorded are the passes of a process, with an inertia of two minutes.
type recorded struct {
	faults  faults
	running running
}

func newRecorded() *recorded {
	return &recorded{faults{inertia: 2 * time.Minute, open: map[step]*fault{}}, running{after: 2 * time.Minute, passes: map[step]*pass{}}}
}

func (r *recorded) fail(s State, key, text string, at time.Time) {
	r.faults.failed(&pass{step{s, key}, at}, text, at)
}

// degraded returns the same for any order of the maps.
func (r *recorded) degraded(t *testing.T, was *metav1.Condition, now time.Time) metav1.Condition {
	c := r.faults.degraded(was, now)
	for range 3 {
		if again := r.faults.degraded(was, now); again != c {
			assert.Equal(t, c, again)
		}
	}
	return c
}

// TestDegradedFollowsFromUnresolvedErrors: passes of several states and keys begin and end in any order.
// Degraded is True exactly when an unresolved error is older than the inertia, and Progressing exactly when
// a pass takes long.
func TestDegradedFollowsFromUnresolvedErrors(t *testing.T) {
	t.Parallel()
	var steps []step
	for _, s := range []State{OperatorSync, OperatorSyncMCD, OperatorSyncMCP, MetricsSync} {
		for _, key := range []string{"", "worker", "master"} {
			steps = append(steps, step{s, key})
		}
	}
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 1))
		r, now := newRecorded(), epoch
		failed, running := map[step]time.Time{}, map[step]*pass{} // since when
		for range 200 {
			now = now.Add(time.Duration(random.IntN(40)) * time.Second)
			s := steps[random.IntN(len(steps))]
			p := running[s]
			if p == nil {
				running[s] = &pass{s, now}
				r.running.begin(running[s])
			} else {
				r.running.end(p)
				delete(running, s)
			}
			switch n := random.IntN(10); {
			case p == nil:
			case n == 0:
				r.faults.forget(s)
				delete(failed, s)
			case n < 5:
				r.faults.passed(s)
				delete(failed, s)
			default:
				r.faults.failed(p, fmt.Sprint("error ", random.IntN(3)), now)
				if failed[s].IsZero() {
					failed[s] = now
				}
			}
			degraded, slow := false, false
			for _, since := range failed {
				degraded = degraded || now.Sub(since) >= r.faults.inertia
			}
			for _, p := range running {
				slow = slow || now.Sub(p.began) >= r.running.after
			}
			assert.Equal(t, degraded, r.degraded(t, nil, now).Status == metav1.ConditionTrue, "seed %d", seed)
			progressing := r.running.progressing(now)
			assert.Equal(t, slow, progressing.Status == metav1.ConditionTrue, "seed %d", seed)
			assert.Equal(t, progressing, r.running.progressing(now), "seed %d: the order of maps", seed)
			if t.Failed() {
				return
			}
		}
	}
}

func TestTheFaultOfOnePoolIsNotThatOfAnother(t *testing.T) {
	r, now := newRecorded(), epoch.Add(3*time.Minute)
	r.fail(MCCSyncMachineConfigPool, "worker", "no such config", epoch)
	r.fail(MCCSyncMachineConfigPool, "master", "no such image", epoch.Add(time.Second))
	assert.Equal(t, "master: no such image; and 1 more", r.degraded(t, nil, now).Message, "the newest")
	r.faults.passed(step{MCCSyncMachineConfigPool, "master"})
	assert.Equal(t, "worker: no such config", r.degraded(t, nil, now).Message)
	r.faults.forget(step{MCCSyncMachineConfigPool, "worker"})
	assert.Equal(t, metav1.ConditionFalse, r.degraded(t, nil, now).Status)
}

// TestASyncShowsItsFailedStep: the success of the step changes nothing until the sync has ended.
func TestASyncShowsItsFailedStep(t *testing.T) {
	r, now := newRecorded(), epoch.Add(3*time.Minute)
	r.fail(OperatorSyncMCP, "", "no such pool", epoch)
	r.fail(OperatorSync, "", "sync failed: no such pool", epoch)
	want := metav1.Condition{Status: metav1.ConditionTrue, Reason: "OperatorSyncMCPFailed", Message: "no such pool"}
	assert.Equal(t, want, r.degraded(t, nil, now), "one error")
	r.faults.passed(step{OperatorSyncMCP, ""})
	assert.Equal(t, want, r.degraded(t, nil, now))
	r.fail(OperatorSync, "", "canceled", now)
	assert.Equal(t, "OperatorSyncFailed", r.degraded(t, nil, now).Reason, "no step has failed in this sync")
	r.fail(OperatorSyncMCP, "old", "no such pool", epoch)
	r.fail(OperatorSync, "", "canceled", now)
	assert.Equal(t, "canceled; and 1 more", r.degraded(t, nil, now).Message, "nor has this one")
	r.faults.forget(step{OperatorSyncMCP, "old"})
	r.faults.passed(step{OperatorSync, ""})
	assert.Equal(t, metav1.ConditionFalse, r.degraded(t, nil, now).Status)
}

// TestTheRecordIsBounded: with more than 64 errors at a time, one still follows another.
func TestTheRecordIsBounded(t *testing.T) {
	t.Parallel()
	r, now := newRecorded(), epoch
	for i := range 5000 {
		p := &pass{step{MCCSyncMachineConfigPool, fmt.Sprint(i % 500)}, epoch}
		r.running.begin(p)
		r.running.begin(&pass{step{MCCSyncMachineConfigPool, fmt.Sprint("never ends ", i)}, epoch})
		r.faults.failed(p, "x", now)
		now = now.Add(time.Second)
	}
	assert.Len(t, r.faults.open, maxFaults)
	assert.Len(t, r.running.passes, maxRunning)
	assert.Contains(t, r.degraded(t, nil, now).Message, "; and 63 more")
	for i := range 500 {
		r.faults.passed(step{MCCSyncMachineConfigPool, fmt.Sprint(i)})
	}
	assert.Equal(t, metav1.ConditionFalse, r.degraded(t, nil, now).Status)
}

// TestAStepThatBeginsAgain runs until its second pass has ended.
func TestAStepThatBeginsAgain(t *testing.T) {
	r := newRecorded()
	first, second := &pass{step{OperatorSyncMCD, ""}, epoch}, &pass{step{OperatorSyncMCD, ""}, epoch}
	r.running.begin(first)
	r.running.begin(second)
	r.running.end(first)
	assert.Equal(t, metav1.ConditionTrue, r.running.progressing(epoch.Add(time.Hour)).Status)
	r.running.end(second)
	assert.Equal(t, metav1.ConditionFalse, r.running.progressing(epoch.Add(time.Hour)).Status)
}

// TestInherited: what an earlier process has published lasts until this one knows more.
func TestInherited(t *testing.T) {
	published := metav1.Condition{Type: "Degraded", Status: metav1.ConditionTrue, Reason: "OperatorSyncMCDFailed", Message: "old; and 3 more"}
	for name, tc := range map[string]struct {
		events func(*recorded)
		after  time.Duration
		want   string
	}{
		"nothing":                 {func(*recorded) {}, 9 * time.Minute, "old; and 3 more"},
		"ten minutes":             {func(*recorded) {}, 10 * time.Minute, ""},
		"a step":                  {func(r *recorded) { r.faults.passed(step{OperatorSyncMCD, ""}) }, 9 * time.Minute, "old; and 3 more"},
		"a sync":                  {func(r *recorded) { r.faults.passed(step{OperatorSync, ""}) }, 0, ""},
		"a new error":             {func(r *recorded) { r.fail(OperatorSyncMCP, "", "new", epoch) }, time.Minute, "old; and 3 more"},
		"an error that lasts":     {func(r *recorded) { r.fail(OperatorSyncMCP, "", "new", epoch) }, 2 * time.Minute, "new"},
		"an error in ten minutes": {func(r *recorded) { r.fail(OperatorSyncMCP, "", "new", epoch.Add(9*time.Minute)) }, 10 * time.Minute, "old; and 3 more"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRecorded()
			r.faults.inherited = epoch
			tc.events(r)
			assert.Equal(t, tc.want, r.degraded(t, &published, epoch.Add(tc.after)).Message)
		})
	}
	r := newRecorded()
	r.faults.inherited = epoch
	r.fail(OperatorSyncMCP, "", "new", epoch)
	own := r.degraded(t, &published, epoch.Add(2*time.Minute))
	r.faults.passed(step{OperatorSyncMCP, ""})
	assert.Equal(t, metav1.ConditionFalse, r.degraded(t, &own, epoch.Add(3*time.Minute)).Status, "it has taken the place")

	r = newRecorded()
	starting := r.degraded(t, nil, epoch)
	assert.Equal(t, metav1.ConditionUnknown, starting.Status)
	assert.Equal(t, starting, r.degraded(t, &starting, epoch.Add(time.Hour)))
	r.faults.passed(step{OperatorSyncMCD, ""})
	assert.Equal(t, metav1.ConditionFalse, r.degraded(t, &starting, epoch).Status)
}

// TestTheClockIsSetBack by an hour: the durations of a process are of the monotonic clock.
func TestTheClockIsSetBack(t *testing.T) {
	back := epoch.Add(-time.Hour)
	was := metav1.Condition{Status: metav1.ConditionTrue, LastTransitionTime: metav1.NewTime(epoch)}
	c := metav1.Condition{Status: metav1.ConditionFalse}
	assert.Equal(t, epoch, transitionTime(c, &was, nil, back).Time, "the time of a condition never decreases")
}

// TestPace: the attempts of a process that always has something to write, and of one that has it in bursts, which
// are never more.
func TestPace(t *testing.T) {
	const shortest, longest = 30 * time.Second, 10 * time.Minute
	attempt := func(p *pace, now *time.Time) time.Duration {
		*now = now.Add(max(p.wait(*now), 0))
		p.written(*now, shortest, longest)
		return now.Sub(epoch)
	}
	p, now := pace{}, epoch
	for _, s := range []time.Duration{0, 30, 90, 210, 450, 930, 1530, 2130, 2730, 3330, 3930} {
		assert.Equal(t, s*time.Second, attempt(&p, &now))
	}
	const day = 24 * time.Hour
	for burst := 1; burst <= 12; burst++ {
		for quiet := 5 * time.Minute; quiet <= 2*time.Hour; quiet += 5 * time.Minute {
			p, attempts := pace{}, 0
			for now := epoch; now.Before(epoch.Add(day)); now = now.Add(quiet) {
				for range burst {
					attempt(&p, &now)
					attempts++
				}
			}
			assert.LessOrEqual(t, attempts, 10+6*23+burst, "bursts of %d, each %s", burst, quiet)
		}
	}
}
