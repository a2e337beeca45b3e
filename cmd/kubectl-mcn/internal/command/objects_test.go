package command

import (
	"bytes"
	encoding "encoding/json"
	"fmt"
	"io"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/terminal"
	"github.com/openshift/upgrademonitor/internal/conditionstest"
	"github.com/openshift/upgrademonitor/internal/transitions"
	"github.com/openshift/upgrademonitor/phases"
)

// now is the current time in the tests that do not watch.
var now = time.Date(2026, 3, 4, 14, 16, 5, 0, time.UTC)

const (
	oldConfig = "rendered-worker-11111111"
	newConfig = "rendered-worker-22222222"

	evictionFailed = `error when evicting pods/"pdb-app-0" -n "shop" (will retry after 5s): Cannot evict pod as it would violate the pod's disruption budget.`
)

// newPool returns a MachineConfigPool that has just got its target. The time of the target is in the future, so that a
// slow test does not make the pool stalled.
func newPool(name, target string) *mcfgv1.MachineConfigPool {
	p := &mcfgv1.MachineConfigPool{
		TypeMeta:   metav1.TypeMeta{APIVersion: mcfgv1.GroupVersion.String(), Kind: "MachineConfigPool"},
		ObjectMeta: metav1.ObjectMeta{Name: name},
	}
	p.Spec.Configuration.Name = target
	p.Status.Conditions = []mcfgv1.MachineConfigPoolCondition{{
		Type: mcfgv1.MachineConfigPoolUpdated, Status: corev1.ConditionFalse, LastTransitionTime: metav1.NewTime(time.Now().Add(time.Hour)),
	}}
	return p
}

// updatedPool returns a MachineConfigPool that is Updated.
func updatedPool(name, target string) *mcfgv1.MachineConfigPool {
	p := newPool(name, target)
	p.Status.Configuration.Name = target
	p.Status.Conditions[0].Status, p.Status.Conditions[0].LastTransitionTime = corev1.ConditionTrue, metav1.NewTime(now.Add(-time.Hour))
	return p
}

// newNode returns the MachineConfigNode of a node that has run a config since a time.
func newNode(name, pool, config string, since time.Time) *mcfgv1.MachineConfigNode {
	n := &mcfgv1.MachineConfigNode{
		TypeMeta:   metav1.TypeMeta{APIVersion: mcfgv1.GroupVersion.String(), Kind: "MachineConfigNode"},
		ObjectMeta: metav1.ObjectMeta{Name: name},
	}
	n.Spec.Node.Name, n.Spec.Pool.Name = name, pool
	n.Generation = 1
	n.Spec.ConfigVersion.Desired = config
	n.Status.ConfigVersion = &mcfgv1.MachineConfigNodeStatusMachineConfigVersion{Current: config, Desired: config}
	n.Status.Conditions = transitions.Complete(nil, false, metav1.NewTime(since))
	report(n, phases.Updated, metav1.ConditionTrue, since, "Node Updated")
	return n
}

