package source

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
	"github.com/openshift/upgrademonitor/internal/nodemeta"
)

// Package mco computes the same result from a trimmed object and from the whole object.
func TestATrimmedObjectReadsTheSame(t *testing.T) {
	at := func(minutes int) *metav1.Time {
		return &metav1.Time{Time: time.Date(2026, 5, 22, 12, minutes, 0, 0, time.UTC)}
	}
	entry := func(subresource, fields string, minutes int) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{Subresource: subresource, Time: at(minutes), FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(fields)}
	}
	desired := `{"f:metadata":{"f:annotations":{"f:machineconfiguration.openshift.io/desiredConfig":{}}}}`
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-0", UID: "1", Annotations: map[string]string{}}}
	other := entry("", `{"f:metadata":{"f:labels":{}}}`, 9)
	node.ManagedFields = []metav1.ManagedFieldsEntry{entry("", desired, 2), entry("status", desired, 9), other, {Time: at(9)}}
	both := entry("", `{"f:metadata":{"f:annotations":{"f:machineconfiguration.openshift.io/desiredConfig":{}}},"f:spec":{"f:unschedulable":{}}}`, 3)
	both.Manager = "machine-config-controller"
	node.ManagedFields = append(node.ManagedFields, both)
	node.Annotations["other"], node.CreationTimestamp = "large", *at(1)
	for name, value := range map[string]string{
		"currentConfig": "a", "desiredConfig": "b", "currentImage": "x", "desiredImage": "y", "state": "Degraded", "reason": "disk full", "desiredDrain": "drain-b", "lastAppliedDrain": "uncordon-a",
	} {
		node.Annotations[nodemeta.Prefix+name] = value
	}
	node.Spec = corev1.NodeSpec{Unschedulable: true, Taints: []corev1.Taint{{Key: "other"}, {Key: corev1.TaintNodeUnschedulable, TimeAdded: at(3)}}}
	node.Status.NodeInfo.OperatingSystem = "windows"
	for i, name := range []corev1.NodeConditionType{corev1.NodeMemoryPressure, corev1.NodePIDPressure, corev1.NodeReady, corev1.NodeDiskPressure, corev1.NodeNetworkUnavailable} {
		node.Status.Conditions = append(node.Status.Conditions, corev1.NodeCondition{Type: name, Status: "Unknown", LastTransitionTime: *at(4 + i)})
	}
	mcn := &mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: "worker-0", UID: "2", Generation: 2}}
	mcn.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: "worker-0", UID: "1"}}
	mcn.ManagedFields = []metav1.ManagedFieldsEntry{entry("", `{"f:spec":{}}`, 1), entry("status", `{"f:spec":{}}`, 9), other}
	mcn.Spec.Pool.Name, mcn.Spec.ConfigVersion.Desired = "worker", "c"
	mcn.Status.ConfigVersion = &mcfgv1.MachineConfigNodeStatusMachineConfigVersion{Current: "a", Desired: "a"}
	mcn.Status.Conditions = []metav1.Condition{{Type: "Updated", Status: metav1.ConditionTrue, Reason: "Updated", Message: "done", LastTransitionTime: *at(0)}}

	s := NewStore()
	trimmed := s.trimNode(node)
	assert.NotContains(t, trimmed.Annotations, "other")
	assert.Equal(t, []int{3, 3}, []int{len(trimmed.Status.Conditions), len(trimmed.ManagedFields)})
	assert.Equal(t, mco.Of(node, mcn), mco.Of(trimmed, s.trimMachineConfigNode(mcn)))
	assert.Equal(t, mco.Of(nil, mcn), mco.Of(nil, s.trimMachineConfigNode(mcn)))
	assert.Equal(t, node.CreationTimestamp, trimmed.CreationTimestamp)
	assert.True(t, nodemeta.IsWindows(trimmed))
	mcn.Status.Conditions = slices.Grow(mcn.Status.Conditions, 8)
	assert.Less(t, cap(s.trimMachineConfigNode(mcn).Status.Conditions), 8, "the free capacity of the decoder's slice is not kept")
	mcn.OwnerReferences[0].UID = "0" // the owner is an earlier Node
	assert.Equal(t, mco.Of(node, mcn), mco.Of(trimmed, s.trimMachineConfigNode(mcn)))
}

// The store shares equal texts, and forgets them once there are too many.
func TestTheStoreBoundsSharedTexts(t *testing.T) {
	s := NewStore()
	first, second := strings.Clone("text"), strings.Clone("text")
	assert.Same(t, unsafe.StringData(s.text(first)), unsafe.StringData(s.text(second)))
	s = NewStore()
	for i := range maxTexts {
		s.text(strconv.Itoa(i))
	}
	assert.Len(t, s.texts, maxTexts)
	assert.Equal(t, "new", s.text("new"))
	assert.Len(t, s.texts, 1)
}
