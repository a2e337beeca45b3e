package simulation

import (
	"context"
	"crypto/sha256"
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

// poolNames are the pools in the order of their updates.
var poolNames = []string{pool.Master, infra, pool.Worker}

// sizes returns the number of nodes of each pool: three masters, a fifth of the others in the
// custom pool, the rest workers.
func sizes(nodes int) map[string]int {
	masters := min(3, nodes)
	custom := (nodes - masters + 2) / 5
	return map[string]int{pool.Master: masters, infra: custom, pool.Worker: nodes - masters - custom}
}

// NodeNames returns the names of the nodes of a cluster of this size.
func NodeNames(nodes int) []string {
	var names []string
	for _, p := range poolNames {
		for i := range sizes(nodes)[p] {
			names = append(names, fmt.Sprintf("%s-%d", p, i))
		}
	}
	return names
}

// rendered returns the name of a rendered config of a pool.
func rendered(poolName string, revision int) string {
	hash := sha256.Sum256(fmt.Append(nil, poolName, revision))
	return fmt.Sprintf("rendered-%s-%x", poolName, hash[:16])
}

// newPool returns a pool at its first config. A quarter of the workers may be unavailable; the
// other pools have the default of one node.
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

// newNode returns a Node with the first config of its pool.
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
		node.Labels[roleName+pool.Worker] = "" // a node of a custom pool is a worker too
	}
	return node
}

// populate creates the pools and the Nodes.
func (c *Cluster) populate(ctx context.Context) error {
	for _, name := range poolNames {
		if _, err := c.client.MachineconfigurationV1().MachineConfigPools().Create(ctx, newPool(name), metav1.CreateOptions{}); err != nil {
			return err
		}
		for i := range sizes(c.options.Nodes)[name] {
			if _, err := c.kube.CoreV1().Nodes().Create(ctx, newNode(fmt.Sprintf("%s-%d", name, i), name), metav1.CreateOptions{}); err != nil {
				return err
			}
		}
	}
	return nil
}

// patchNode applies a merge patch to a Node.
func (c *Cluster) patchNode(ctx context.Context, name, patch string, args ...any) (*corev1.Node, error) {
	return c.kube.CoreV1().Nodes().Patch(ctx, name, types.MergePatchType, fmt.Appendf(nil, patch, args...), metav1.PatchOptions{})
}
