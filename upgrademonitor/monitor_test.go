package upgrademonitor_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	clienttesting "k8s.io/client-go/testing"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/scope"
	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/upgrademonitortest"
)

const (
	nodeName  = "worker-0"
	oldConfig = "rendered-worker-aaa"
	newConfig = "rendered-worker-bbb"
)

var start = time.Date(2026, 5, 22, 12, 37, 24, 0, time.UTC)

// fixture is a Monitor with a fake clientset, and its node.
type fixture struct {
	*upgrademonitor.Monitor
	log       logLines // of the Monitor
	end       context.CancelFunc
	clientset *mcfgfake.Clientset
	mu        sync.Mutex // guards the fields below: the Monitor uses them between calls
	node      *corev1.Node
	nodeErr   error
	faults    []func(clienttesting.Action) (bool, error) // the last of them first
	clock     *clocktesting.FakePassiveClock
}

func newFixture(t testing.TB, change ...func(*upgrademonitor.Config)) *fixture {
	t.Helper()
	f := &fixture{
		clientset: upgrademonitortest.NewClientset(t),
		clock:     clocktesting.NewFakePassiveClock(start),
		node: &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: nodeName, UID: "1a01a163", Annotations: map[string]string{
			upgrademonitor.CurrentConfigAnnotation: oldConfig,
			upgrademonitor.DesiredConfigAnnotation: oldConfig,
		}}},
	}
	f.clientset.PrependReactor("*", "*", func(a clienttesting.Action) (bool, runtime.Object, error) {
		f.mu.Lock()
		defer f.mu.Unlock()
		for _, fault := range slices.Backward(f.faults) {
			if fails, err := fault(a); fails {
				return true, nil, err
			}
		}
		return false, nil, nil
	})
	config := upgrademonitor.Config{
		Client:   f.clientset,
		NodeName: nodeName,
		Node:     f.view,
		Pool:     func(*corev1.Node) (string, error) { return "worker", nil },
		Clock:    f.clock,
	}
	for _, c := range change {
		c(&config)
	}
	f.create(t, config)
	return f
}

// create creates the Monitor, whose life ends with the test.
func (f *fixture) create(t testing.TB, config upgrademonitor.Config) {
	t.Helper()
	ctx, cancel := context.WithCancel(f.log.context(t.Context()))
	f.end = cancel
	var err error
	f.Monitor, err = upgrademonitor.New(ctx, config)
	require.NoError(t, err)
}

func (f *fixture) report(t *testing.T, p phases.Phase, status metav1.ConditionStatus) {
	t.Helper()
	require.NoError(t, f.GenerateAndApplyMachineConfigNode(t.Context(), p, string(p), "about "+string(p), status))
}

func (f *fixture) view() (*corev1.Node, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.node, f.nodeErr
}

// fails makes requests fail.
func (f *fixture) fails(fault func(clienttesting.Action) (bool, error)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults = append(f.faults, fault)
}

// becomes changes the Node, or the error of its view.
func (f *fixture) becomes(change func(*corev1.Node), err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.node = f.node.DeepCopy()
	change(f.node)
	f.nodeErr = err
}

func (f *fixture) annotate(current, desired string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.node = f.node.DeepCopy()
	f.node.Annotations[upgrademonitor.CurrentConfigAnnotation] = current
	f.node.Annotations[upgrademonitor.DesiredConfigAnnotation] = desired
}

func (f *fixture) object(t *testing.T) *mcfgv1.MachineConfigNode {
	t.Helper()
	object, err := f.clientset.MachineconfigurationV1().MachineConfigNodes().Get(t.Context(), nodeName, metav1.GetOptions{})
	require.NoError(t, err)
	f.clientset.ClearActions()
	return object
}

func (f *fixture) condition(t *testing.T, p phases.Phase) metav1.Condition {
	t.Helper()
	for _, c := range f.object(t).Status.Conditions {
		if c.Type == string(p) {
			return c
		}
	}
	require.Fail(t, "no condition "+string(p))
	return metav1.Condition{}
}

// requests returns the verbs of the requests since the last call, with their subresource.
func (f *fixture) requests() []string {
	var verbs []string
	for _, a := range f.clientset.Actions() {
		verbs = append(verbs, strings.TrimSuffix(a.GetVerb()+"/"+a.GetSubresource(), "/"))
	}
	f.clientset.ClearActions()
	return verbs
}

// reportUpdated reports that the node is updated: the object is as between updates.
func (f *fixture) reportUpdated(t *testing.T) {
	t.Helper()
	f.report(t, phases.Updated, metav1.ConditionTrue)
	f.clientset.ClearActions()
}

