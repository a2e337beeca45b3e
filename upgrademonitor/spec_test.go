package upgrademonitor_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/phases"
)

var errRBAC = apierrors.NewForbidden(resource, nodeName, errors.New("RBAC"))

// A write of the spec that fails is logged once, and answers its callers with its error at once and
// for 10 s. The status goes on. The spec is retried without a call, as the Node is then.
func TestASpecThatFails(t *testing.T) {
	for _, failure := range []error{errRBAC, apierrors.NewInternalError(errors.New("etcd")), apierrors.NewInvalid(kind, nodeName, nil)} {
		inBubble(t, func(t *testing.T) {
			f := newFixture(t)
			f.reportUpdated(t)
			failing := f.outageOf("patch", failure)
			f.annotate(oldConfig, newConfig)
			for range 3 {
				assert.Zero(t, took(func() { require.ErrorIs(t, f.GenerateAndApplyMachineConfigNodeSpec(t.Context()), failure) }))
				pass(time.Second)
			}
			f.report(t, phases.Updated, metav1.ConditionFalse)
			f.report(t, phases.Drained, metav1.ConditionUnknown)
			assert.Equal(t, []string{"patch", "get", "patch/status", "patch/status"}, withoutDoubt(f.requests()))
			assert.Equal(t, metav1.ConditionUnknown, f.condition(t, phases.UpdatePrepared).Status)
			assert.Equal(t, oldConfig, f.object(t).Spec.ConfigVersion.Desired)
			assert.Len(t, f.log.take(), 1)

			pass(5 * time.Minute)
			assert.Empty(t, f.log.take())
			f.annotate(oldConfig, thirdConfig)
			failing.Store(false)
			pass(time.Minute)
			assert.Equal(t, thirdConfig, f.object(t).Spec.ConfigVersion.Desired)
			lines := f.log.take()
			require.Len(t, lines, 1)
			assert.Contains(t, lines[0], "Writing the spec of the MachineConfigNode works again")
			assert.NoError(t, f.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
		})
	}
}

// withoutDoubt adds the read that only some errors need.
func withoutDoubt(requests []string) []string {
	if len(requests) == 3 {
		return []string{requests[0], "get", requests[1], requests[2]}
	}
	return requests
}

// The spec that the start of an update needs is written within a minute after a failure, without a call.
func TestTheSpecOfAStartIsRetried(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := newFixture(t)
		f.reportUpdated(t)
		f.failing("patch", errRBAC)
		f.annotate(oldConfig, newConfig)
		f.report(t, phases.Updated, metav1.ConditionFalse)
		assert.Equal(t, metav1.ConditionUnknown, f.condition(t, phases.UpdatePrepared).Status)
		assert.Equal(t, oldConfig, f.object(t).Spec.ConfigVersion.Desired)
		pass(time.Minute)
		assert.Equal(t, newConfig, f.object(t).Spec.ConfigVersion.Desired)
		assert.Len(t, f.log.take(), 2)
	})
}

// A write of the spec has half of Timeout; then the status goes first for 10 s.
func TestASpecThatHangs(t *testing.T) {
	onSlowServer(t, func(t *testing.T, s *slow) {
		s.takes(hangs, "PATCH")
		s.annotate(oldConfig, newConfig)
		assert.Equal(t, timeout/2, took(func() { require.Error(t, s.GenerateAndApplyMachineConfigNodeSpec(t.Context())) }))
		assert.Zero(t, took(func() { require.Error(t, s.GenerateAndApplyMachineConfigNodeSpec(t.Context())) }), "the known error")
		for range 100 {
			assert.LessOrEqual(t, took(func() {
				s.tell(t, phases.NodeDegraded, metav1.ConditionTrue)
				s.tell(t, phases.NodeDegraded, metav1.ConditionFalse)
			}), timeout/2)
			pass(time.Second)
		}
	})
}

// The start of an update that is written late writes no old view of the Node over a newer view: not
// this process's, not an operator's that this process has seen meanwhile, and not the owner.
func TestALateStart(t *testing.T) {
	for name, move := range map[string]func(*testing.T, *slow){
		"the Node moves":                     func(*testing.T, *slow) {},
		"the Node moves, an operator writes": func(t *testing.T, s *slow) { s.order(t, thirdConfig) },
	} {
		t.Run(name, func(t *testing.T) {
			onSlowServer(t, func(t *testing.T, s *slow) {
				s.fails(errDown)
				s.annotate(oldConfig, newConfig)
				s.tell(t, phases.Updated, metav1.ConditionFalse)
				pass(time.Minute)
				s.mu.Lock()
				s.view = annotated(oldConfig, thirdConfig)
				s.view.UID = "registered again"
				s.mu.Unlock()
				move(t, s)
				pass(11 * time.Second) // the Monitor looks at the Node
				s.fails(nil)
				pass(time.Minute)
				object := s.server.Get(nodeName)
				assert.Equal(t, thirdConfig, object.Spec.ConfigVersion.Desired)
				assert.Equal(t, types.UID("registered again"), object.OwnerReferences[0].UID)
				assert.Equal(t, metav1.ConditionFalse, s.status(phases.Updated))
				assert.Less(t, object.Status.ObservedGeneration, object.Generation, "the order is not taken up yet")

				s.tell(t, phases.Updated, metav1.ConditionFalse)
				s.tell(t, phases.UpdatePrepared, metav1.ConditionTrue)
				s.annotate(thirdConfig, thirdConfig)
				s.tell(t, phases.Updated, metav1.ConditionTrue)
				object = s.server.Get(nodeName)
				assert.Equal(t, thirdConfig, object.Status.ConfigVersion.Desired)
				assert.Equal(t, object.Generation, object.Status.ObservedGeneration)
			})
		})
	}
}

// order has the spec desire a config, as an operator does.
func (s *slow) order(t *testing.T, config string) {
	t.Helper()
	require.NoError(t, s.server.Write(nodeName, "", func(mcn *mcfgv1.MachineConfigNode) { mcn.Spec.ConfigVersion.Desired = config }))
}

// A spec in flight when the Node moves back is written back, and both calls wait for that.
func TestASpecThatIsTakenBackInFlight(t *testing.T) {
	onSlowServer(t, func(t *testing.T, s *slow) {
		s.takes(time.Second)
		s.annotate(oldConfig, newConfig)
		go func() { assert.NoError(t, s.GenerateAndApplyMachineConfigNodeSpec(t.Context())) }()
		synctest.Wait()
		s.annotate(oldConfig, oldConfig)
		assert.NoError(t, s.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
		assert.Equal(t, oldConfig, s.desired())
	})
}
