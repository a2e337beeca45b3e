package pool

import (
	"sync"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"k8s.io/apimachinery/pkg/util/resourceversion"
)

// written remembers the pools as this process has last written them, for the informer hears of a
// write later than the one who made it. A write that is computed from the older object is a
// conflict for nothing.
type written struct {
	mu    sync.Mutex
	pools map[string]*mcfgv1.MachineConfigPool
}

// newer returns the pool that was cached, or the one that was written, where that is newer.
func (w *written) newer(cached *mcfgv1.MachineConfigPool) *mcfgv1.MachineConfigPool {
	w.mu.Lock()
	defer w.mu.Unlock()
	own, ok := w.pools[cached.Name]
	if !ok {
		return cached
	}
	order, err := resourceversion.CompareResourceVersion(own.ResourceVersion, cached.ResourceVersion)
	if err == nil && order > 0 && own.UID == cached.UID {
		return own
	}
	return cached
}

// is reports whether a pool is as it was last written.
func (w *written) is(pool *mcfgv1.MachineConfigPool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	own, ok := w.pools[pool.Name]
	return ok && own.UID == pool.UID && own.ResourceVersion == pool.ResourceVersion
}

// remember keeps what a write has returned.
func (w *written) remember(pool *mcfgv1.MachineConfigPool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pools[pool.Name] = pool
}

// forget drops a pool that is gone.
func (w *written) forget(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.pools, name)
}
