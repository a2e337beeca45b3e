package machine_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/internal/transitions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/machine"
)

var now = metav1.NewTime(time.Date(2026, 5, 22, 12, 37, 24, 0, time.UTC))

func viewOf(current, desired string) machine.Node {
	return machine.Node{
		Owner: metav1.OwnerReference{APIVersion: "v1", Kind: "Node", Name: "worker-0", UID: "1"}, Pool: "worker", Mode: machine.Standard,
		Versions: machine.Versions{CurrentConfig: current, DesiredConfig: desired},
	}
}

// after returns the state after reports. If a report starts an update, the spec follows the Node first.
func after(t *testing.T, s machine.State, reports ...machine.Change) machine.State {
	t.Helper()
	for _, r := range reports {
		planned, err := r.All(s)
		require.NoError(t, err)
		if planned.StartsUpdate && !s.InSync(r.Node) {
			s = s.Sync(r.Node)
			s.Generation++
			planned, err = r.All(s, machine.Starting)
			require.NoError(t, err)
		}
		if n := len(planned.States); n > 0 {
			s = planned.States[n-1]
		}
	}
	return s
}

func report(p phases.Phase, status metav1.ConditionStatus, n machine.Node) machine.Change {
	return machine.Change{Node: n, Report: transitions.Report{Phase: p, Status: status, Reason: "R", Message: "about " + string(p), Time: now}}
}

func with(r machine.Change, change func(*machine.Change)) machine.Change {
	change(&r)
	return r
}

// imagesOf returns a view in image mode, of a Node whose config does not change.
func imagesOf(current, desired string) machine.Node {
	n := viewOf("a", "a")
	n.Mode, n.CurrentImage, n.DesiredImage = machine.Image, current, desired
	return n
}

// between returns the state between updates of a Node.
func between(t *testing.T, n machine.Node) machine.State {
	t.Helper()
	return after(t, machine.State{Generation: 1}.Sync(n), report(phases.Updated, metav1.ConditionTrue, n))
}

// TestPlanningAgainIsHarmless interrupts random plans after each of their writes, plans again, and
// compares: exactly the rest is left. The spec may have followed the Node before, or not.
func TestPlanningAgainIsHarmless(t *testing.T) {
	interrupted := 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 0))
		mode := []machine.Mode{machine.Standard, machine.Image}[r.IntN(2)]
		s := machine.State{Generation: 1}
		for i := range 60 {
			change := randomChange(r, mode, i)
			planned, err := change.All(s)
			if err != nil {
				continue
			}
			var decided machine.Start
			if planned.StartsUpdate && r.IntN(2) == 0 {
				s, decided = s.Sync(change.Node), machine.Starting
			}
			planned, err = change.All(s, decided)
			require.NoError(t, err)
			for j, state := range planned.States {
				again, err := change.All(state, planned.Starts[j])
				require.NoError(t, err)
				require.Equal(t, planned.States[j+1:], append([]machine.State{}, again.States...), "seed %d, %v after write %d of\n%v", seed, change, j+1, state.Status)
				interrupted++
			}
			if n := len(planned.States); n > 0 {
				s = planned.States[n-1]
			}
		}
	}
	t.Logf("%d plans were interrupted", interrupted)
}

func randomChange(r *rand.Rand, mode machine.Mode, i int) machine.Change {
	n := machine.Node{Owner: metav1.OwnerReference{Kind: "Node", Name: "worker-0", UID: "1"}, Pool: "worker", Mode: mode}
	n.CurrentConfig, n.DesiredConfig = fmt.Sprint("config-", r.IntN(2)), fmt.Sprint("config-", r.IntN(3))
	if mode == machine.Image {
		n.CurrentImage, n.DesiredImage = fmt.Sprint("image-", r.IntN(2)), []string{"", "image-0", "image-1"}[r.IntN(3)]
	}
	now := metav1.NewTime(time.Unix(int64(1000+i+r.IntN(5)), 0).UTC())
	if r.IntN(10) == 0 {
		return setsOf(n, now, "", machine.ImageSet{Name: "a", Generation: int32(1 + r.IntN(3)), Done: r.IntN(2) == 0})
	}
	if r.IntN(10) == 0 {
		return machine.Change{Node: n}
	}
	all := phases.All(mode == machine.Image)
	all = append(all, phases.Updated, phases.Updated, phases.UpdatePrepared, phases.UpdatePrepared)
	report := machine.Change{Node: n, Report: transitions.Report{
		NotRequired:     r.IntN(10) == 0,
		Phase:           all[r.IntN(len(all))],
		Status:          []metav1.ConditionStatus{metav1.ConditionFalse, metav1.ConditionUnknown, metav1.ConditionTrue}[r.IntN(3)],
		Reason:          "R",
		Message:         fmt.Sprint("report ", i),
		CompletesParent: r.IntN(2) == 0,
		Time:            now,
	}}
	return report
}

func setsOf(n machine.Node, at metav1.Time, failure string, sets ...machine.ImageSet) machine.Change {
	c := machine.Change{Node: n, Sets: &machine.ImageSets{Sets: sets, Failure: failure}}
	c.Time = at
	return c
}
