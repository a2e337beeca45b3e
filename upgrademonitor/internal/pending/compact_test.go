package pending

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// watched is what a watcher sees of entries that are written one by one, and what becomes of them.
type watched struct {
	updates []map[string]sight // the versions seen in each update, by what texts and times aside they are
	ends    []string           // the object at the end of each
	moves   map[string]bool    // each change of a status, with its time
	refused map[*Entry]bool
	final   plan.State
}

// sight is what a watcher sees of a version: all of the object at first, and its times at last.
type sight struct{ first, last string }

func watch(s plan.State, entries []*Entry) watched {
	w := watched{updates: []map[string]sight{{}}, moves: map[string]bool{}, refused: map[*Entry]bool{}}
	for _, e := range entries {
		p, err := e.Plan(s, e.Memo)
		if err != nil {
			w.refused[e] = true
			continue
		}
		for _, step := range p.Steps {
			if step.Next.IsTrue(phases.Updated) != s.IsTrue(phases.Updated) || step.Next.Update.Target != s.Update.Target {
				w.updates, w.ends = append(w.updates, map[string]sight{}), append(w.ends, shown(s))
			}
			w.see(step.Next)
			w.addMoves(s, step.Next)
			s = step.Next
		}
		s = p.Final
	}
	w.final, w.ends = s, append(w.ends, shown(s))
	return w
}

func (w watched) see(s plan.State) {
	seen, version := w.updates[len(w.updates)-1], statuses(s)
	current := sight{shown(s), times(s)}
	if before, again := seen[version]; again {
		current.first = before.first
	}
	seen[version] = current
}

func times(s plan.State) string {
	var text string
	for _, c := range s.Object.Status.Conditions {
		text += fmt.Sprintln(c.Type, c.LastTransitionTime)
	}
	return text
}

func (w watched) addMoves(from, to plan.State) {
	for _, c := range to.Object.Status.Conditions {
		if conditions.StatusOf(from.Object.Status.Conditions, phases.Phase(c.Type)) != c.Status {
			w.moves[fmt.Sprint(c.Type, c.Status, c.LastTransitionTime)] = true
		}
	}
}

func statuses(s plan.State) string {
	status := s.Object.Status
	text := fmt.Sprintf("%v %v", s.Object.Spec, status.ConfigImage)
	if status.ConfigVersion != nil {
		text += fmt.Sprintf(" %v", *status.ConfigVersion)
	}
	for _, c := range status.Conditions {
		text += fmt.Sprintf(" %s=%s", c.Type, c.Status)
	}
	for _, set := range status.PinnedImageSets {
		text += fmt.Sprintf(" %s:%d/%d/%d", set.Name, set.DesiredGeneration, set.CurrentGeneration, set.LastFailedGeneration)
	}
	return text
}

func shown(s plan.State) string {
	text := statuses(s)
	for _, c := range s.Object.Status.Conditions {
		text += fmt.Sprintf("\n%s %s %s %s", c.Type, c.Reason, c.Message, c.LastTransitionTime)
	}
	return text + fmt.Sprint(s.Object.OwnerReferences, s.Object.Status.PinnedImageSets, s.Update)
}

// requireSameToWatchers compares a compacted run with one of all.
func requireSameToWatchers(t *testing.T, start plan.State, all, kept []*Entry) {
	t.Helper()
	want, got := watch(start, all), watch(start, kept)
	require.Equal(t, shown(want.final), shown(got.final), "the final object")
	require.Equal(t, want.updates, got.updates, "the versions in each update, first and last")
	require.Equal(t, want.ends, got.ends, "the end of each update")
	for _, e := range kept {
		require.Equal(t, want.refused[e], got.refused[e], "%s is refused", e)
	}
	for move := range got.moves {
		require.Contains(t, slices.Collect(maps.Keys(want.moves)), move, "a time that nothing had")
	}
}

// The random sequences that are compacted: among them one that shows each bug of the comparison.
var chats = []uint64{9, 10, 11, 12, 13, 34, 230}

func testCompaction(t *testing.T, known bool) {
	dropped, total := 0, 0
	for _, seed := range chats {
		r := seeded(seed)
		start := r.start()
		var q Queue
		if known {
			q.Predict(start)
		}
		var all []*Entry
		for _, in := range r.chat(150) {
			memo := plan.Memo{InUpdate: known && r.IntN(2) == 0 && q.Len() > 0 && !q.Predict(start).IsTrue(phases.Updated)}
			e, err := q.Push(in, memo)
			if err != nil {
				break
			}
			all = append(all, e)
			for i := range all {
				if r.IntN(4) > 0 || i == 0 { // most callers return at once, some later
					q.Abandon(all[len(all)-1-i])
					break
				}
			}
			if r.IntN(2) > 0 {
				compact(&q)
			}
		}
		if seed%2 == 0 {
			for _, e := range all {
				q.Abandon(e)
			}
		}
		compact(&q)
		func() {
			defer func() {
				if t.Failed() {
					t.Logf("seed %d", seed)
				}
			}()
			requireSameToWatchers(t, start, all, q.entries)
			if known {
				requireChain(t, &q, start)
			}
		}()
		dropped, total = dropped+len(all)-q.Len(), total+len(all)
	}
	t.Logf("%d of %d were dropped", dropped, total)
	assert.Greater(t, dropped, total/20, "nothing was compacted, nothing is tested")
}

