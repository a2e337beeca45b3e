package main

import (
	"context"
	"fmt"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

const (
	infra    = "infra" // a custom pool
	roleName = "node-role.kubernetes.io/"
)

// poolNames are the pools, in the order in which they are updated.
var poolNames = []string{pool.Master, infra, pool.Worker}

// sizes splits nodes up: three masters, a fifth of the others in the custom pool, and the
// rest workers.
func sizes(nodes int) map[string]int {
	masters := min(3, nodes)
	custom := (nodes - masters + 2) / 5
	return map[string]int{pool.Master: masters, infra: custom, pool.Worker: nodes - masters - custom}
}

func nodeNames(nodes int) []string {
	var names []string
	for _, p := range poolNames {
		for i := range sizes(nodes)[p] {
			names = append(names, fmt.Sprintf("%s-%d", p, i))
		}
	}
	return names
}

// rendered names a rendered config of a pool.
func rendered(poolName string, revision int) string {
	return fmt.Sprintf("rendered-%s-%d", poolName, revision)
}

// newPool is a pool at its first config. A quarter of the workers may be unavailable, of
// the others one at a time, which is what a pool says by saying nothing.
func newPool(name string) *mcfgv1.MachineConfigPool {
	p := &mcfgv1.MachineConfigPool{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: mcfgv1.MachineConfigPoolSpec{
			NodeSelector: &metav1.LabelSelector{MatchLabels: map[string]string{roleName + name: ""}},
		},
	}
	p.Spec.Configuration.Name = rendered(name, 1)
	if name == pool.Worker {
		p.Spec.MaxUnavailable = ptr.To(intstr.FromString("25%"))
	}
	return p
}

// newNode is a Node that runs the first config of its pool.
func newNode(name, poolName string) *corev1.Node {
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name:   name,
			Labels: map[string]string{roleName + poolName: ""},
			Annotations: map[string]string{
				upgrademonitor.CurrentConfigAnnotation: rendered(poolName, 1),
				upgrademonitor.DesiredConfigAnnotation: rendered(poolName, 1),
			},
		},
		Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}},
	}
	if poolName == infra {
		node.Labels[roleName+pool.Worker] = "" // a node of a custom pool is a worker, too
	}
	return node
}

// populate creates the pools and the Nodes.
func (w *world) populate(ctx context.Context, nodes int) error {
	for _, name := range poolNames {
		if _, err := w.client.MachineconfigurationV1().MachineConfigPools().Create(ctx, newPool(name), metav1.CreateOptions{}); err != nil {
			return err
		}
		for i := range sizes(nodes)[name] {
			if _, err := w.kube.CoreV1().Nodes().Create(ctx, newNode(fmt.Sprintf("%s-%d", name, i), name), metav1.CreateOptions{}); err != nil {
				return err
			}
		}
	}
	return nil
}

// patchNode is a merge patch of a Node.
func (w *world) patchNode(ctx context.Context, name, patch string, args ...any) (*corev1.Node, error) {
	return w.kube.CoreV1().Nodes().Patch(ctx, name, types.MergePatchType, fmt.Appendf(nil, patch, args...), metav1.PatchOptions{})
}
