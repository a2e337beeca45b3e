package pool

import (
	"sync"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"k8s.io/apimachinery/pkg/util/resourceversion"
)

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