func TestNewRefusesWhatItCannotUse(t *testing.T) {
	good := func() upgrademonitor.Config {
		return upgrademonitor.Config{
			Client:   mcfgfake.NewClientset(),
			NodeName: nodeName,
			Node:     func() (*corev1.Node, error) { return nil, nil },
		}
	}
	for name, tc := range map[string]struct {
		change func(*upgrademonitor.Config)
		field  string
	}{
		"nil client":       {func(c *upgrademonitor.Config) { c.Client = nil }, "Client"},
		"typed nil client": {func(c *upgrademonitor.Config) { c.Client = (*mcfgfake.Clientset)(nil) }, "Client"},
		"empty node name":  {func(c *upgrademonitor.Config) { c.NodeName = "" }, "NodeName"},
		"bad node name":    {func(c *upgrademonitor.Config) { c.NodeName = "Worker_0" }, "NodeName"},
		"nil node func":    {func(c *upgrademonitor.Config) { c.Node = nil }, "Node"},
	} {
		t.Run(name, func(t *testing.T) {
			config := good()
			tc.change(&config)
			m, err := upgrademonitor.New(t.Context(), config)
			assert.Nil(t, m)
			var bad *field.Error
			require.ErrorAs(t, err, &bad)
			assert.Equal(t, "upgrademonitor.Config."+tc.field, bad.Field)
		})
	}
	t.Run("nil ctx", func(t *testing.T) {
		_, err := upgrademonitor.New(nil, good()) //nolint:staticcheck // the mistake of a caller
		var bad *field.Error
		require.ErrorAs(t, err, &bad)
	})
	t.Run("good", func(t *testing.T) {
		config := good()
		_, err := upgrademonitor.New(t.Context(), config)
		require.NoError(t, err)
		assert.Empty(t, config.Client.(*mcfgfake.Clientset).Actions(), "New makes no request")
	})
}

func TestBadReportsMakeNoRequest(t *testing.T) {
	var (
		invalid *field.Error
		reason  *field.Error
		option  *field.Error
		node    *upgrademonitor.NodeError
	)
	parent := upgrademonitor.CompletesParent()
	for name, tc := range map[string]struct {
		phase   phases.Phase
		reason  string
		status  metav1.ConditionStatus
		opts    []upgrademonitor.Option
		node    *corev1.Node
		nodeErr error
		as      any
		is      error
	}{
		"unknown phase":               {phase: "Rested", as: &invalid},
		"empty phase":                 {phase: "", as: &invalid},
		"bad status":                  {status: "Maybe", as: &invalid},
		"empty status":                {status: "-", as: &invalid},
		"empty reason":                {reason: "-", as: &reason},
		"reason with a space":         {reason: "not good", as: &reason},
		"reason with a line feed":     {reason: "Good\n", as: &reason},
		"reason that ends in a comma": {reason: "Good,", as: &reason},
		"reserved reason":             {reason: "NotYetOccurred", as: &reason},
		"reserved by older daemons":   {reason: "NotYetOccured", as: &reason},
		"reason that is too long":     {reason: strings.Repeat("a", 1025), as: &reason},
		"completes while running":     {opts: []upgrademonitor.Option{parent}, status: metav1.ConditionUnknown, as: &option},
		"no parent to complete":       {phase: phases.Resumed, opts: []upgrademonitor.Option{parent}, as: &option},
		"a message of Track":          {opts: []upgrademonitor.Option{upgrademonitor.DoneMessage("done")}, as: &option},
		"no parent to report for":     {phase: phases.Resumed, opts: []upgrademonitor.Option{upgrademonitor.ParentMessage("x")}, as: &option},
		"node fails":                  {nodeErr: errors.New("cache is cold"), as: &node},
		"another node":                {node: &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-1"}}, as: &node, is: scope.ErrOutOfScope},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			if tc.node != nil {
				f.node = tc.node
			}
			f.nodeErr = tc.nodeErr
			if tc.phase == "" && name != "empty phase" {
				tc.phase = phases.Drained
			}
			if tc.reason == "" {
				tc.reason = "Drained"
			}
			if tc.status == "" {
				tc.status = metav1.ConditionTrue
			}
			err := f.GenerateAndApplyMachineConfigNode(t.Context(), tc.phase, strings.TrimPrefix(tc.reason, "-"), "", metav1.ConditionStatus(strings.TrimPrefix(string(tc.status), "-")), tc.opts...)
			require.ErrorAs(t, err, tc.as)
			if tc.is != nil {
				require.ErrorIs(t, err, tc.is)
			}
			if tc.nodeErr != nil {
				require.ErrorIs(t, err, tc.nodeErr)
			}
			assert.NotErrorIs(t, err, upgrademonitor.ErrPending)
			assert.Empty(t, f.requests())
		})
	}
}

