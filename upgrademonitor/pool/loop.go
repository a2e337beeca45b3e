package pool

import (
	"context"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

// loop is one Run of a Controller: the names of the pools that are to be looked at, and what
// it remembers of them.
type loop struct {
	*Controller
	queue   workqueue.TypedRateLimitingInterface[string]
	pace    pace
	written written
}

// next looks at the next pool. It returns false when there are no more.
func (l *loop) next(ctx context.Context) bool {
	name, shutdown := l.queue.Get()
	if shutdown {
		return false
	}
	defer l.queue.Done(name)
	if ctx.Err() != nil {
		return false
	}
	if rest := l.pace.wait(name, l.config.Clock.Now()); rest > 0 {
		l.queue.AddAfter(name, rest)
		return true
	}
	if err := l.sync(ctx, name); err != nil {
		if ctx.Err() == nil {
			logFailure(ctx, name, err)
		}
		l.queue.AddRateLimited(name)
		return true
	}
	l.queue.Forget(name)
	return true
}

// sync makes one attempt to give a pool the status that it is to have.
func (l *loop) sync(ctx context.Context, name string) error {
	cached, err := l.pools.Get(name)
	if apierrors.IsNotFound(err) {
		l.pace.forget(name)
		l.written.forget(name)
		return nil
	}
	if err != nil {
		return err
	}
	pool := l.written.newer(cached)
	nodes, mcns, err := l.members(ctx, name)
	if err != nil {
		return err
	}
	status := Status(pool, nodes, mcns, l.config.Image(pool), metav1.NewTime(l.config.Clock.Now()))
	if equality.Semantic.DeepEqual(status, pool.Status) {
		return nil
	}
	return l.write(ctx, pool, status)
}

// members returns the nodes of a pool and their MachineConfigNodes, as far as there are any.
func (l *loop) members(ctx context.Context, name string) ([]*corev1.Node, []*mcfgv1.MachineConfigNode, error) {
	pools, err := l.pools.List(labels.Everything())
	if err != nil {
		return nil, nil, err
	}
	all, err := l.nodes.List(labels.Everything())
	if err != nil {
		return nil, nil, err
	}
	var nodes []*corev1.Node
	var mcns []*mcfgv1.MachineConfigNode
	selections := selections(pools)
	for _, node := range all {
		pool, err := primary(node, selections)
		if isConflict(err) {
			klog.FromContext(ctx).V(4).Info("Left a node out", "pool", name, "err", err)
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		if pool == nil || pool.Name != name {
			continue
		}
		nodes = append(nodes, node)
		if mcn, err := l.mcns.Get(node.Name); err == nil {
			mcns = append(mcns, mcn)
		}
	}
	return nodes, mcns, nil
}

// logFailure says that a pool will be tried again. That others wrote first is no news.
func logFailure(ctx context.Context, name string, err error) {
	logger := klog.FromContext(ctx)
	if apierrors.IsConflict(err) {
		logger.V(2).Info("Others wrote the status of a pool first, will try again", "pool", name)
		return
	}
	logger.Error(err, "Could not bring the status of a pool up to date, will try again", "pool", name)
}
