package source

import (
	"bytes"
	"slices"
	"strings"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
	"github.com/openshift/upgrademonitor/internal/nodemeta"
)

// trimNode returns a Node with only the fields that the other packages read. A Node of a cluster is
// about twenty times as large. The caller holds the lock.
func (s *Store) trimNode(o *corev1.Node) *corev1.Node {
	node := &corev1.Node{ObjectMeta: s.trimMeta(o.ObjectMeta, mco.OfDesiredConfig, mco.OfCordon)}
	node.Labels = s.trimMap(o.Labels, func(string) bool { return true })
	node.Annotations = s.trimMap(o.Annotations, func(name string) bool {
		return strings.HasPrefix(name, nodemeta.Prefix) || mco.IsOfCordoner(name)
	})
	node.CreationTimestamp, node.DeletionTimestamp = o.CreationTimestamp, o.DeletionTimestamp
	if !o.Spec.Unschedulable && strings.HasPrefix(o.Annotations[nodemeta.DesiredDrain], nodemeta.Drain) { // somebody may have uncordoned it
		node.ManagedFields = o.ManagedFields
	}
	node.Spec.Unschedulable = o.Spec.Unschedulable
	for _, t := range o.Spec.Taints {
		if t.Key == corev1.TaintNodeUnschedulable || mco.IsOfCordoner(t.Key) {
			node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: t.Key, TimeAdded: t.TimeAdded})
		}
	}
	info := o.Status.NodeInfo
	node.Status.NodeInfo = corev1.NodeSystemInfo{
		OperatingSystem: s.text(info.OperatingSystem), KubeletVersion: s.text(info.KubeletVersion), OSImage: s.text(info.OSImage),
	}
	for _, c := range o.Status.Conditions {
		if c.Type != corev1.NodeMemoryPressure && c.Type != corev1.NodePIDPressure {
			kept := corev1.NodeCondition{Type: c.Type, Status: c.Status, LastTransitionTime: c.LastTransitionTime, Message: s.text(c.Message)}
			node.Status.Conditions = append(node.Status.Conditions, kept)
		}
	}
	return node
}

// trimMachineConfigNode returns a MachineConfigNode without the metadata that the other packages do
// not read. Equal texts of different objects share memory. The caller holds the lock.
func (s *Store) trimMachineConfigNode(o *mcfgv1.MachineConfigNode) *mcfgv1.MachineConfigNode {
	mcn := &mcfgv1.MachineConfigNode{
		ObjectMeta: s.trimMeta(o.ObjectMeta, mco.OfSpec),
		Spec:       o.Spec,
		Status:     o.Status,
	}
	mcn.Spec.Pool.Name = s.text(o.Spec.Pool.Name)
	mcn.Spec.ConfigVersion.Desired = s.text(o.Spec.ConfigVersion.Desired)
	mcn.Status.Conditions = slices.Clone(o.Status.Conditions) // without the free capacity of the decoder's slice
	for i := range mcn.Status.Conditions {
		c := &mcn.Status.Conditions[i]
		c.Type, c.Reason, c.Message = s.text(c.Type), s.text(c.Reason), s.text(c.Message)
	}
	return mcn
}

// trimMeta returns only the metadata that the other packages read of each object, and the entries of managedFields that
// have one of the fields. The other fields of an entry are left out.
func (s *Store) trimMeta(o metav1.ObjectMeta, fields ...string) metav1.ObjectMeta {
	trimmed := metav1.ObjectMeta{
		Name:            o.Name,
		UID:             o.UID,
		Generation:      o.Generation,
		OwnerReferences: o.OwnerReferences,
	}
	for _, entry := range o.ManagedFields {
		var kept []string
		for _, field := range fields {
			if bytes.Contains(entry.FieldsV1.GetRawBytes(), []byte(field)) {
				kept = append(kept, field+":{}")
			}
		}
		if len(kept) > 0 {
			entry.Manager = s.text(entry.Manager)
			entry.FieldsV1 = metav1.NewFieldsV1(s.text("{" + strings.Join(kept, ",") + "}"))
			trimmed.ManagedFields = append(trimmed.ManagedFields, entry)
		}
	}
	return trimmed
}

// trimMap keeps some entries.
func (s *Store) trimMap(all map[string]string, keeps func(name string) bool) map[string]string {
	kept := map[string]string{}
	for name, value := range all {
		if keeps(name) {
			kept[s.text(name)] = s.text(value)
		}
	}
	return kept
}

// maxTexts limits the number of texts that objects share.
const maxTexts = 1 << 16

// text returns a string that equals t. Objects with equal texts share the memory of this string.
func (s *Store) text(t string) string {
	if shared, ok := s.texts[t]; ok {
		return shared
	}
	if len(s.texts) >= maxTexts {
		clear(s.texts)
	}
	s.texts[t] = t
	return t
}
