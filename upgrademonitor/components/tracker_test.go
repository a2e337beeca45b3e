package components

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var epoch = time.Date(2026, 5, 22, 12, 0, 0, 0, time.UTC)

// failed records a pass that fails at once.
func (t *tracker) failed(s State, key, text string, at time.Time) {
	t.fail(t.start(stateKey{s, key}, at), text, at)
}

// succeeds records a pass that succeeds at once.
func (t *tracker) succeeds(s State, at time.Time) {
	t.succeed(t.start(stateKey{state: s}, at))
}

// For random passes that overlap, Degraded is True if, and only if, an error has been unresolved for 2 minutes, a pass has
// run for 30 minutes, or a pass of 30 minutes has failed. Progressing is True if, and only if, a pass has run for 2 minutes.
func TestOnlyASuccessOfTheSameStepResolvesAnError(t *testing.T) {
	t.Parallel()
	for seed := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, 1))
		tr, now := newTracker(Operator), epoch
		var open []*pass
		failed, before := map[stateKey]time.Time{}, []metav1.Condition(nil)
		for range 200 {
			now = now.Add(time.Duration(random.IntN(60)) * time.Second)
			s := stateKey{[]State{OperatorSync, OperatorSyncMCD, OperatorSyncMCP, MetricsSync}[random.IntN(4)], []string{"", "worker", "master"}[random.IntN(3)]}
			switch n := random.IntN(20); {
			case n < 10:
				open = append(open, tr.start(s, now))
			case n == 10:
				tr.forget(s)
				delete(failed, s)
				open = slices.DeleteFunc(open, func(p *pass) bool { return p.stateKey == s })
			case len(open) > 0:
				i := random.IntN(len(open))
				p := open[i]
				open = slices.Delete(open, i, i+1)
				if n >= 14 {
					tr.succeed(p)
					delete(failed, p.stateKey)
				} else {
					tr.fail(p, fmt.Sprint("error ", n), now)
					since := now
					if now.Sub(p.started) >= 30*time.Minute {
						since = now.Add(-2 * time.Minute)
					}
					failed[p.stateKey] = cmp.Or(failed[p.stateKey], since)
				}
			}
			isDegraded, isProgressing := false, false
			for _, since := range failed {
				isDegraded = isDegraded || now.Sub(since) >= 2*time.Minute
			}
			for _, p := range open {
				isDegraded = isDegraded || now.Sub(p.started) >= 30*time.Minute
				isProgressing = isProgressing || now.Sub(p.started) >= 2*time.Minute
			}
			after := tr.conditions(before, epoch, now)
			assert.True(t, slices.Equal(after, tr.conditions(before, epoch, now)), "seed %d: a second call must return the same conditions", seed)
			assert.True(t, slices.Equal(after, tr.conditions(after, epoch, now)), "seed %d: the conditions must not change without an event", seed)
			before = after
			assert.Equal(t, isDegraded, find(after, TypeOf(Operator, Degraded)).Status == metav1.ConditionTrue, "seed %d", seed)
			assert.Equal(t, isProgressing, find(after, TypeOf(Operator, Progressing)).Status == metav1.ConditionTrue, "seed %d", seed)
			if t.Failed() {
				return
			}
		}
	}
}

// A State that is not valid in a reason becomes Errored. A key of up to 253 bytes, like the name of an object, is kept. Long
// keys that differ only at their ends stay different after they are truncated.
func TestAStepHasAValidNameAndAShortKey(t *testing.T) {
	for state, want := range map[State]State{
		OperatorSyncConfigMaps: "OperatorSyncConfigmaps", "OperatorSyncEverything": "OperatorSyncEverything",
		"": Errored, "Two\nLines": Errored, State(strings.Repeat("a", 1<<20)): Errored,
	} {
		assert.Equal(t, want, newStateKey(state, "").state)
	}
	name, long := strings.Repeat("a", 253), strings.Repeat("a", 1<<20)
	assert.Equal(t, name, newStateKey(OperatorSyncMCP, name).key)
	assert.NotEqual(t, newStateKey(OperatorSyncMCP, long+"1"), newStateKey(OperatorSyncMCP, long+"2"))
	assert.Len(t, newStateKey(OperatorSyncMCP, long).key, 253)
}

// At most 64 errors are kept. Their texts are updated, but further errors are not kept.
func TestTheFirst64ErrorsAreKept(t *testing.T) {
	tr, now := newTracker(Controller), epoch
	for i := range 5000 {
		tr.failed(MCCSyncMachineConfigPool, fmt.Sprint(i%500), "x", now)
		now = now.Add(time.Second / 10)
	}
	assert.Len(t, tr.errors, 64)
	tr.failed(MCCSyncMachineConfigPool, "0", "another", now)
	assert.Equal(t, "0: another", tr.errors[stateKey{MCCSyncMachineConfigPool, "0"}].message)
	assert.Contains(t, tr.degraded(metav1.Condition{}, now).Message, "; and 63 more")
}

