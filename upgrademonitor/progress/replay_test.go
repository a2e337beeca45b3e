package progress_test

import (
	"cmp"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/internal/mco"
	"github.com/openshift/upgrademonitor/phases"
)

const (
	no      = metav1.ConditionFalse
	running = metav1.ConditionUnknown
	yes     = metav1.ConditionTrue

	pace = 7 * time.Second // between two reports
)

var start = time.Date(2026, 5, 22, 12, 0, 0, 0, time.UTC)

// trace is a sequence of calls that the daemon and the controller have made on a cluster.
type trace struct {
	Name       string
	ImageMode  bool
	Start      string
	SpecWrites []struct {
		BeforeStep            int
		Desired, DesiredImage string
	}
	Steps []call
}

type call struct {
	Phase           phases.Phase
	Status          metav1.ConditionStatus
	Reason, Message string
	CompletesParent bool
	Node            struct{ CurrentConfig, DesiredConfig, CurrentImage, DesiredImage string }
}

func readTraces(t testing.TB) []trace {
	t.Helper()
	data, err := os.ReadFile("../../test/e2e/testdata/daemon-calls.json")
	require.NoError(t, err)
	var list []trace
	require.NoError(t, json.Unmarshal(data, &list))
	require.NotEmpty(t, list)
	return list
}

// daemon writes the conditions of one object, in one of two ways.
type daemon struct {
	legacy bool // as the daemon of machine-config-operator does
	object *mcfgv1.MachineConfigNode
	now    time.Time
	update string // the target of the active update
}

func newDaemon(name string, legacy bool) *daemon {
	d := &daemon{legacy: legacy, now: start, object: &mcfgv1.MachineConfigNode{}}
	d.object.Name, d.object.Generation = name, 1
	d.object.Spec.Node.Name, d.object.Spec.Pool.Name = name, "worker"
	d.object.Spec.ConfigVersion.Desired = "not-yet-set"
	d.object.Status.ConfigVersion = &mcfgv1.MachineConfigNodeStatusMachineConfigVersion{Desired: "not-yet-set"}
	d.manage()
	return d
}

// replay replays a trace, after the trace that it continues, and calls observe with each version of
// the object and the call that wrote it, nil for a write of the spec.
func (d *daemon) replay(t testing.TB, traces []trace, tr trace, observe func(*mcfgv1.MachineConfigNode, *call)) {
	t.Helper()
	from := strings.TrimSuffix(tr.Start, "_gate_on")
	if i := slices.IndexFunc(traces, func(tr trace) bool { return tr.Name == from }); i >= 0 {
		first := traces[i]
		first.ImageMode = tr.ImageMode
		d.replay(t, traces, first, observe)
	}
	for i := range tr.Steps {
		c := &tr.Steps[i]
		for _, w := range tr.SpecWrites {
			if w.BeforeStep == i {
				d.order(w.Desired, cmp.Or(w.DesiredImage, c.Node.DesiredImage))
				observe(d.object.DeepCopy(), nil)
			}
		}
		d.now = d.now.Add(pace)
		lists := d.lists(t, tr.ImageMode, c)
		for _, list := range lists {
			d.object.Status.Conditions = list
			d.versions(c)
			observe(d.object.DeepCopy(), c)
		}
	}
}

// order changes the spec.
func (d *daemon) order(config, image string) {
	d.now = d.now.Add(pace)
	spec := &d.object.Spec
	if spec.ConfigVersion.Desired == config && string(spec.ConfigImage.DesiredImage) == image {
		return
	}
	spec.ConfigVersion.Desired, spec.ConfigImage.DesiredImage = config, mcfgv1.ImageDigestFormat(image)
	d.object.Generation++
	d.manage()
}

func (d *daemon) manage() {
	d.object.ManagedFields = []metav1.ManagedFieldsEntry{entry(`{"f:spec":{"f:configVersion":{"f:desired":{}}}}`, d.now)}
}

func entry(fields string, at time.Time) metav1.ManagedFieldsEntry {
	return metav1.ManagedFieldsEntry{
		Manager: "machine-config-operator", Operation: metav1.ManagedFieldsOperationApply, APIVersion: mcfgv1.GroupVersion.String(),
		Time: &metav1.Time{Time: at}, FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(fields),
	}
}

// lists returns the conditions after each write of a call.
func (d *daemon) lists(t testing.TB, imageMode bool, c *call) [][]metav1.Condition {
	t.Helper()
	list := d.object.Status.Conditions
	image := c.Node.DesiredImage
	target := c.Node.DesiredConfig
	if image != c.Node.CurrentImage {
		target = cmp.Or(image, "disable image mode")
	}
	newTarget := target != "" && target != d.update && c.Phase == phases.Updated && c.Status == no
	if newTarget {
		defer func() { d.update = target }()
	}
	if d.legacy {
		after, writes := mco.Conditions(d.object, mco.Call{
			Phase: c.Phase, Status: c.Status, Reason: c.Reason, Message: c.Message, CompletesParent: c.CompletesParent,
		}, metav1.NewTime(d.now))
		if !writes {
			return nil
		}
		return [][]metav1.Condition{after}
	}
	lists, err := conditions.Next(list, imageMode, conditions.Report{
		Phase: c.Phase, Status: c.Status, Reason: c.Reason, Message: c.Message, CompletesParent: c.CompletesParent,
		Time: metav1.NewTime(d.now),
	}, conditions.Cycle{Name: cmp.Or(d.update, target), NewTarget: newTarget})
	require.NoError(t, err)
	return lists
}

// versions sets the versions of the status to those of the node.
func (d *daemon) versions(c *call) {
	status := &d.object.Status
	validated := c.Phase == phases.UpdatePrepared && c.Status == yes || c.Phase == phases.Updated && c.Status == yes
	if d.legacy {
		status.ConfigVersion.Desired = mco.DesiredConfig(mco.Call{Phase: c.Phase, Status: c.Status}, c.Node.DesiredConfig)
	} else if c.Node.DesiredConfig != "" && validated {
		status.ConfigVersion.Desired = c.Node.DesiredConfig
	}
	if c.Node.DesiredConfig != "" && (validated || d.legacy) {
		status.ConfigImage.DesiredImage = mcfgv1.ImageDigestFormat(c.Node.DesiredImage)
	}
	if c.Node.CurrentConfig != "" {
		status.ConfigVersion.Current = c.Node.CurrentConfig
		status.ConfigImage.CurrentImage = mcfgv1.ImageDigestFormat(c.Node.CurrentImage)
	}
}