// newKubeNode returns a Node that is Ready. It has no labels, so the MachineConfigNode names its pool.
func newKubeNode(name string) *corev1.Node {
	n := &corev1.Node{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Node"}, ObjectMeta: metav1.ObjectMeta{Name: name}}
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	return n
}

// request sets the desired config of a node.
func request(n *mcfgv1.MachineConfigNode, config string, at time.Time) {
	n.Generation++
	n.Spec.ConfigVersion.Desired = config
	stamp := metav1.NewTime(at)
	n.ManagedFields = []metav1.ManagedFieldsEntry{{
		Manager: "machine-config-controller", Operation: metav1.ManagedFieldsOperationApply, Time: &stamp,
		FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:configVersion":{"f:desired":{}}}}`),
	}}
}

// report sets conditions as a daemon's report would.
func report(n *mcfgv1.MachineConfigNode, p phases.Phase, status metav1.ConditionStatus, at time.Time, message string) {
	kind, _ := phases.ParentOf(p)
	lists, err := conditionstest.Writes(n.Status.Conditions, false, transitions.Report{
		Phase: p, Status: status, Reason: string(p), Message: message, Time: metav1.NewTime(at),
		CompletesParent: kind != "" && status == metav1.ConditionTrue && p != phases.Cordoned && p != phases.Drained,
	}, transitions.Update{Name: n.Spec.ConfigVersion.Desired, NewTarget: n.Status.ConfigVersion.Desired != n.Spec.ConfigVersion.Desired})
	if err != nil {
		panic(err)
	}
	if len(lists) > 0 {
		n.Status.Conditions = lists[len(lists)-1]
	}
	switch {
	case p == phases.UpdatePrepared && status == metav1.ConditionTrue:
		n.Status.ConfigVersion.Desired = n.Spec.ConfigVersion.Desired
	case p == phases.Updated && status == metav1.ConditionTrue:
		n.Status.ConfigVersion.Current, n.Status.ConfigVersion.Desired = n.Spec.ConfigVersion.Desired, n.Spec.ConfigVersion.Desired
	}
}

// update updates a node to a config, one step per minute, until the given step is running, or, with "", to the end.
func update(n *mcfgv1.MachineConfigNode, config string, start time.Time, until phases.Phase) time.Time {
	at := start
	request(n, config, at)
	report(n, phases.Updated, metav1.ConditionFalse, at, "Node needs an update")
	for _, p := range []phases.Phase{
		phases.UpdatePrepared, phases.Cordoned, phases.Drained, phases.AppliedFilesAndOS, phases.RebootedNode, phases.Resumed, phases.Uncordoned,
	} {
		report(n, p, metav1.ConditionUnknown, at, fmt.Sprintf("%s of %s", p, n.Name))
		if p == until {
			return at
		}
		at = at.Add(time.Minute)
		report(n, p, metav1.ConditionTrue, at, "done")
	}
	report(n, phases.Updated, metav1.ConditionTrue, at, "Node Updated")
	return at
}

// rollout returns a pool of six nodes: three are done, one reboots, one is stuck at its drain, one waits.
func rollout() []runtime.Object {
	worker := newPool("worker", newConfig)
	worker.Status.Conditions[0].LastTransitionTime = metav1.NewTime(now.Add(-75 * time.Minute))
	objects := []runtime.Object{updatedPool("master", "rendered-master-1"), worker}
	for i := range 6 {
		n := newNode(fmt.Sprintf("worker-%d", i), "worker", oldConfig, now.Add(-24*time.Hour))
		switch i {
		case 0, 1, 2:
			update(n, newConfig, now.Add(-time.Hour), "")
		case 3:
			update(n, newConfig, now.Add(-5*time.Minute), phases.RebootedNode)
		case 4:
			at := update(n, newConfig, now.Add(-74*time.Minute), phases.Drained)
			report(n, phases.Drained, metav1.ConditionUnknown, at, evictionFailed)
		}
		objects = append(objects, n)
	}
	return objects
}

// asList returns objects as kubectl get -o json prints them.
func asList(t testing.TB, objects ...runtime.Object) string {
	t.Helper()
	b, err := encoding.MarshalIndent(map[string]any{"apiVersion": "v1", "kind": "List", "items": objects}, "", "    ")
	require.NoError(t, err)
	return string(b) + "\n"
}

// execution is the exit code and the output of a run of the command.
type execution struct {
	code           int
	stdout, stderr string
}

// execute runs the command without a terminal, at a fixed time.
func execute(t testing.TB, stdin string, args ...string) execution {
	t.Helper()
	return executeAt(t, 80, stdin, args...)
}

func executeAt(t testing.TB, width int, stdin string, args ...string) execution {
	t.Helper()
	var stdout, stderr bytes.Buffer
	c := testCommand(&stdout, &stderr)
	c.In = bytes.NewBufferString(stdin)
	c.terminal.Size = func() (int, int) { return width, 0 }
	return execution{c.run(t.Context(), args), stdout.String(), stderr.String()}
}

func testCommand(stdout, stderr io.Writer) *CLI {
	return &CLI{
		IOStreams: genericiooptions.IOStreams{In: &bytes.Buffer{}, Out: stdout, ErrOut: stderr}, clock: clocktesting.NewFakeClock(now),
		requestTimeout: 10 * time.Second, terminal: terminal.Terminal{Size: func() (int, int) { return 80, 0 }},
	}
}
