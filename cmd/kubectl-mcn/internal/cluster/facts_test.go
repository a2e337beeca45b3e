package cluster_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
)

// deletionTimestamp is the end of the grace period, and not the time of the deletion.
func TestAPodWasDeletedItsGracePeriodBeforeItsDeletionTimestamp(t *testing.T) {
	pod := &corev1.Pod{}
	assert.Zero(t, cluster.NewPod(pod).Deleted)
	pod.DeletionTimestamp, pod.DeletionGracePeriodSeconds = &metav1.Time{Time: at(60)}, ptr.To(int64(600))
	got := cluster.NewPod(pod)
	assert.Equal(t, at(50), got.Deleted)
	assert.Equal(t, at(60), got.Ends)
	pod.DeletionGracePeriodSeconds = nil
	assert.Equal(t, at(60), cluster.NewPod(pod).Deleted)
}

// A pod that is not Ready says what its first container that does not run says, or else what the condition says.
func TestThePodSaysWhyItIsNotReady(t *testing.T) {
	waiting := func(reason, message string) corev1.ContainerState {
		return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}
	}
	killed := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "OOMKilled", ExitCode: 137}}
	ended := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "Completed"}}
	for want, list := range map[string][]corev1.ContainerStatus{
		"not Ready":                       {{Name: "a", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}, {Name: "b", State: ended}},
		"ImagePullBackOff: no such image": {{Name: "a", State: waiting("ImagePullBackOff", "no such image")}, {Name: "b", State: killed}},
		"ContainerCreating":               {{Name: "a", State: waiting("ContainerCreating", "")}},
		"container a ended with OOMKilled, exit code 137":                   {{Name: "a", State: killed}},
		"CrashLoopBackOff, container a ended with OOMKilled, exit code 137": {{Name: "a", State: waiting("CrashLoopBackOff", "back-off"), LastTerminationState: killed}},
	} {
		pod := &corev1.Pod{}
		pod.Status.ContainerStatuses = list
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse, Message: "not Ready", LastTransitionTime: metav1.NewTime(at(1))}}
		got := cluster.NewPod(pod)
		assert.Equal(t, want, got.Why)
		assert.Equal(t, at(1), got.NotReady)
		pod.Status.Conditions[0].Status = corev1.ConditionTrue
		assert.Equal(t, time.Time{}, cluster.NewPod(pod).NotReady)
	}
}
