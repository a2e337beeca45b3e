package pool

import (
	"context"
	"fmt"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/controller"
)

// owned is the fields of the status that every write has. The configuration is there where it
// changes: its list of sources makes it the largest part of a healthy pool's status.
var owned = []string{
	"observedGeneration", "machineCount", "updatedMachineCount", "readyMachineCount", "unavailableMachineCount", "degradedMachineCount",
	"conditions", "poolSynchronizersStatus",
}

// write patches the status of a pool. The resource version makes it fail if another process wrote
// first, since the conditions are one list with many writers. A pool that was deleted needs none.
func (r *reconciler) write(ctx context.Context, pool *mcfgv1.MachineConfigPool, status mcfgv1.MachineConfigPoolStatus) error {
	body, err := controller.MergePatch(map[string]any{"resourceVersion": pool.ResourceVersion}, "status", pool.Status, status, owned...)
	if err != nil {
		return fmt.Errorf("encode the status of MachineConfigPool %s: %w", pool.Name, err)
	}
	ctx, cancel := context.WithTimeout(ctx, r.config.Timeout)
	defer cancel()
	options := metav1.PatchOptions{FieldManager: r.config.FieldManager}
	next, err := r.config.Client.MachineconfigurationV1().MachineConfigPools().Patch(ctx, pool.Name, types.MergePatchType, body, options, "status")
	switch {
	case apierr.Classify(err) == apierr.NotFound:
		return nil
	case err != nil:
		return fmt.Errorf("patch the status of MachineConfigPool %s: %w", pool.Name, err)
	}
	next.ManagedFields = nil
	r.written.Set(pool.Name, next)
	return nil
}

// newer returns the newer of a pool of the informer and the last write of it.
func (r *reconciler) newer(cached *mcfgv1.MachineConfigPool) *mcfgv1.MachineConfigPool {
	last, ok := r.written.Get(cached.Name)
	if !ok || last.UID != cached.UID {
		return cached
	}
	if order, err := resourceversion.CompareResourceVersion(last.ResourceVersion, cached.ResourceVersion); err != nil || order <= 0 {
		return cached
	}
	return last
}

// isOwnWrite reports whether a pool is what the last write returned.
func (r *reconciler) isOwnWrite(pool *mcfgv1.MachineConfigPool) bool {
	last, ok := r.written.Get(pool.Name)
	return ok && last.UID == pool.UID && last.ResourceVersion == pool.ResourceVersion
}