// requireChain checks that the predictions are those of planning one by one.
func requireChain(t *testing.T, q *Queue, s plan.State) {
	t.Helper()
	got := q.Predict(s)
	for _, e := range q.entries {
		if p, err := e.Plan(s, e.Memo); err == nil {
			s = p.Final
		}
		require.Equal(t, shown(s), shown(e.after), e)
	}
	require.Equal(t, shown(s), shown(got))
}

func TestCompactionFromAKnownStart(t *testing.T)    { testCompaction(t, true) }
func TestCompactionFromAnUnknownStart(t *testing.T) { testCompaction(t, false) }

// requests names what is in a queue.
func requests(q *Queue) []string {
	var all []string
	for _, e := range q.entries {
		all = append(all, e.String())
	}
	return all
}

func repeated(n int, loop ...plan.Report) []plan.Intent {
	var all []plan.Intent
	for i := range n {
		for j, r := range loop {
			second := 10 + i*len(loop) + j
			r.Message, r.Time = fmt.Sprint("at ", second), at(second)
			all = append(all, r)
		}
	}
	return all
}

func asked(p phases.Phase, status metav1.ConditionStatus) plan.Report {
	return report(p, status, 0, configB)
}

func TestWhatIsLeftOfLoops(t *testing.T) {
	begin, prepared := asked(phases.Updated, no), asked(phases.UpdatePrepared, done)
	for name, tc := range map[string]struct {
		loop []plan.Report
		left int
	}{
		"a retry":                        {[]plan.Report{asked(phases.Drained, running)}, compactFrom - 1},
		"done and retried":               {[]plan.Report{asked(phases.Drained, running), asked(phases.Drained, done)}, compactFrom + 1},
		"of two coalesce keys":           {[]plan.Report{asked(phases.Drained, running), asked(phases.NodeDegraded, done)}, compactFrom - 1},
		"a whole sync":                   {[]plan.Report{begin, prepared, asked(phases.Cordoned, done), asked(phases.Drained, running), asked(phases.NodeDegraded, done)}, compactFrom + 1},
		"a child, its sibling, a parent": {[]plan.Report{asked(phases.Cordoned, done), asked(phases.Drained, running), asked(phases.UpdateExecuted, running)}, compactFrom + 3},
	} {
		t.Run(name, func(t *testing.T) {
			var q Queue
			q.Predict(upToDate(t))
			pushAbandoned(t, &q, begin, prepared)
			pushAbandoned(t, &q, repeated(100, tc.loop...)...)
			assert.LessOrEqual(t, q.Len(), tc.left)
		})
	}
}

// What begins or ends an update stays, and so does each version of one.
func TestNoUpdateIsLost(t *testing.T) {
	update := []plan.Report{asked(phases.Updated, no), asked(phases.UpdatePrepared, done), asked(phases.Updated, done)}
	toggle := []plan.Report{report(phases.Updated, no, 0, configB), report(phases.Updated, no, 0, configC)}
	unannounced := []plan.Report{report(phases.UpdatePrepared, running, 0, configB), report(phases.UpdatePrepared, running, 0, configC)}
	for _, loop := range [][]plan.Report{update, toggle, unannounced} {
		for _, known := range []bool{true, false} {
			var q Queue
			if known {
				q.Predict(upToDate(t))
			}
			all := repeated(80/len(loop), loop...)
			pushAbandoned(t, &q, all...)
			assert.Len(t, requests(&q), len(all))
		}
	}
}

func TestEqualReportsKeepTheTimeOfTheFirst(t *testing.T) {
	var q Queue
	start := upToDate(t)
	q.Predict(start)
	pushAbandoned(t, &q, asked(phases.Updated, no))
	pushAbandoned(t, &q, repeated(100, asked(phases.Drained, running))...)
	c := conditions.Find(q.Predict(start).Object.Status.Conditions, phases.Drained)
	assert.Equal(t, at(10), c.LastTransitionTime)
	assert.Equal(t, "at 109", c.Message, "the text is that of the last")
}

