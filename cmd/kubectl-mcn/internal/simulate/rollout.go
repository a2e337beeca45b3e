package simulate

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

// ErrFinished is the end of a rollout.
var ErrFinished = errors.New("the rollout is over")

// BlockedError reports a pool that degraded nodes keep from completing.
type BlockedError struct {
	Pool   string
	Causes []string // of the degraded nodes
}

func (e *BlockedError) Error() string {
	return fmt.Sprintf("pool %s is blocked: %s", e.Pool, strings.Join(e.Causes, ", "))
}

// Start waits until each node has reported that it is updated.
func (c *Cluster) Start(ctx context.Context) error {
	return c.until(ctx, func() (bool, error) {
		for _, name := range nodeNames(c.options.Nodes) {
			mcn, err := c.machineConfigNodes().Lister().Get(name)
			if err != nil || !meta.IsStatusConditionTrue(mcn.Status.Conditions, string(phases.Updated)) {
				return false, nil //nolint:nilerr // it has yet to be created
			}
		}
		return true, nil
	})
}

// Rollout takes the place of a cluster's node controller: it gives all pools their second config, and then
// their nodes, pool by pool. It returns ErrFinished at the end, or a BlockedError.
func (c *Cluster) Rollout(ctx context.Context) error {
	for _, name := range poolNames {
		patch := fmt.Appendf(nil, `{"spec":{"configuration":{"name":%q}}}`, rendered(name, 2))
		if _, err := c.Client.MachineconfigurationV1().MachineConfigPools().Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
			return err
		}
	}
	for _, name := range poolNames {
		ordered := map[string]bool{}
		if err := c.until(ctx, func() (bool, error) { return c.advance(ctx, name, ordered) }); err != nil {
			return err
		}
	}
	return ErrFinished
}

// advance orders the update of as many nodes of a pool as may be unavailable, and reports whether all are updated.
func (c *Cluster) advance(ctx context.Context, poolName string, ordered map[string]bool) (bool, error) {
	nodes := sizes(c.options.Nodes)[poolName]
	limit := map[string]int{pool.Master: 1, pool.Worker: max(1, nodes/4)}[poolName]
	updated, unavailable := 0, 0
	var waiting, causes []string
	for i := range nodes {
		name := fmt.Sprintf("%s-%d", poolName, i)
		mcn, err := c.machineConfigNodes().Lister().Get(name)
		if err != nil {
			return false, err
		}
		list := mcn.Status.Conditions
		switch {
		case !ordered[name]:
			waiting = append(waiting, name)
		case meta.IsStatusConditionTrue(list, string(phases.NodeDegraded)):
			unavailable++
			causes = append(causes, meta.FindStatusCondition(list, string(phases.NodeDegraded)).Message)
		case meta.IsStatusConditionTrue(list, string(phases.Updated)) && mcn.Status.ConfigVersion != nil && mcn.Status.ConfigVersion.Current == rendered(poolName, 2):
			updated++
		default:
			unavailable++
		}
	}
	next := waiting[:min(len(waiting), max(0, limit-unavailable))]
	for _, name := range next {
		if _, err := c.patchNode(ctx, name, `{"metadata":{"annotations":{%q:%q}}}`, upgrademonitor.DesiredConfigAnnotation, rendered(poolName, 2)); err != nil {
			return false, err
		}
		ordered[name] = true
	}
	if len(causes) > 0 && unavailable == len(causes) && len(next) == 0 {
		return false, &BlockedError{Pool: poolName, Causes: causes}
	}
	return updated == nodes, nil
}