// Degraded=True of an earlier process stays until a whole sync has succeeded, an error of this process is shown, or ten
// minutes have passed without an error.
func TestDegradedOfAnEarlierProcessStays(t *testing.T) {
	published := condition(metav1.ConditionTrue, "OperatorSyncMCDFailed", "old; and 3 more")
	const resolved = "Last error, resolved "
	for name, tc := range map[string]struct {
		events func(*tracker)
		after  time.Duration
		want   string
	}{
		"no event":                       {func(*tracker) {}, 9 * time.Minute, "old; and 3 more"},
		"ten minutes":                    {func(*tracker) {}, 10 * time.Minute, resolved},
		"a step succeeds":                {func(tr *tracker) { tr.succeeds(OperatorSyncMCD, epoch) }, 9 * time.Minute, "old; and 3 more"},
		"a whole sync succeeds":          {func(tr *tracker) { tr.succeeds(OperatorSync, epoch) }, 0, resolved},
		"a new error":                    {func(tr *tracker) { tr.failed(OperatorSyncMCP, "", "new", epoch) }, time.Minute, "old; and 3 more"},
		"a new error that lasts":         {func(tr *tracker) { tr.failed(OperatorSyncMCP, "", "new", epoch) }, 2 * time.Minute, "new"},
		"a new error after nine minutes": {func(tr *tracker) { tr.failed(OperatorSyncMCP, "", "new", epoch.Add(9*time.Minute)) }, 10 * time.Minute, "old; and 3 more"},
		"the same error again, which is then resolved": {func(tr *tracker) {
			tr.failed(OperatorSyncMCD, "", "old", epoch)
			tr.degraded(published, epoch.Add(2*time.Minute)) // shows the error
			tr.succeeds(OperatorSyncMCD, epoch.Add(3*time.Minute))
		}, 3 * time.Minute, resolved},
		"an error that does not last": {func(tr *tracker) {
			tr.failed(OperatorSyncMCP, "", "new", epoch)
			tr.succeeds(OperatorSyncMCP, epoch.Add(time.Minute))
		}, 3 * time.Minute, "old; and 3 more"},
		"a whole sync succeeds, and then another step": {func(tr *tracker) {
			tr.succeeds(OperatorSync, epoch)
			tr.succeeds(MetricsSync, epoch)
		}, 0, resolved},
	} {
		tr := newTracker(Operator)
		tr.readAt = epoch
		tc.events(tr)
		message := tr.degraded(published, epoch.Add(tc.after)).Message
		assert.True(t, strings.HasPrefix(message, tc.want), "%s: %s", name, message)
	}
}

// The age of the object and its conditions decide whether the cluster is new.
func TestANewClusterIsBootstrapping(t *testing.T) {
	of := func(name string, status metav1.ConditionStatus) []metav1.Condition {
		return []metav1.Condition{{Type: name, Status: status}}
	}
	bootstrap := TypeOf(Bootstrap, Progressing)
	for name, tc := range map[string]struct {
		age    time.Duration
		before []metav1.Condition
		want   metav1.ConditionStatus
	}{
		"a new cluster": {time.Minute, nil, "True"},
		"a new cluster, with conditions of other clients": {time.Minute, of("BootImageUpdateDegraded", "False"), "True"},
		"a clock that is behind the API server's":         {-5 * time.Minute, nil, "True"},
		"a restart during a bootstrap of many hours":      {5 * time.Hour, of(bootstrap, "True"), "True"},
		"a restart after the bootstrap":                   {10 * time.Minute, of(bootstrap, "False"), "False"},
		"the first start on an older cluster":             {time.Hour, of("BootImageUpdateDegraded", "False"), ""},
	} {
		after := newTracker(Operator).conditions(tc.before, epoch.Add(-tc.age), epoch)
		assert.Equal(t, tc.want, find(after, TypeOf(Bootstrap, Progressing)).Status, name)
	}
	synced := newTracker(Operator)
	synced.succeeds(OperatorSync, epoch)
	message := find(synced.conditions(nil, epoch.Add(5*time.Minute), epoch), TypeOf(Bootstrap, Progressing)).Message
	assert.Equal(t, "Completed at 2026-05-22T12:00:00Z, after 0s", message, "the duration is not negative if our clock is behind the API server's clock")
	now := epoch.Add(400 * time.Millisecond).In(time.FixedZone("", 3600))
	after := synced.conditions(of(bootstrap, "True"), epoch.Add(-5*time.Hour), now)
	assert.Equal(t, metav1.ConditionFalse, find(after, bootstrap).Status, "a bootstrap of many hours ends with the first sync")
	assert.Equal(t, "Completed at 2026-05-22T12:00:00Z, after 5h0m0s", find(after, bootstrap).Message, "in UTC, and in seconds")
	after = newTracker(Operator).conditions(nil, time.Time{}, epoch)
	assert.Equal(t, metav1.ConditionTrue, find(after, TypeOf(Bootstrap, Progressing)).Status, "an object without a creation time, as in a fake clientset, is new")
}

// A message has one line and at most 384 bytes. The end of a long text is kept, because it usually names the cause.
func TestAMessageIsOneShortLine(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "timed out": "timed out", " a\n\tb\r\n c ": "a b c", "\x1b[31mred\x1b[0m": "[31mred [0m", "a\xffb": "a\uFFFDb", "left \u202eright": "left right",
	} {
		assert.Equal(t, want, oneLine(text), "%q", text)
	}
	for _, long := range []string{strings.Repeat("a", 1<<20), strings.Repeat("世界", 2000), strings.Repeat("a\n", 2000)} {
		short := oneLine("start " + long + " end")
		assert.True(t, strings.HasPrefix(short, "start ") && strings.Contains(short, "… [truncated]") && strings.HasSuffix(short, " end"))
		assert.LessOrEqual(t, len(short), 384)
		assert.Equal(t, short, oneLine(short))
	}
}