func TestEndedContextAcceptsNothing(t *testing.T) {
	f := newFixture(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.Equal(t, context.Canceled, f.GenerateAndApplyMachineConfigNode(ctx, phases.Drained, "Drained", "", metav1.ConditionTrue))
	require.Equal(t, context.Canceled, f.GenerateAndApplyMachineConfigNodeSpec(ctx))
	require.NoError(t, f.Flush(t.Context()))
	assert.Empty(t, f.requests())
}

func TestMissingObjectIsCreatedWithOwnerAndStatus(t *testing.T) {
	f := newFixture(t)
	f.report(t, phases.Resumed, metav1.ConditionTrue)
	assert.Equal(t, []string{"get", "create", "patch/status", "patch/status"}, f.requests(), "one read, one create, and a write for Unknown and one for True")

	object := f.object(t)
	assert.Equal(t, []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: nodeName, UID: "1a01a163"}}, object.OwnerReferences)
	assert.Equal(t, mcfgv1.MachineConfigNodeSpec{
		Node:          mcfgv1.MCOObjectReference{Name: nodeName},
		Pool:          mcfgv1.MCOObjectReference{Name: "worker"},
		ConfigVersion: mcfgv1.MachineConfigNodeSpecMachineConfigVersion{Desired: oldConfig},
	}, object.Spec)
	assert.Equal(t, &mcfgv1.MachineConfigNodeStatusMachineConfigVersion{Current: oldConfig, Desired: upgrademonitor.NotYetSet}, object.Status.ConfigVersion)
	assert.Len(t, object.Status.Conditions, len(phases.All(false)))
	assert.Equal(t, metav1.ConditionTrue, conditions.StatusOf(object.Status.Conditions, phases.Resumed))
}

func TestCreateSurvivesWhatItCannotKnow(t *testing.T) {
	f := newFixture(t, func(c *upgrademonitor.Config) {
		c.Pool = func(*corev1.Node) (string, error) { return "", errors.New("two custom pools") }
	})
	f.node = &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: nodeName}}
	f.report(t, phases.NodeDegraded, metav1.ConditionFalse)

	object := f.object(t)
	assert.Empty(t, object.OwnerReferences, "a Node without a UID is no owner")
	assert.Equal(t, upgrademonitor.NotYetSet, object.Spec.Pool.Name)
	assert.Equal(t, upgrademonitor.NotYetSet, object.Spec.ConfigVersion.Desired)
	assert.Equal(t, &mcfgv1.MachineConfigNodeStatusMachineConfigVersion{Desired: upgrademonitor.NotYetSet}, object.Status.ConfigVersion)
}

// TestHowAStatusIsWritten: by a merge patch.
func TestHowAStatusIsWritten(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	f.report(t, phases.Drained, metav1.ConditionUnknown)
	for _, action := range f.clientset.Actions() {
		patch, ok := action.(clienttesting.PatchActionImpl)
		require.True(t, ok, action.GetVerb())
		assert.Equal(t, types.MergePatchType, patch.GetPatchType())
		assert.Equal(t, upgrademonitor.DefaultFieldManager, patch.PatchOptions.FieldManager)
		assert.Equal(t, metav1.FieldValidationIgnore, patch.PatchOptions.FieldValidation)
	}
}

func TestChangedAnnotationsCauseAReadBeforeARejectionOrARepeat(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	f.report(t, phases.Updated, metav1.ConditionFalse)
	f.report(t, phases.Drained, metav1.ConditionUnknown)
	f.annotate(oldConfig, newConfig) // another process has observed more than this one
	f.clientset.ClearActions()

	rejected := f.GenerateAndApplyMachineConfigNode(t.Context(), phases.Drained, "Drained", "about Drained", metav1.ConditionFalse)
	require.Error(t, rejected)
	assert.Equal(t, []string{"get"}, f.requests())
	f.report(t, phases.Drained, metav1.ConditionUnknown)
	assert.Empty(t, f.requests(), "one read is enough")
}

