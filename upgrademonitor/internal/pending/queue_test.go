package pending

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

func isDone(e *Entry) bool {
	select {
	case <-e.Done():
		return true
	default:
		return false
	}
}

func TestFirstInFirstOut(t *testing.T) {
	var q Queue
	assert.Nil(t, q.Head())
	assert.Zero(t, q.Len())
	first, second := push(t, &q, asked(phases.Updated, no)), push(t, &q, asked(phases.Drained, done))
	assert.Same(t, first, q.Head())
	assert.Same(t, first, q.Head(), "until it is finished")
	assert.Equal(t, 2, q.Len())

	assert.False(t, isDone(first))
	assert.True(t, q.Finish(first, nil), "its caller waits")
	assert.True(t, isDone(first))
	require.NoError(t, first.Err())

	assert.False(t, q.Abandon(second), "it is not finished")
	cause := errors.New("invalid")
	assert.False(t, q.Finish(second, cause), "nobody learns of it")
	assert.Equal(t, cause, second.Err())
	assert.True(t, q.Abandon(second), "it is")
	assert.False(t, q.Finish(second, nil), "a second time is nothing")
	assert.Equal(t, cause, second.Err())
	assert.Nil(t, q.Head())
}

func TestPushKeepsTheMemo(t *testing.T) {
	var q Queue
	e, err := q.Push(asked(phases.Updated, no), plan.Memo{InUpdate: true})
	require.NoError(t, err)
	assert.Equal(t, plan.Memo{InUpdate: true}, e.Memo)
	assert.False(t, e.IsSpec())
	assert.True(t, push(t, &q, plan.Spec{}).IsSpec())
}

func TestDeferredEntriesWaitForTheOthers(t *testing.T) {
	var q Queue
	spec, other := push(t, &q, plan.Spec{Pool: "a"}), push(t, &q, plan.Spec{Pool: "b"})
	q.Defer(spec, true)
	assert.True(t, spec.Deferred())
	assert.Same(t, other, q.Head())
	q.Defer(other, true)
	assert.Same(t, spec, q.Head(), "the oldest of those that are left")
	status := push(t, &q, asked(phases.Drained, done))
	assert.Same(t, status, q.Head(), "a new one is first")
	q.Finish(status, nil)
	q.Finish(spec, nil)
	assert.Same(t, other, q.Head())
	push(t, &q, asked(phases.Drained, done))
	q.Defer(other, false)
	assert.False(t, other.Deferred())
	assert.Same(t, other, q.Head(), "it is in its place again")
}

func TestFull(t *testing.T) {
	var q Queue
	distinct := func(i int) plan.Intent { return plan.Spec{Pool: string(rune('a' + i))} }
	for i := range 2 * maxAbandoned {
		push(t, &q, distinct(i)) // those whose callers wait do not count
	}
	for i, e := range append([]*Entry(nil), q.entries...) {
		_, err := q.Push(distinct(1000+i), plan.Memo{})
		if i >= maxAbandoned {
			require.ErrorIs(t, err, ErrFull, i)
			break
		}
		require.NoError(t, err, i)
		q.Abandon(e)
	}
	q.Finish(q.Head(), nil)
	push(t, &q, distinct(5000))
}

