package pool

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
)

// patch is the merge patch of a status: what Status computes, and nothing else. The resource
// version makes it fail if another process wrote first, since the conditions are one list with
// many writers.
type patch struct {
	Metadata patchMetadata `json:"metadata"`
	Status   patchStatus   `json:"status"`
}

type patchMetadata struct {
	ResourceVersion string `json:"resourceVersion"`
}

type patchStatus struct {
	ObservedGeneration      int64                               `json:"observedGeneration"`
	MachineCount            int32                               `json:"machineCount"`
	UpdatedMachineCount     int32                               `json:"updatedMachineCount"`
	ReadyMachineCount       int32                               `json:"readyMachineCount"`
	UnavailableMachineCount int32                               `json:"unavailableMachineCount"`
	DegradedMachineCount    int32                               `json:"degradedMachineCount"`
	Configuration           json.RawMessage                     `json:"configuration,omitempty"` // a merge patch of its own
	Conditions              []mcfgv1.MachineConfigPoolCondition `json:"conditions"`
	PoolSynchronizersStatus []mcfgv1.PoolSynchronizerStatus     `json:"poolSynchronizersStatus"`
}

// newPatch returns the patch from a pool's status to another one.
func newPatch(pool *mcfgv1.MachineConfigPool, status mcfgv1.MachineConfigPoolStatus) ([]byte, error) {
	configuration, err := configurationPatch(pool.Status.Configuration, status.Configuration)
	if err != nil {
		return nil, err
	}
	return json.Marshal(patch{
		Metadata: patchMetadata{ResourceVersion: pool.ResourceVersion},
		Status: patchStatus{
			ObservedGeneration:      status.ObservedGeneration,
			MachineCount:            status.MachineCount,
			UpdatedMachineCount:     status.UpdatedMachineCount,
			ReadyMachineCount:       status.ReadyMachineCount,
			UnavailableMachineCount: status.UnavailableMachineCount,
			DegradedMachineCount:    status.DegradedMachineCount,
			Configuration:           configuration,
			Conditions:              status.Conditions,
			PoolSynchronizersStatus: status.PoolSynchronizersStatus,
		},
	})
}

// configurationPatch returns what changes in the configuration, with null for what is removed; nil
// if nothing changes. Its list of sources makes it the largest part of a healthy pool's status.
func configurationPatch(from, to mcfgv1.MachineConfigPoolStatusConfiguration) (json.RawMessage, error) {
	before, err := json.Marshal(from)
	if err != nil {
		return nil, err
	}
	after, err := json.Marshal(to)
	if err != nil {
		return nil, err
	}
	if string(before) == string(after) {
		return nil, nil
	}
	return jsonmergepatch.CreateThreeWayJSONMergePatch(before, after, before)
}

// write patches the status of a pool. A pool that was deleted needs none.
func (r *reconciler) write(ctx context.Context, pool *mcfgv1.MachineConfigPool, status mcfgv1.MachineConfigPoolStatus) error {
	body, err := newPatch(pool, status)
	if err != nil {
		return fmt.Errorf("encode the status of MachineConfigPool %s: %w", pool.Name, err)
	}
	ctx, cancel := context.WithTimeout(ctx, r.config.Timeout)
	defer cancel()
	options := metav1.PatchOptions{FieldManager: r.config.FieldManager}
	next, err := r.config.Client.MachineconfigurationV1().MachineConfigPools().Patch(ctx, pool.Name, types.MergePatchType, body, options, "status")
	switch {
	case apierrors.IsNotFound(err) && apierr.Classify(err) != apierr.NoCRD:
		return nil
	case err != nil:
		return fmt.Errorf("patch the status of MachineConfigPool %s: %w", pool.Name, err)
	}
	next.ManagedFields = nil
	r.writes.set(next)
	return nil
}

// writeCache keeps each pool as this process last wrote it, since the informer lags behind. A
// write that is computed from an older object is an unnecessary conflict.
type writeCache struct {
	mu    sync.Mutex // guards pools
	pools map[string]*mcfgv1.MachineConfigPool
}

// newer returns the newer of a pool of the informer and the last write of it.
func (w *writeCache) newer(cached *mcfgv1.MachineConfigPool) *mcfgv1.MachineConfigPool {
	w.mu.Lock()
	defer w.mu.Unlock()
	last, ok := w.pools[cached.Name]
	if !ok {
		return cached
	}
	order, err := resourceversion.CompareResourceVersion(last.ResourceVersion, cached.ResourceVersion)
	if err == nil && order > 0 && last.UID == cached.UID {
		return last
	}
	return cached
}

// isLast reports whether a pool is what the last write returned.
func (w *writeCache) isLast(pool *mcfgv1.MachineConfigPool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	last, ok := w.pools[pool.Name]
	return ok && last.UID == pool.UID && last.ResourceVersion == pool.ResourceVersion
}

// set keeps what a write returned.
func (w *writeCache) set(pool *mcfgv1.MachineConfigPool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pools[pool.Name] = pool
}

// forget drops a pool that was deleted.
func (w *writeCache) forget(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.pools, name)
}
