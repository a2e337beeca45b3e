package progress

import (
	"slices"
	"strings"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
)

// poolCondition returns a condition if it is True, otherwise the zero value.
func poolCondition(p *mcfgv1.MachineConfigPool, t mcfgv1.MachineConfigPoolConditionType) PoolCondition {
	for _, c := range p.Status.Conditions {
		if c.Type == t && c.Status == "True" {
			return PoolCondition{Type: string(t), Message: c.Message, Since: c.LastTransitionTime.UTC()}
		}
	}
	return PoolCondition{}
}

// problemsOf returns the conditions of a pool that report a failure. A condition is left out if a
// more specific condition, of the pool or of a node, explains it.
func problemsOf(p *mcfgv1.MachineConfigPool, nodes []Node) []PoolCondition {
	nodeDegraded := slices.ContainsFunc(nodes, func(n Node) bool { return n.Degraded })
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

// buildOf returns the condition of a running or pending image build, or nil. Before the pool has
// such a condition, the message of Updating may say that the pool waits for a build.
func buildOf(p *mcfgv1.MachineConfigPool) *PoolCondition {
	for _, t := range []mcfgv1.MachineConfigPoolConditionType{mcfgv1.MachineConfigPoolBuilding, mcfgv1.MachineConfigPoolBuildPending} {
		if c := poolCondition(p, t); c.Type != "" {
			return &c
		}
	}
	if c := poolCondition(p, mcfgv1.MachineConfigPoolUpdating); strings.Contains(c.Message, "waiting for OS image build") {
		c.Type = string(mcfgv1.MachineConfigPoolBuilding)
		return &c
	}
	return nil
}
