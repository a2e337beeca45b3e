package progress

import (
	"slices"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
)

// poolCondition returns a condition that is True, the zero value otherwise.
func poolCondition(p *mcfgv1.MachineConfigPool, t mcfgv1.MachineConfigPoolConditionType) PoolCondition {
	for _, c := range p.Status.Conditions {
		if c.Type == t && c.Status == "True" {
			return PoolCondition{Type: string(t), Message: c.Message, Since: c.LastTransitionTime.UTC()}
		}
	}
	return PoolCondition{}
}

// problemsOf returns the conditions of a pool that are not well. Those that summarize others, or
// conditions of nodes, are left out where these say more.
func problemsOf(p *mcfgv1.MachineConfigPool, nodes []Node) []PoolCondition {
	nodeDegraded := slices.ContainsFunc(nodes, Node.IsDegraded)
	nodeFailsToPin := slices.ContainsFunc(nodes, Node.failsToPin)
	var all []PoolCondition
	add := func(explained bool, types ...mcfgv1.MachineConfigPoolConditionType) bool {
		for _, t := range types {
			if c := poolCondition(p, t); c.Type != "" {
				if !explained {
					all = append(all, c)
				}
				return true
			}
		}
		return explained
	}
	explained := add(false, mcfgv1.MachineConfigPoolRenderDegraded)
	explained = add(false, mcfgv1.MachineConfigPoolImageBuildDegraded, mcfgv1.MachineConfigPoolBuildFailed, mcfgv1.MachineConfigPoolBuildInterrupted) || explained
	explained = add(nodeFailsToPin, mcfgv1.MachineConfigPoolPinnedImageSetsDegraded, mcfgv1.MachineConfigPoolSynchronizerDegraded) || explained
	explained = add(nodeDegraded, mcfgv1.MachineConfigPoolNodeDegraded) || explained
	add(explained, mcfgv1.MachineConfigPoolDegraded)
	return all
}

// buildOf returns the condition of an image that is being built, nil for none.
func buildOf(p *mcfgv1.MachineConfigPool) *PoolCondition {
	for _, t := range []mcfgv1.MachineConfigPoolConditionType{mcfgv1.MachineConfigPoolBuilding, mcfgv1.MachineConfigPoolBuildPending} {
		if c := poolCondition(p, t); c.Type != "" {
			return &c
		}
	}
	return nil
}

// imageOf returns the image of a pool's target, which no field of the pool contains: nodes that desire
// the config and different images are being moved from one image to another, and the last one that was
// ordered has the new one.
func imageOf(config string, nodes []Node) string {
	var newest *Node
	for i := range nodes {
		if n := &nodes[i]; n.Desired.Config == config && (newest == nil || isNewer(n, newest)) {
			newest = n
		}
	}
	if newest == nil {
		return ""
	}
	return newest.Desired.Image
}

// isNewer reports whether a node got its target after another one. Where the time of an order is not known, a
// node in an update is newer, else the later end of an update counts.
func isNewer(a, b *Node) bool {
	if !a.Ordered.IsZero() && !b.Ordered.IsZero() && !a.Ordered.Equal(b.Ordered) {
		return a.Ordered.After(b.Ordered)
	}
	if a.hasDesired() != b.hasDesired() {
		return !a.hasDesired()
	}
	if aEnd, bEnd := later(later(a.Begun, a.Ended), a.Ordered), later(later(b.Begun, b.Ended), b.Ordered); !aEnd.Equal(bEnd) {
		return aEnd.After(bEnd)
	}
	return a.Desired.Image > b.Desired.Image
}
