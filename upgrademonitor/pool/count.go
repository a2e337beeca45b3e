package pool

import (
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
)

// count counts the nodes of a pool.
type count struct {
	target target
	paused bool
	total  int

	updated, ready, unavailable int
	waiting                     int // reported, neither updated nor updating
	stuck                       int // of these: have the target, but are degraded
	unreported                  int
	pinned, pinnedReady         int

	updating  []member
	down      []member  // unavailable by themselves, and not updating
	degraded  []failure // of nodes
	pinFailed []failure // of their pinned image sets

	reportedImage string // that a node desires
	mixedImages   bool   // another node desires another one
}

// failure is what a node reports as wrong with it.
type failure struct {
	node, message string
}

// countNodes counts the nodes of a pool, each name once.
func countNodes(pool *mcfgv1.MachineConfigPool, nodes []*corev1.Node, mcns []*mcfgv1.MachineConfigNode, image Image) *count {
	byName := make(map[string]*mcfgv1.MachineConfigNode, len(mcns))
	for _, mcn := range mcns {
		if mcn != nil {
			byName[mcn.Name] = mcn
		}
	}
	c := &count{
		target: newTarget(pool.Spec.Configuration.Name, image),
		paused: pool.Spec.Paused,
	}
	counted := make(map[string]bool, len(nodes))
	for _, node := range nodes {
		if node != nil && !counted[node.Name] {
			counted[node.Name] = true
			c.add(newMember(node, byName[node.Name]))
		}
	}
	return c
}

func (c *count) add(m member) {
	c.total++
	if !m.isAvailable() {
		c.unavailable++
	}
	if m.down != "" && !m.updating {
		c.down = append(c.down, m)
	}
	if m.reported {
		isFirst := c.total-c.unreported == 1
		c.mixedImages = c.mixedImages || !isFirst && m.desired.Image != c.reportedImage
		c.reportedImage = m.desired.Image
	}
	switch {
	case !m.reported:
		c.unreported++
	case m.updating:
		c.updating = append(c.updating, m)
	case !m.has(c.target):
		c.waiting++
	case m.degraded:
		c.waiting++
		c.stuck++
	default:
		c.updated++
		if m.isAvailable() {
			c.ready++
		}
	}
	if m.degraded {
		c.degraded = append(c.degraded, failure{m.name, m.degradedMessage})
	}
	if m.pinFailed {
		c.pinFailed = append(c.pinFailed, failure{m.name, m.pinMessage})
	}
	if m.pinned {
		c.pinned++
		if m.isAvailable() {
			c.pinnedReady++
		}
	}
}

// isUpdated reports whether every node has the target. A pool without nodes has, one whose
// target does not exist yet has not.
func (c *count) isUpdated() bool {
	return c.target.missing() == "" && c.updated == c.total && !c.isMixed()
}

// isWaiting reports whether a node is to be updated that is not being updated yet.
func (c *count) isWaiting() bool {
	return c.target.config != "" && (c.waiting > 0 || c.isMixed())
}

// isMixed reports whether nodes desire different images while the pool's image is unknown: it is
// being changed, one node after the other.
func (c *count) isMixed() bool {
	return c.target.image.State == ImageUnknown && c.mixedImages
}
