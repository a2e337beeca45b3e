package main

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

// What stands in for the node controller of a cluster: it gives the pools a new config,
// and then their nodes, pool by pool.

// update takes all nodes to the second config of their pools.
func (w *world) update(ctx context.Context) error {
	for _, name := range poolNames {
		patch := fmt.Appendf(nil, `{"spec":{"configuration":{"name":%q}}}`, rendered(name, 2))
		if _, err := w.client.MachineconfigurationV1().MachineConfigPools().Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
			return err
		}
	}
	for _, name := range poolNames {
		if err := w.until(ctx, func(now state) (bool, error) { return w.advance(ctx, name, now) }); err != nil {
			return err
		}
	}
	return nil
}

// advance has as many nodes of a pool begin their update as may be unavailable. It reports
// whether all are done, and the pool's status says so. That nothing can go on, for nodes are
// degraded, is an error.
func (w *world) advance(ctx context.Context, poolName string, now state) (bool, error) {
	p := now.pools[slices.IndexFunc(now.pools, func(p *mcfgv1.MachineConfigPool) bool { return p.Name == poolName })]
	limit, err := maxUnavailable(p, len(now.nodes[poolName]))
	if err != nil {
		return false, err
	}
	var done, down int
	var waiting, degraded []string
	for _, node := range now.nodes[poolName] {
		status := statusOf(p, []*corev1.Node{node}, now)
		asked := node.Annotations[upgrademonitor.DesiredConfigAnnotation] == p.Spec.Configuration.Name
		switch {
		case status.ReadyMachineCount == 1: // it has the config, and nothing is wrong with it
			done++
		case status.UnavailableMachineCount == 1 || asked:
			down++
			if status.DegradedMachineCount == 1 {
				degraded = append(degraded, trouble(now.mcns[node.Name]))
			}
		default:
			waiting = append(waiting, node.Name)
		}
	}
	begin := waiting[:min(len(waiting), max(0, limit-down))]
	for _, name := range begin {
		if _, err := w.patchNode(ctx, name, `{"metadata":{"annotations":{%q:%q}}}`, upgrademonitor.DesiredConfigAnnotation, p.Spec.Configuration.Name); err != nil {
			return false, err
		}
	}
	if len(degraded) > 0 && down == len(degraded) && len(begin) == 0 {
		return false, &degradedError{pool: poolName, troubles: degraded, done: done, all: len(now.nodes[poolName])}
	}
	return done == len(now.nodes[poolName]) && p.Status.Configuration.Name == p.Spec.Configuration.Name, nil
}

// trouble is what a degraded node says.
func trouble(mcn *mcfgv1.MachineConfigNode) string {
	if c := meta.FindStatusCondition(mcn.Status.Conditions, string(phases.NodeDegraded)); c != nil {
		return c.Message
	}
	return mcn.Name
}

// maxUnavailable returns how many of a pool's nodes may be unavailable at a time: one, if it
// does not say, and never none.
func maxUnavailable(p *mcfgv1.MachineConfigPool, nodes int) (int, error) {
	if p.Spec.MaxUnavailable == nil {
		return 1, nil
	}
	limit, err := intstr.GetScaledValueFromIntOrPercent(p.Spec.MaxUnavailable, nodes, false)
	return max(1, limit), err
}

// degradedError says that a pool cannot go on.
type degradedError struct {
	pool      string
	troubles  []string // what its degraded nodes say
	done, all int
}

func (e *degradedError) Error() string {
	return fmt.Sprintf("pool %s stopped, %d of %d nodes are updated: %s", e.pool, e.done, e.all, strings.Join(e.troubles, ", "))
}
