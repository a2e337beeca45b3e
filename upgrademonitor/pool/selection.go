package pool

import (
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// selection is a pool with its nodeSelector read, once for many nodes.
type selection struct {
	pool     *mcfgv1.MachineConfigPool
	selector labels.Selector
	err      error // a *SelectorError
}

func selections(pools []*mcfgv1.MachineConfigPool) []selection {
	list := make([]selection, len(pools))
	for i, pool := range pools {
		list[i].pool = pool
		selector, err := metav1.LabelSelectorAsSelector(pool.Spec.NodeSelector)
		if err != nil {
			list[i].err = &SelectorError{Pool: pool.Name, Err: err}
			continue
		}
		list[i].selector = selector
	}
	return list
}

func (s selection) wants(node *corev1.Node) bool {
	return !s.selector.Empty() && s.selector.Matches(labels.Set(node.Labels))
}