// Whatever happens to a queue, its prediction is that of planning one by one, and makes no
// difference to what is in it.
func TestPredictIsPlanningOneByOne(t *testing.T) {
	for seed := range uint64(25) {
		r := seeded(seed)
		var q, blind Queue // blind is never predicted
		base := r.start()
		for i, in := range r.chat(60) {
			push(t, &q, in)
			push(t, &blind, in)
			switch r.IntN(8) {
			case 0: // others write
				if p, err := r.request()(i).Plan(base, plan.Memo{}); err == nil {
					base = p.Final
				}
			case 1: // the head is written
				head := q.Head()
				if p, err := head.Plan(base, head.Memo); err == nil {
					base = p.Final
				}
				q.Finish(head, nil)
				blind.Finish(blind.entries[0], nil)
			case 2: // or a part of it
				head := q.Head()
				if p, err := head.Plan(base, head.Memo); err == nil && len(p.Steps) > 1 {
					base, head.Memo = p.Steps[0].Next, p.Memo
					blind.entries[0].Memo = p.Memo
				}
			case 3: // or dropped
				q.Finish(q.Head(), errors.New("invalid"))
				blind.Finish(blind.entries[0], nil)
			case 4:
				base.NoImageField = !base.NoImageField
			}
			want := base
			for _, e := range blind.entries {
				if p, err := e.Plan(want, e.Memo); err == nil {
					want = p.Final
				}
			}
			before := requests(&q)
			require.Equal(t, shown(want), shown(q.Predict(base)), "seed %d, %d", seed, i)
			require.Equal(t, shown(want), shown(q.Predict(base)), "again")
			require.Equal(t, before, requests(&q))
		}
	}
}

// An entry that was refused leads nowhere, and the rest is predicted as if it were not there.
func TestPredictOfARefusal(t *testing.T) {
	var q Queue
	base := after(t, upToDate(t), asked(phases.Updated, no), asked(phases.Drained, running))
	push(t, &q, asked(phases.Drained, no)) // Unknown to False
	assert.Equal(t, shown(base), shown(q.Predict(base)))
	push(t, &q, asked(phases.Cordoned, done))
	assert.Equal(t, shown(after(t, base, asked(phases.Cordoned, done))), shown(q.Predict(base)))
}

// counting counts how often an intent is planned.
type counting struct {
	plan.Intent
	plans *int
}

func (c counting) Plan(s plan.State, memo plan.Memo) (plan.Plan, error) {
	*c.plans++
	return c.Intent.Plan(s, memo)
}

// Accepting costs the same in a long queue as in a short one.
func TestPredictionsAreKept(t *testing.T) {
	plans := 0
	count := func(during func()) int {
		plans = 0
		during()
		return plans
	}
	counted := func(in plan.Intent) plan.Intent { return counting{Intent: in, plans: &plans} }
	var q Queue
	base := upToDate(t)
	q.Predict(base)
	for i := range 200 { // waited for, so that nothing is dropped
		in := counted(asked(phases.Drained, []plan.Report{asked("", running), asked("", done)}[i%2].Status))
		assert.Equal(t, 1, count(func() { push(t, &q, in) }), "a push")
		assert.Zero(t, count(func() { q.Predict(base) }), "a prediction")
	}
	again := base
	again.Object = base.Object.DeepCopy()
	again.Object.ResourceVersion = "8"
	assert.Zero(t, count(func() { q.Predict(again) }), "the same object, read again")

	head := q.Head()
	base = head.after
	assert.Zero(t, count(func() { q.Finish(head, nil); q.Predict(base) }), "the head was written")
	other := after(t, base, report(phases.NodeDegraded, done, 0, configB))
	assert.Equal(t, q.Len(), count(func() { q.Predict(other) }), "others wrote")
	assert.Zero(t, count(func() { q.Predict(other) }))
}

// A step of compaction costs a bounded number of plans, and a caller that gives up none: many may
// do so at once.
func TestCompactionCostsABoundedNumberOfPlans(t *testing.T) {
	plans, most := 0, 0
	var q Queue
	base := upToDate(t)
	q.Predict(base)
	for _, in := range seeded(1).chat(400) {
		plans = 0
		e, err := q.Push(counting{Intent: in, plans: &plans}, plan.Memo{})
		if err != nil {
			q.Finish(q.Head(), nil)
			q.Predict(base)
			continue
		}
		before := plans
		q.Abandon(e)
		assert.Equal(t, before, plans)
		for more := true; more; {
			plans = 0
			more = q.Compact()
			most = max(most, plans)
		}
	}
	assert.LessOrEqual(t, most, 1+5*longestWindow)
}
