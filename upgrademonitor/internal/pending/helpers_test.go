package pending

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

const (
	no      = metav1.ConditionFalse
	running = metav1.ConditionUnknown
	done    = metav1.ConditionTrue

	configA = "rendered-worker-aaa"
	configB = "rendered-worker-bbb"
	configC = "rendered-worker-ccc"
)

var epoch = time.Date(2026, 5, 22, 12, 0, 0, 0, time.UTC)

func at(second int) metav1.Time {
	return metav1.NewTime(epoch.Add(time.Duration(second) * time.Second))
}

// object is one that was created, and has no status.
func object() plan.State {
	return plan.State{Object: &mcfgv1.MachineConfigNode{
		ObjectMeta: metav1.ObjectMeta{Name: "worker-0", UID: "u", ResourceVersion: "7"},
		Spec:       mcfgv1.MachineConfigNodeSpec{ConfigVersion: mcfgv1.MachineConfigNodeSpecMachineConfigVersion{Desired: configA}},
	}}
}

// upToDate returns an object between updates.
func upToDate(t *testing.T) plan.State {
	return after(t, object(), report(phases.Updated, done, 0, configA))
}

// report is a report with a text of its own.
func report(p phases.Phase, status metav1.ConditionStatus, second int, desired string) plan.Report {
	return plan.Report{
		Report: conditions.Report{Phase: p, Status: status, Reason: "Working", Message: fmt.Sprint("at ", second), Time: at(second)},
		Node:   plan.Node{CurrentConfig: configA, DesiredConfig: desired},
	}
}

func after(t *testing.T, s plan.State, intents ...plan.Intent) plan.State {
	t.Helper()
	for _, in := range intents {
		p, err := in.Plan(s, plan.Memo{})
		require.NoError(t, err)
		s = p.Final
	}
	return s
}

func push(t *testing.T, q *Queue, in plan.Intent) *Entry {
	t.Helper()
	e, err := q.Push(in, plan.Memo{})
	require.NoError(t, err)
	return e
}

// compact compacts a queue as far as it goes.
func compact(q *Queue) {
	for q.Compact() {
	}
}

// pushAbandoned pushes for callers that have returned by the time of the next push.
func pushAbandoned(t *testing.T, q *Queue, intents ...plan.Intent) {
	t.Helper()
	for _, in := range intents {
		require.False(t, q.Abandon(push(t, q, in)))
		compact(q)
	}
}

// random makes requests out of a seed.
type random struct{ *rand.Rand }

func seeded(seed uint64) random { return random{rand.New(rand.NewPCG(seed, 11))} }

func pick[T any](r random, all ...T) T { return all[r.IntN(len(all))] }

// request is something that is asked for again and again, at another time and with another text.
type request func(second int) plan.Intent

func (r random) request() request {
	desired := pick(r, configA, configB, configB, configC)
	status := pick(r, no, running, done)
	switch r.IntN(12) {
	case 0:
		owner := metav1.OwnerReference{APIVersion: "v1", Kind: "Node", Name: "worker-0", UID: "u"}
		pool := pick(r, "worker", "infra")
		return func(int) plan.Intent {
			return plan.Spec{Owner: owner, Pool: pool, Node: plan.Node{CurrentConfig: configA, DesiredConfig: desired}}
		}
	case 1:
		sets := []plan.ImageSet{{Name: "a", Generation: 1 + r.Int32N(2), Done: r.IntN(2) == 0}}
		failed := r.IntN(3) == 0
		return func(second int) plan.Intent {
			in := plan.ImageSets{Report: report("", "", second, desired), NodeName: "worker-0", Sets: append([]plan.ImageSet(nil), sets...)}
			if failed {
				in.Sets[0].Done, in.Sets[0].Failure = false, fmt.Sprint("failed at ", second)
			}
			return in
		}
	case 2:
		return func(second int) plan.Intent { return report(phases.Updated, pick(r, no, no, done), second, desired) }
	case 3:
		status := pick(r, no, no, done)
		return func(second int) plan.Intent { return report(phases.Updated, status, second, desired) }
	default:
		p := pick(r, phases.UpdatePrepared, phases.UpdateExecuted, phases.Cordoned, phases.Drained, phases.AppliedFilesAndOS,
			phases.RebootedNode, phases.Resumed, phases.UpdateComplete, phases.Uncordoned, phases.NodeDegraded, phases.NodeDegraded)
		completes := r.IntN(3) == 0
		return func(second int) plan.Intent {
			in := report(p, status, second, desired)
			in.CompletesParent = completes && status == done
			return in
		}
	}
}

// chat is what callers ask for in a long outage: loops of a few requests, one after another and at
// the same time.
func (r random) chat(n int) []plan.Intent {
	loop := func() []request {
		var all []request
		for range 1 + r.IntN(4) {
			all = append(all, r.request())
		}
		return all
	}
	loops := [][]request{loop(), loop()}
	next := make([]int, len(loops))
	var all []plan.Intent
	for second := 10; len(all) < n; second++ {
		if r.IntN(12) == 0 {
			i := r.IntN(len(loops))
			loops[i], next[i] = loop(), 0
		}
		i := r.IntN(len(loops))
		if r.IntN(3) > 0 {
			i = 0
		}
		all = append(all, loops[i][next[i]%len(loops[i])](second))
		next[i]++
		if r.IntN(40) == 0 {
			all = append(all, r.request()(second))
		}
	}
	return all
}

// start is a state that some requests lead to, long before.
func (r random) start() plan.State {
	s := object()
	for second := range r.IntN(20) {
		in := r.request()(second - 100)
		if p, err := in.Plan(s, plan.Memo{}); err == nil {
			s = p.Final
		}
	}
	if r.IntN(2) == 0 {
		s.Update = plan.Update{}
	}
	return s
}
