package machine_test

import (
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
		if planned.SyncsSpec && !s.InSync(r.Node) {
			s = s.Sync(r.Node)
			s.Generation++
			planned, err = r.All(s)
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

func setsOf(n machine.Node, at metav1.Time, failure string, sets ...machine.ImageSet) machine.Change {
	c := machine.Change{Node: n, Sets: &machine.ImageSets{Sets: sets, Failure: failure}}
	c.Time = at
	return c
}