// A generation that was done, and a failure, are seen, however many reports of others follow.
func TestImageSetsThatWereDoneOrFailedAreSeen(t *testing.T) {
	sets := func(second int, set plan.ImageSet) plan.Intent {
		return plan.ImageSets{Report: report("", "", second, configA), NodeName: "worker-0", Sets: []plan.ImageSet{set}}
	}
	for _, known := range []bool{true, false} {
		var q Queue
		start := upToDate(t)
		if known {
			q.Predict(start)
		}
		pushAbandoned(t, &q, asked(phases.NodeDegraded, no),
			sets(1, plan.ImageSet{Name: "a", Generation: 1, Done: true}),
			sets(2, plan.ImageSet{Name: "a", Generation: 2, Failure: "full"}),
			sets(3, plan.ImageSet{Name: "a", Generation: 3, Done: true}))
		for second := range 200 {
			pushAbandoned(t, &q, sets(4+second, plan.ImageSet{Name: "a", Generation: 3, Done: true}))
		}
		assert.Less(t, q.Len(), compactFrom)
		seen := map[string]bool{}
		for s := start; q.Len() > 0; {
			head := q.Head()
			p, err := head.Plan(s, head.Memo)
			require.NoError(t, err)
			s = p.Final
			for _, set := range s.Object.Status.PinnedImageSets {
				seen[fmt.Sprintf("done %d, failed %d", set.CurrentGeneration, set.LastFailedGeneration)] = true
			}
			q.Finish(head, nil)
		}
		for _, want := range []string{"done 1, failed 0", "done 1, failed 2", "done 3, failed 0"} {
			assert.Contains(t, seen, want)
		}
	}
}

// A spec stays in front of the status that it validates.
func TestSpecStaysInFrontOfItsStatus(t *testing.T) {
	spec := func(desired string) plan.Intent {
		return plan.Spec{Pool: "worker", Node: plan.Node{CurrentConfig: configA, DesiredConfig: desired}}
	}
	for _, known := range []bool{true, false} {
		var q Queue
		if known {
			q.Predict(upToDate(t))
		}
		pushAbandoned(t, &q, asked(phases.NodeDegraded, no), spec(configB), asked(phases.Updated, no), asked(phases.UpdatePrepared, done))
		for range 100 {
			pushAbandoned(t, &q, spec(configB))
		}
		left := requests(&q)
		assert.Less(t, len(left), compactFrom)
		assert.Equal(t, []string{"report NodeDegraded=False", "spec", "report Updated=False", "report UpdatePrepared=True", "spec"}, left[:5])
	}
}

func TestHeadAndWaitedForStay(t *testing.T) {
	var q Queue
	q.Predict(upToDate(t))
	pushAbandoned(t, &q, asked(phases.Updated, no))
	deferred := push(t, &q, plan.Spec{Pool: "infra"})
	require.False(t, q.Abandon(deferred))
	q.Finish(q.Head(), nil)
	q.Defer(deferred, true)
	all := repeated(100, asked(phases.Drained, running))
	pushAbandoned(t, &q, all[:2]...)
	head := q.Head()
	waits := push(t, &q, all[2])
	pushAbandoned(t, &q, all[3:]...)
	assert.Less(t, q.Len(), compactFrom)
	for _, e := range []*Entry{deferred, head, waits} {
		assert.Contains(t, q.entries, e)
	}
	assert.Same(t, head, q.Head())
	assert.True(t, q.Finish(waits, nil), "its caller learns of it")
	assert.False(t, q.Finish(head, nil))
}

// The head may be on its way to the API server, and what it repeats may have been deferred.
func TestHeadBehindADeferredEntryStays(t *testing.T) {
	var q Queue
	q.Predict(upToDate(t))
	var specs []*Entry
	for range 2 * compactFrom {
		specs = append(specs, push(t, &q, plan.Spec{Pool: "infra"}))
	}
	q.Defer(specs[0], true)
	q.Defer(specs[1], true)
	head := q.Head()
	for _, e := range specs {
		q.Abandon(e)
	}
	compact(&q)
	assert.Less(t, q.Len(), compactFrom)
	assert.Same(t, head, q.Head())
	assert.False(t, isDone(head))
}

// A caller that never stops is never refused.
func TestChattyCallersAreNeverRefused(t *testing.T) {
	loop := []plan.Report{asked(phases.Drained, running), asked(phases.Drained, done)}
	for _, known := range []bool{true, false} {
		for _, atOnce := range []int{1, 2, 16, 300} {
			t.Run(fmt.Sprintf("%d callers, known start %t", atOnce, known), func(t *testing.T) {
				var q Queue
				start := upToDate(t)
				if known {
					q.Predict(start)
				}
				pushAbandoned(t, &q, asked(phases.Updated, no))
				var waiting []*Entry
				for _, in := range repeated(map[bool]int{true: 350, false: 130}[known], loop...) {
					waiting = append(waiting, push(t, &q, in))
					if len(waiting) < atOnce {
						continue
					}
					for _, e := range waiting[:max(1, atOnce/2)] {
						q.Abandon(e)
					}
					compact(&q)
					waiting = waiting[max(1, atOnce/2):]
				}
				assert.Less(t, q.Len(), compactFrom+2*atOnce+8)
			})
		}
	}
}

// Until the queue is long, nothing is dropped: one update in an outage is written as it was.
func TestShortQueueIsLeftAsItIs(t *testing.T) {
	var q Queue
	q.Predict(upToDate(t))
	pushAbandoned(t, &q, repeated(compactFrom-1, asked(phases.Drained, running))...)
	assert.Equal(t, compactFrom-1, q.Len())
}
