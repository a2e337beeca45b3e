package plan_test

import (
	"slices"
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

	imageA = "quay.io/os@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	imageB = "quay.io/os@sha256:bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
)

var epoch = metav1.NewTime(time.Date(2026, 5, 22, 12, 0, 0, 0, time.UTC))

// at is a time some seconds after the epoch.
func at(seconds int) metav1.Time {
	return metav1.NewTime(epoch.Add(time.Duration(seconds) * time.Second))
}

// upToDate returns an object between updates, whose node runs a config, and an image in image mode.
func upToDate(config, image string, imageMode bool) plan.State {
	list := conditions.Complete(nil, imageMode, epoch)
	updated := conditions.Find(list, phases.Updated)
	updated.Status, updated.Reason, updated.Message = done, "Updated", "up to date"
	return plan.State{Object: &mcfgv1.MachineConfigNode{
		ObjectMeta: metav1.ObjectMeta{Name: "worker-0", ResourceVersion: "7"},
		Spec: mcfgv1.MachineConfigNodeSpec{
			Node:          mcfgv1.MCOObjectReference{Name: "worker-0"},
			Pool:          mcfgv1.MCOObjectReference{Name: "worker"},
			ConfigVersion: mcfgv1.MachineConfigNodeSpecMachineConfigVersion{Desired: config},
			ConfigImage:   mcfgv1.MachineConfigNodeSpecConfigImage{DesiredImage: mcfgv1.ImageDigestFormat(image)},
		},
		Status: mcfgv1.MachineConfigNodeStatus{
			Conditions:    list,
			ConfigVersion: &mcfgv1.MachineConfigNodeStatusMachineConfigVersion{Current: config, Desired: config},
			ConfigImage: mcfgv1.MachineConfigNodeStatusConfigImage{
				CurrentImage: mcfgv1.ImageDigestFormat(image), DesiredImage: mcfgv1.ImageDigestFormat(image),
			},
		},
	}}
}

// fresh is an object that was created, and has no status.
func fresh(desired string) plan.State {
	s := upToDate(desired, "", false)
	object := s.Object.DeepCopy()
	object.Status = mcfgv1.MachineConfigNodeStatus{}
	s.Object = object
	return s
}

// report is a report of standard mode on a node that runs one config and is to run another.
func report(p phases.Phase, status metav1.ConditionStatus, second int, current, desired string) plan.Report {
	return plan.Report{
		Report: conditions.Report{Phase: p, Status: status, Reason: string(p), Message: "about " + string(p), Time: at(second)},
		Node:   plan.Node{CurrentConfig: current, DesiredConfig: desired},
	}
}

// imageReport is the same in image mode.
func imageReport(p phases.Phase, status metav1.ConditionStatus, second int, node plan.Node) plan.Report {
	r := report(p, status, second, "", "")
	r.Node, r.ImageMode = node, true
	return r
}

func planned(t *testing.T, s plan.State, in plan.Intent, memo plan.Memo) plan.Plan {
	t.Helper()
	p, err := in.Plan(s, memo)
	require.NoError(t, err)
	return p
}

// after plans intents one after another.
func after(t *testing.T, s plan.State, intents ...plan.Intent) plan.State {
	t.Helper()
	for _, in := range intents {
		s = planned(t, s, in, plan.Memo{}).Final
	}
	return s
}

// restarted is the state as another process reads it.
func restarted(s plan.State) plan.State {
	s.Update = plan.Update{}
	return s
}

func statusOf(s plan.State, p phases.Phase) metav1.ConditionStatus {
	return conditions.StatusOf(s.Object.Status.Conditions, p)
}

func messageOf(s plan.State, p phases.Phase) string {
	c := conditions.Find(s.Object.Status.Conditions, p)
	if c == nil {
		return ""
	}
	return c.Message
}

func kinds(p plan.Plan) []plan.Kind {
	var all []plan.Kind
	for _, step := range p.Steps {
		all = append(all, step.Kind)
	}
	return all
}

// moved lists the phases whose status is another one, in order.
func moved(from, to plan.State) []string {
	var all []string
	for _, p := range phases.All(true) {
		if a, b := statusOf(from, p), statusOf(to, p); a != b {
			all = append(all, string(p)+"="+string(b))
		}
	}
	return all
}

// copied is a deep copy, to see that a state was not changed.
func copied(s plan.State) plan.State {
	s.Object = s.Object.DeepCopy()
	s.Unowned.Conditions = slices.Clone(s.Unowned.Conditions)
	for i := range s.Unowned.Conditions {
		s.Unowned.Conditions[i] = slices.Clone(s.Unowned.Conditions[i])
	}
	s.Unowned.ImageSets = slices.Clone(s.Unowned.ImageSets)
	return s
}
