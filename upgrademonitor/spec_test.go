package upgrademonitor_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/phases"
)

// The spec call brings the spec and the owner in sync with the Node. A spec that is in sync needs
// no request, and an annotation that is missing changes nothing.
func TestSpecFollowsTheNode(t *testing.T) {
	f := newFixture(t)
	for _, step := range []struct {
		change   func(*corev1.Node)
		desired  string
		uid      types.UID
		requests []string
	}{
		{func(*corev1.Node) {}, oldConfig, "1a01a163", []string{"get", "create"}},
		{func(*corev1.Node) {}, oldConfig, "1a01a163", nil},
		{func(n *corev1.Node) { n.Annotations = annotated(oldConfig, newConfig).Annotations }, newConfig, "1a01a163", []string{"patch"}},
		{func(n *corev1.Node) { n.Annotations = nil }, newConfig, "1a01a163", nil},
		{func(n *corev1.Node) { n.UID = "another" }, newConfig, "another", []string{"patch"}},
	} {
		f.becomes(step.change)
		require.NoError(t, f.syncSpec(t))
		assert.Equal(t, step.requests, f.requests())
		assert.Equal(t, step.desired, f.desired())
		assert.Equal(t, []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: nodeName, UID: step.uid}}, f.object().OwnerReferences)
	}
}

// A failed write of the spec is logged once, and its callers get its error at once and for 10 s.
// The status is written meanwhile. The spec is retried without a call, for the Node at that time.
func TestASpecThatFails(t *testing.T) {
	for _, failure := range []*apierrors.StatusError{errRBAC, apierrors.NewInternalError(errors.New("etcd")), errInvalid} {
		inBubble(t, func(t *testing.T, f *fixture) {
			f.fails(failure, "patch")
			f.annotate(oldConfig, newConfig)
			for range 3 {
				assert.Zero(t, took(func() {
					assert.Equal(t, failure.ErrStatus.Reason, apierrors.ReasonForError(f.syncSpec(t)))
				}))
				pass(time.Second)
			}
			f.report(t, phases.Updated, metav1.ConditionFalse)
			f.report(t, phases.Drained, metav1.ConditionUnknown)
			requests := f.requests()
			if requests[1] == "get" { // not after a denial
				requests = append(requests[:1], requests[2:]...)
			}
			assert.Equal(t, []string{"patch", "patch/status", "patch/status"}, requests)
			assert.Equal(t, metav1.ConditionUnknown, f.status(phases.UpdatePrepared))
			assert.Equal(t, oldConfig, f.desired())
			assert.Len(t, f.log.take(), 1)

			pass(5 * time.Minute)
			assert.Empty(t, f.log.take())
			f.annotate(oldConfig, thirdConfig)
			f.fails(nil)
			pass(time.Minute)
			assert.Equal(t, thirdConfig, f.desired())
			lines := f.log.take()
			require.Len(t, lines, 1)
			assert.Contains(t, lines[0], "Writing the spec of the MachineConfigNode works again")
			assert.NoError(t, f.syncSpec(t))
		})
	}
}

// If the start of an update is written late, it does not overwrite a newer spec or owner, whether
// this process or an operator has written it.
func TestALateStart(t *testing.T) {
	for _, anOperatorWrites := range []bool{false, true} {
		inBubble(t, func(t *testing.T, f *fixture) {
			f.fails(errDown)
			f.starts(t, newConfig)
			pass(time.Minute)
			f.becomes(func(n *corev1.Node) { n.UID = "registered again" })
			f.annotate(oldConfig, thirdConfig)
			if anOperatorWrites {
				f.write(t, "", func(mcn *mcfgv1.MachineConfigNode) { mcn.Spec.ConfigVersion.Desired = thirdConfig })
			}
			pass(11 * time.Second) // the Monitor looks at the Node
			f.fails(nil)
			pass(time.Minute)
			object := f.object()
			assert.Equal(t, thirdConfig, object.Spec.ConfigVersion.Desired)
			assert.Equal(t, types.UID("registered again"), object.OwnerReferences[0].UID)
			assert.Equal(t, metav1.ConditionFalse, f.status(phases.Updated))
			assert.Less(t, object.Status.ObservedGeneration, object.Generation, "the update to the third config has not started")

			f.report(t, phases.Updated, metav1.ConditionFalse)
			f.report(t, phases.UpdatePrepared, metav1.ConditionTrue)
			f.annotate(thirdConfig, thirdConfig)
			f.report(t, phases.Updated, metav1.ConditionTrue)
			object = f.object()
			assert.Equal(t, thirdConfig, object.Status.ConfigVersion.Desired)
			assert.Equal(t, object.Generation, object.Status.ObservedGeneration)
		})
	}
}

// If the Node changes back while a write of the spec is in flight, the spec is written back, and
// both calls wait for that.
func TestASpecThatIsTakenBackInFlight(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.takes(time.Second)
		f.annotate(oldConfig, newConfig)
		go func() { assert.NoError(t, f.syncSpec(t)) }()
		synctest.Wait()
		f.annotate(oldConfig, oldConfig)
		assert.NoError(t, f.syncSpec(t))
		assert.Equal(t, oldConfig, f.desired())
	})
}

// The spec that the start of an update needs is written within a minute after a failure, without a
// call.
func TestTheSpecOfAStartIsRetried(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.failing("patch", errRBAC)
		f.starts(t, newConfig)
		assert.Equal(t, metav1.ConditionUnknown, f.status(phases.UpdatePrepared))
		assert.Equal(t, oldConfig, f.desired())
		pass(time.Minute)
		assert.Equal(t, newConfig, f.desired())
		assert.Len(t, f.log.take(), 2)
	})
}

// A write of the spec has half of Timeout. After a failure, the status goes first for 10 seconds.
func TestASpecThatHangs(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.takes(hangs, "patch")
		f.annotate(oldConfig, newConfig)
		assert.Equal(t, timeout/2, took(func() { require.Error(t, f.syncSpec(t)) }))
		assert.Zero(t, took(func() { require.Error(t, f.syncSpec(t)) }), "the known error")
		for range 100 {
			assert.LessOrEqual(t, took(func() {
				f.report(t, phases.NodeDegraded, metav1.ConditionTrue)
				f.report(t, phases.NodeDegraded, metav1.ConditionFalse)
			}), timeout/2)
			pass(time.Second)
		}
	})
}
