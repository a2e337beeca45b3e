package simulation

import (
	"context"
	"fmt"
	"slices"
	"strings"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// Rollout takes the place of a cluster's node controller: it gives all pools their second
// config, and then their nodes, pool by pool. It waits for their updates; if degraded nodes
// keep a pool from completing, it returns a BlockedError.
func (c *Cluster) Rollout(ctx context.Context) error {
	for _, name := range poolNames {
		patch := fmt.Appendf(nil, `{"spec":{"configuration":{"name":%q}}}`, rendered(name, 2))
		if _, err := c.client.MachineconfigurationV1().MachineConfigPools().Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
			return err
		}
	}
	for _, name := range poolNames {
		if err := c.until(ctx, func(state State) (bool, error) { return c.advance(ctx, name, state) }); err != nil {
			return err
		}
	}
	return nil
}

// advance starts the update of as many nodes of a pool as may be unavailable. It reports
// whether all are updated and the pool's status shows it.
func (c *Cluster) advance(ctx context.Context, poolName string, state State) (bool, error) {
	p := state.Pools[slices.IndexFunc(state.Pools, func(p *mcfgv1.MachineConfigPool) bool { return p.Name == poolName })]
	nodes := state.Nodes[poolName]
	limit, err := maxUnavailable(p, len(nodes))
	if err != nil {
		return false, err
	}
	var updated, unavailable int
	var waiting, causes []string
	for _, node := range nodes {
		status := state.status(p, []*corev1.Node{node})
		switch {
		case status.ReadyMachineCount == 1: // it has the config, and is available
			updated++
		case status.UnavailableMachineCount == 1 || desired(node) == p.Spec.Configuration.Name:
			unavailable++
			if status.DegradedMachineCount == 1 {
				causes = append(causes, degradedMessage(state.MachineConfigNodes[node.Name]))
			}
		default:
			waiting = append(waiting, node.Name)
		}
	}
	next := waiting[:min(len(waiting), max(0, limit-unavailable))]
	for _, name := range next {
		if _, err := c.patchNode(ctx, name, `{"metadata":{"annotations":{%q:%q}}}`, upgrademonitor.DesiredConfigAnnotation, p.Spec.Configuration.Name); err != nil {
			return false, err
		}
	}
	if len(causes) > 0 && unavailable == len(causes) && len(next) == 0 {
		return false, &BlockedError{Pool: poolName, Causes: causes, Updated: updated, Nodes: len(nodes), MaxUnavailable: limit}
	}
	return updated == len(nodes) && p.Status.Configuration.Name == p.Spec.Configuration.Name, nil
}

// degradedMessage returns why a node is degraded.
func degradedMessage(mcn *mcfgv1.MachineConfigNode) string {
	if c := meta.FindStatusCondition(mcn.Status.Conditions, string(phases.NodeDegraded)); c != nil {
		return c.Message
	}
	return mcn.Name
}

// maxUnavailable returns how many nodes of a pool may be unavailable at a time: at least one,
// which is the default.
func maxUnavailable(p *mcfgv1.MachineConfigPool, nodes int) (int, error) {
	if p.Spec.MaxUnavailable == nil {
		return 1, nil
	}
	limit, err := intstr.GetScaledValueFromIntOrPercent(p.Spec.MaxUnavailable, nodes, false)
	return max(1, limit), err
}

// BlockedError reports a pool in which only degraded nodes are left, or in which they take all of
// maxUnavailable.
type BlockedError struct {
	Pool           string
	Causes         []string // of the degraded nodes
	Updated        int
	Nodes          int
	MaxUnavailable int
}

func (e *BlockedError) Error() string {
	state := "cannot finish"
	if len(e.Causes) >= e.MaxUnavailable {
		state = "is blocked"
	}
	return fmt.Sprintf("pool %s %s, %d of %d nodes are updated: %s", e.Pool, state, e.Updated, e.Nodes, strings.Join(e.Causes, ", "))
}
