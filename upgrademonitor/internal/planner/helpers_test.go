package planner_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/internal/transitions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/planner"
)

var now = metav1.NewTime(time.Date(2026, 5, 22, 12, 37, 24, 0, time.UTC))

func nodeOf(current, desired string) planner.Node {
	return planner.Node{
		Owner: metav1.OwnerReference{APIVersion: "v1", Kind: "Node", Name: "worker-0", UID: "1"}, Pool: "worker", Mode: planner.Standard,
		Versions: planner.Versions{CurrentConfig: current, DesiredConfig: desired},
	}
}

// writes are the writes that a change needs if no other client writes.
type writes struct {
	States     []planner.State // after each write
	WritesSpec bool            // the spec is written first
}

func writesOf(c planner.Change, s planner.State) (all writes, err error) {
	for w := (planner.Write{}); !w.Done; s = w.Next {
		if w, err = c.Plan(s, false); err != nil {
			return writes{}, err
		}
		all.WritesSpec = all.WritesSpec || w.WritesSpec
		if !w.Next.HasSameStatus(s) {
			all.States = append(all.States, w.Next)
		}
	}
	return all, nil
}

// startsUpdate reports whether a change starts an update, which resets a step that is Unknown.
func startsUpdate(t *testing.T, s planner.State, c planner.Change) bool {
	t.Helper()
	s.Status.Conditions = slices.Clone(s.Status.Conditions)
	conditions.Find(s.Status.Conditions, phases.Resumed).Status = metav1.ConditionUnknown
	w, err := c.Plan(s, false)
	require.NoError(t, err)
	return conditions.StatusOf(w.Next.Status.Conditions, phases.Resumed) == metav1.ConditionFalse
}

// after returns the state after the writes of all reports, including writes of the spec.
func after(t *testing.T, s planner.State, reports ...planner.Change) planner.State {
	t.Helper()
	for _, r := range reports {
		planned, err := writesOf(r, s)
		require.NoError(t, err)
		if planned.WritesSpec && !s.HasSpecOf(r.Node) {
			s = s.WithSpecOf(r.Node)
			s.Generation++
			planned, err = writesOf(r, s)
			require.NoError(t, err)
		}
		if n := len(planned.States); n > 0 {
			s = planned.States[n-1]
		}
	}
	return s
}

func report(p phases.Phase, status metav1.ConditionStatus, n planner.Node) planner.Change {
	return planner.Change{Node: n, Report: transitions.Report{Phase: p, Status: status, Reason: "R", Message: "about " + string(p), Time: now}}
}

func with(r planner.Change, change func(*planner.Change)) planner.Change {
	change(&r)
	return r
}

// imageNodeOf returns a Node in image mode whose current and desired config are a.
func imageNodeOf(current, desired string) planner.Node {
	n := nodeOf("a", "a")
	n.Mode, n.CurrentImage, n.DesiredImage = planner.Image, current, desired
	return n
}

// between returns the state of a Node that is not in an update.
func between(t *testing.T, n planner.Node) planner.State {
	t.Helper()
	return after(t, planner.State{Generation: 1}.WithSpecOf(n), report(phases.Updated, metav1.ConditionTrue, n))
}

func setsOf(n planner.Node, at metav1.Time, failure string, sets ...planner.ImageSet) planner.Change {
	c := planner.Change{Node: n, Sets: &planner.ImageSets{Sets: sets, Failure: failure}}
	c.Time = at
	return c
}