func TestVersionsFollowTheNode(t *testing.T) {
	versions := func(current, desired string) *mcfgv1.MachineConfigNodeStatusMachineConfigVersion {
		return &mcfgv1.MachineConfigNodeStatusMachineConfigVersion{Current: current, Desired: desired}
	}
	f := newFixture(t)
	f.reportUpdated(t)
	assert.Equal(t, versions(oldConfig, oldConfig), f.object(t).Status.ConfigVersion, "with Updated=True")

	f.annotate(oldConfig, newConfig)
	f.report(t, phases.Updated, metav1.ConditionFalse)
	assert.Equal(t, versions(oldConfig, oldConfig), f.object(t).Status.ConfigVersion, "not before it was validated")
	f.report(t, phases.UpdatePrepared, metav1.ConditionTrue)
	assert.Equal(t, versions(oldConfig, newConfig), f.object(t).Status.ConfigVersion, "when UpdatePrepared turns True")

	f.annotate(oldConfig, thirdConfig)
	f.report(t, phases.Cordoned, metav1.ConditionTrue)
	assert.Equal(t, versions(oldConfig, newConfig), f.object(t).Status.ConfigVersion, "another phase does not change it")

	f.annotate(newConfig, newConfig)
	f.clientset.ClearActions()
	f.report(t, phases.Cordoned, metav1.ConditionTrue)
	assert.Equal(t, []string{"patch/status"}, f.requests(), "a changed annotation is written")
	assert.Equal(t, versions(newConfig, newConfig), f.object(t).Status.ConfigVersion)

	f.node = &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: nodeName}}
	f.report(t, phases.Updated, metav1.ConditionTrue)
	assert.Equal(t, versions(newConfig, newConfig), f.object(t).Status.ConfigVersion, "without annotations nothing is cleared")
}

func TestAnnotationThatIsNoNameIsLeftOut(t *testing.T) {
	f := newFixture(t)
	f.annotate("Rendered_Worker", newConfig)
	f.reportUpdated(t)
	assert.Equal(t, &mcfgv1.MachineConfigNodeStatusMachineConfigVersion{Desired: upgrademonitor.NotYetSet}, f.object(t).Status.ConfigVersion)
}

func TestSpecFollowsNodeAndPool(t *testing.T) {
	f := newFixture(t)
	ctx := context.Background()
	require.NoError(t, f.GenerateAndApplyMachineConfigNodeSpec(ctx))
	assert.Equal(t, []string{"get", "create"}, f.requests())
	require.NoError(t, f.GenerateAndApplyMachineConfigNodeSpec(ctx))
	assert.Empty(t, f.requests(), "a spec that is up to date costs no request")

	f.annotate(oldConfig, newConfig)
	require.NoError(t, f.GenerateAndApplyMachineConfigNodeSpec(ctx))
	assert.Equal(t, []string{"patch"}, f.requests())
	assert.Equal(t, newConfig, f.object(t).Spec.ConfigVersion.Desired)

	f.node = f.node.DeepCopy()
	f.node.Annotations = nil
	require.NoError(t, f.GenerateAndApplyMachineConfigNodeSpec(ctx))
	assert.Equal(t, newConfig, f.object(t).Spec.ConfigVersion.Desired, "no annotation keeps the value")

	f.node = f.node.DeepCopy()
	f.node.UID = "another"
	require.NoError(t, f.GenerateAndApplyMachineConfigNodeSpec(ctx))
	assert.Equal(t, []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: nodeName, UID: "another"}}, f.object(t).OwnerReferences)

	nameless := newFixture(t, func(c *upgrademonitor.Config) { c.Client, c.Pool = f.clientset, nil })
	nameless.node = f.node
	require.NoError(t, nameless.GenerateAndApplyMachineConfigNodeSpec(ctx))
	assert.Equal(t, "worker", f.object(t).Spec.Pool.Name, "the default overwrites no pool")
}

func TestPoolErrorFailsTheSpecCallAlone(t *testing.T) {
	broken := errors.New("two custom pools")
	f := newFixture(t, func(c *upgrademonitor.Config) {
		c.Pool = func(*corev1.Node) (string, error) { return "", broken }
	})
	err := f.GenerateAndApplyMachineConfigNodeSpec(t.Context())
	require.ErrorIs(t, err, broken)
	assert.Empty(t, f.requests())
	f.report(t, phases.Drained, metav1.ConditionUnknown)
}

func TestReportDegraded(t *testing.T) {
	f := newFixture(t)
	f.ReportDegraded(t.Context(), errors.New("rename /home/core: file exists"))
	degraded := f.condition(t, phases.NodeDegraded)
	assert.Equal(t, metav1.ConditionTrue, degraded.Status)
	assert.Equal(t, "NodeDegraded", degraded.Reason)
	assert.Equal(t, "Node worker-0 upgrade failure. rename /home/core: file exists", degraded.Message)

	f.clientset.ClearActions()
	f.ReportDegraded(t.Context(), errors.New("rename /home/core: file exists"))
	assert.Empty(t, f.requests(), "the same cause costs nothing")
	f.ReportDegraded(t.Context(), nil)
	assert.Equal(t, "Node worker-0 upgrade succeeded", f.condition(t, phases.NodeDegraded).Message)
}
