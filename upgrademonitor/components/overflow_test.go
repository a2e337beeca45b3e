package components

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestNoFailingKeyIsLost has more keys fail than there is room for: Degraded stays True until the last
// of them succeeds, whatever the order.
func TestNoFailingKeyIsLost(t *testing.T) {
	for _, keys := range []int{maxFaults + 1, maxFaults + 2, 5 * maxFaults} {
		random := rand.New(rand.NewPCG(1, uint64(keys)))
		tr := newTracker(time.Minute, time.Minute)
		for i := range keys {
			tr.fail(poolPass(i), "timed out", epoch)
		}
		now := epoch.Add(time.Hour)
		order := random.Perm(keys)
		for n, i := range order {
			degraded := tr.degraded(nil, now)
			assert.Equal(t, metav1.ConditionTrue, degraded.Status, "%d of %d have succeeded", n, keys)
			tr.succeed(poolPass(i), now)
			if n+1 < keys {
				tr.fail(poolPass(order[n+1]), "timed out", now)
				assert.Contains(t, tr.unresolvedKeys(now), fmt.Sprint(order[n+1]), "what fails is shown, or shares what is shown")
			}
		}
		degraded := tr.degraded(nil, now)
		assert.Equal(t, metav1.ConditionFalse, degraded.Status, "all of %d have succeeded", keys)
		assert.Equal(t, fmt.Sprintf("Last error, resolved 2026-05-22T13:00:00Z, in SyncMCCMachineConfigPool: %d: timed out", order[keys-1]), degraded.Message)
		assert.Empty(t, tr.faults)
	}
}

func poolPass(i int) *Pass {
	return &Pass{step: step{MCCSyncMachineConfigPool, fmt.Sprint(i)}, began: epoch}
}

func (t *tracker) unresolvedKeys(now time.Time) []string {
	var keys []string
	for s, f := range t.faults {
		if f.isPersisted(now, t.persist) {
			keys = append(keys, s.key)
		}
	}
	return keys
}

// TestTheSharedErrorDoesNotChange has what there is no room for fail in turn: the text stays that of one step
// until it succeeds.
func TestTheSharedErrorDoesNotChange(t *testing.T) {
	tr := newTracker(time.Minute, time.Minute)
	for i := range maxFaults + 3 {
		tr.fail(poolPass(i), "timed out", epoch.Add(time.Duration(i)*time.Second))
	}
	now := epoch.Add(time.Hour)
	want := tr.degraded(nil, now)
	assert.Equal(t, "64: timed out; and 64 more errors", want.Message)
	for i := range maxFaults + 3 {
		tr.fail(poolPass(i), "timed out", now)
		assert.Equal(t, want, tr.degraded(nil, now))
	}
	tr.succeed(poolPass(64), now)
	tr.fail(poolPass(66), "timed out", now)
	assert.Equal(t, "66: timed out; and 64 more errors", tr.degraded(nil, now).Message)
}
