package failurelog

import (
	"context"
	"sync"
)

// maxKeys is how many objects have a Log of their own at a time.
const maxKeys = 1000

// Keyed logs the failures of many objects, each as a Log does. Those that begin while maxKeys
// others last have one Log in common, so that neither memory nor log grows with the cluster.
// The zero value is usable, by any number of goroutines. It must not be copied.
type Keyed struct {
	mu     sync.Mutex
	logs   map[string]*Log
	shared Log // those beyond maxKeys
}

// Failed logs an error of an object, as Log.Failed does.
func (k *Keyed) Failed(ctx context.Context, key string, err error, message string, keysAndValues ...any) {
	log, own := k.logOf(key)
	if err == nil || !log.begins(causeOf(err)) {
		return
	}
	if !own {
		keysAndValues = append([]any{"alsoOthers", true}, keysAndValues...)
	}
	logFailure(ctx, err, message, keysAndValues)
}

// Recovered logs that the failure of an object is over, as Log.Recovered does.
func (k *Keyed) Recovered(ctx context.Context, key, message string, keysAndValues ...any) {
	if failed := k.remove(key); failed > 0 {
		logRecovery(ctx, failed, message, keysAndValues)
	}
}

// Forget removes an object that was deleted, and logs nothing.
func (k *Keyed) Forget(key string) { k.remove(key) }

// logOf returns the Log of an object, and whether it is its own.
func (k *Keyed) logOf(key string) (log *Log, own bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if log := k.logs[key]; log != nil {
		return log, true
	}
	if len(k.logs) >= maxKeys {
		return &k.shared, false
	}
	if k.logs == nil {
		k.logs = map[string]*Log{}
	}
	k.logs[key] = &Log{}
	return k.logs[key], true
}

// remove removes the Log of an object, and returns how many attempts had failed. The next one
// beyond maxKeys gets its place; the shared Log starts again once there was room for all.
func (k *Keyed) remove(key string) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	log := k.logs[key]
	if log == nil {
		return 0
	}
	delete(k.logs, key)
	if len(k.logs) == 0 {
		k.shared.ends()
	}
	return log.ends()
}
