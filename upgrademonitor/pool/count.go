package pool

import (
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// count has the number of nodes in each state, and the target of the pool.
type count struct {
	config         string // the name of the pool's MachineConfig
	image          image
	paused         bool
	maxUnavailable int

	total, updated, ready, unavailable int

	have       int // nodes that run the config and image of the pool, including degraded nodes
	updating   int // nodes that are being updated
	waiting    int // nodes that have reported, and are neither updated nor being updated
	unreported int

	pinned, pinnedReady int

	down     []problem // nodes that are unavailable, but not being updated
	degraded []problem
}

// problem says why a node is degraded or unavailable.
type problem struct{ node, text string }

// newCount counts the nodes of a pool. Nodes with the same name count as one node.
func newCount(pool *mcfgv1.MachineConfigPool, nodes []*corev1.Node, mcns []*mcfgv1.MachineConfigNode, options Options) *count {
	c := &count{config: pool.Spec.Configuration.Name, image: newImage(options, pool.Spec.Configuration.Name), paused: pool.Spec.Paused}
	isMember := selects(pool)
	for _, p := range pairs(nodes, mcns) {
		if isMember(p.node) {
			c.add(newMember(p.node, p.mcn))
		}
	}
	limit := intstr.ValueOrDefault(pool.Spec.MaxUnavailable, intstr.FromInt32(1))
	c.maxUnavailable, _ = intstr.GetScaledValueFromIntOrPercent(limit, c.total, false) // 0 if the limit is invalid
	return c
}

func (c *count) add(m member) {
	c.total++
	isAvailable := m.down == "" && !m.updating
	has := m.reported && !m.updating && c.config != "" && m.current.Config == c.config && c.image.isOn(m.current.Image)
	if !isAvailable {
		c.unavailable++
	}
	if m.down != "" && !m.updating {
		c.down = append(c.down, problem{m.name, m.down})
	}
	if has {
		c.have++
	}
	switch {
	case !m.reported:
		c.unreported++
	case m.updating:
		c.updating++
	case !has || m.degraded:
		c.waiting++
	default:
		c.updated++
		if isAvailable {
			c.ready++
		}
	}
	if m.degraded {
		c.degraded = append(c.degraded, problem{m.name, m.message})
	}
	if m.pinned {
		c.pinned++
		if isAvailable {
			c.pinnedReady++
		}
	}
}

// isUpdated reports whether every machine has the target and is ready. machine-config-operator
// completes an upgrade only when all pools are updated.
func (c *count) isUpdated() bool { return c.config != "" && c.image.exists && c.ready == c.total }

// isBlocked reports whether nodes wait for an update because maxUnavailable nodes are unavailable.
func (c *count) isBlocked() bool { return c.waiting > 0 && c.unavailable >= c.maxUnavailable }

// selects returns a function that reports whether a Node may belong to the pool. The function
// returns false only if the Node has labels, and a valid nodeSelector does not match them.
func selects(pool *mcfgv1.MachineConfigPool) func(*corev1.Node) bool {
	selector, err := metav1.LabelSelectorAsSelector(pool.Spec.NodeSelector)
	isAll := err != nil || pool.Spec.NodeSelector == nil || selector.Empty()
	return func(n *corev1.Node) bool {
		return isAll || len(n.Labels) == 0 || selector.Matches(labels.Set(n.Labels))
	}
}
