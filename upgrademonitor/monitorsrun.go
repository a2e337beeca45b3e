package upgrademonitor

import (
	"context"
	"maps"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/workqueue"
)

// retryWorkers is at how many nodes at a time Monitors.Run tries to write what is pending.
const retryWorkers = 4

type retryQueue = workqueue.TypedDelayingInterface[string]

// Run is Monitor.Run for all nodes, those that are added later included: it writes what is
// pending, a few nodes at a time, until ctx ends.
func (m *Monitors) Run(ctx context.Context) error {
	if m == nil {
		<-ctx.Done()
		return nil
	}
	r := &retrier{
		monitors: m,
		queue:    workqueue.NewTypedDelayingQueueWithConfig(workqueue.TypedDelayingQueueConfig[string]{Clock: m.config.timers}),
		limiter:  workqueue.NewTypedItemExponentialFailureRateLimiter[string](retryBackoff.Duration, retryBackoff.Cap),
		timeouts: map[string]time.Duration{},
	}
	m.addRetries(r.queue)
	defer m.removeRetries(r.queue)

	var workers sync.WaitGroup
	for range retryWorkers {
		workers.Go(func() {
			for r.processNextItem(ctx) {
			}
		})
	}
	for name, monitor := range m.all() {
		if monitor.store.head() != nil {
			r.queue.Add(name)
		}
	}
	if m.config.Lister != nil {
		m.healUntilDone(ctx)
	}
	<-ctx.Done()
	r.queue.ShutDown()
	workers.Wait()
	return nil
}

func (m *Monitors) healUntilDone(ctx context.Context) {
	ticker := m.config.timers.NewTicker(listerInterval)
	defer ticker.Stop()
	for ctx.Err() == nil {
		m.heal(ctx)
		select {
		case <-ctx.Done():
		case <-ticker.C():
		}
	}
}

// heal has the objects that the Lister does not show any more created again.
func (m *Monitors) heal(ctx context.Context) {
	for _, monitor := range m.all() {
		monitor.heal(ctx)
	}
}

// retrier is one Run of Monitors.
type retrier struct {
	monitors *Monitors
	queue    retryQueue
	limiter  workqueue.TypedRateLimiter[string]

	mu       sync.Mutex
	timeouts map[string]time.Duration // of the next attempt at a node, where it is longer than the first
}

// processNextItem makes one attempt at the next node. It returns false when there are no more.
func (r *retrier) processNextItem(ctx context.Context) bool {
	name, shutdown := r.queue.Get()
	if shutdown {
		return false
	}
	defer r.queue.Done(name)
	monitor, ok := r.monitors.get(name)
	if !ok {
		r.forget(name)
		return true
	}
	timeout := r.timeout(name)
	err := monitor.flush(ctx, timeout)
	if err == nil {
		r.forget(name)
		return true
	}
	r.setTimeout(name, longer(timeout, err))
	r.queue.AddAfter(name, wait.Jitter(r.limiter.When(name), retryBackoff.Jitter))
	return true
}

func (r *retrier) forget(name string) {
	r.limiter.Forget(name)
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.timeouts, name)
}

func (r *retrier) timeout(name string) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return max(r.timeouts[name], r.monitors.config.Timeout)
}

func (r *retrier) setTimeout(name string, timeout time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.timeouts[name] = timeout
}

// retry has every Run try a node.
func (m *Monitors) retry(nodeName string) {
	m.mu.Lock()
	queues := maps.Clone(m.retries)
	m.mu.Unlock()
	for queue := range queues {
		queue.Add(nodeName)
	}
}

func (m *Monitors) addRetries(queue retryQueue) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.retries[queue] = struct{}{}
}

func (m *Monitors) removeRetries(queue retryQueue) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.retries, queue)
}
