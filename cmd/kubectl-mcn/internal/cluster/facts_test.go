package cluster_test

import (
	"testing"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
)

// A cluster that was just created has no history of updates.
func TestAClusterWithoutHistoryIsNotUpdating(t *testing.T) {
	assert.Equal(t, cluster.Version{Desired: "4.20.3"}, cluster.NewVersion(&configv1.ClusterVersion{Status: configv1.ClusterVersionStatus{Desired: configv1.Release{Version: "4.20.3"}}}))
}

// A pod that is not Ready says what its first container that waits says, or else what the condition says.
func TestThePodSaysWhyItIsNotReady(t *testing.T) {
	waiting := func(reason, message string) corev1.ContainerState {
		return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}
	}
	killed := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "OOMKilled", ExitCode: 137}}
	for want, list := range map[string][]corev1.ContainerStatus{
		"not Ready":                       {{Name: "a", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}, LastTerminationState: killed}, {Name: "b", State: killed}},
		"ImagePullBackOff: no such image": {{Name: "a", State: waiting("ImagePullBackOff", "no such image")}, {Name: "b", State: killed}},
		"ContainerCreating":               {{Name: "a", State: waiting("ContainerCreating", "")}},
		"CrashLoopBackOff, container a ended with OOMKilled, exit code 137": {{Name: "a", State: waiting("CrashLoopBackOff", "back-off"), LastTerminationState: killed}},
	} {
		pod := &corev1.Pod{}
		pod.Status.ContainerStatuses = list
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse, Message: "not Ready", LastTransitionTime: metav1.NewTime(at(1))}}
		got := cluster.NewPod(pod)
		assert.Equal(t, want, got.Why)
		assert.Equal(t, at(1), got.NotReady)
		pod.Status.Phase = corev1.PodFailed
		assert.Equal(t, time.Time{}, cluster.NewPod(pod).NotReady, "a pod that has ended never becomes Ready")
		pod.Status.Phase, pod.Status.Conditions[0].Status = corev1.PodRunning, corev1.ConditionTrue
		pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: "other", Status: corev1.ConditionFalse, LastTransitionTime: metav1.NewTime(at(1))})
		assert.Equal(t, time.Time{}, cluster.NewPod(pod).NotReady)
	}
}

// A budget protects healthy pods. The API server evicts a pod that is not Ready if the others are enough, or if the budget says so,
// and a pod that does not run in any case.
func TestABudgetDoesNotProtectAPodThatIsNoLoss(t *testing.T) {
	for name, tc := range map[string]struct {
		healthy, required int32
		policy            policyv1.UnhealthyPodEvictionPolicyType
		notReady, want    bool
	}{
		"a Ready pod": {healthy: 1, required: 1},
		"a Ready pod, pods that are not may be evicted": {healthy: 1, required: 1, policy: policyv1.AlwaysAllow},
		"not Ready":                               {required: 1, notReady: true},
		"not Ready, the others are enough":        {healthy: 1, required: 1, notReady: true, want: true},
		"not Ready, nobody has counted":           {notReady: true},
		"not Ready, and such pods may be evicted": {required: 1, policy: policyv1.AlwaysAllow, notReady: true, want: true},
	} {
		b := &policyv1.PodDisruptionBudget{}
		b.Spec.UnhealthyPodEvictionPolicy = &tc.policy
		b.Status = policyv1.PodDisruptionBudgetStatus{CurrentHealthy: tc.healthy, DesiredHealthy: tc.required}
		pod := cluster.Pod{}
		if tc.notReady {
			pod.NotReady = at(1)
		}
		assert.Equal(t, tc.want, cluster.NewBudget(b).Allows(pod), name)
		b.Status.DisruptionsAllowed = 1
		assert.True(t, cluster.NewBudget(b).Allows(pod), name)
	}
	for phase, want := range map[corev1.PodPhase]bool{corev1.PodPending: true, corev1.PodRunning: false, corev1.PodSucceeded: true, corev1.PodFailed: true} {
		assert.Equal(t, want, cluster.NewPod(&corev1.Pod{Status: corev1.PodStatus{Phase: phase}}).IsUnguarded, phase)
	}
}
