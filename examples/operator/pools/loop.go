// Package pools writes the status of every MachineConfigPool. Package pool computes the status. Copy
// this package, or call pool.Status in the loop of your own controller.
package pools

import (
	"context"
	"errors"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	mcfginformers "github.com/openshift/client-go/machineconfiguration/informers/externalversions/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

const (
	// pause is the minimum time between two syncs of a pool. Each heartbeat of a Node enqueues all
	// pools.
	pause = 500 * time.Millisecond
	// timeout limits each request.
	timeout = 10 * time.Second
)

// Loop writes the status of every pool.
type Loop struct {
	// Interval is the minimum time between two writes of a pool, because the API server sends each
	// write to every daemon. New sets it to 5 seconds. Change it before you call Run.
	Interval time.Duration

	client   mcfgclientset.Interface
	nodes    coreinformers.NodeInformer
	objects  mcfginformers.Interface
	recorder record.EventRecorder
	queue    workqueue.TypedRateLimitingInterface[string]
	next     map[string]time.Time // the earliest time of the next sync, by the name of the pool
}

// New returns a Loop. It requests informers from their factories, so start the factories after New.
// The cluster must have the CRDs of MachineConfigPool, MachineConfigNode, MachineOSConfig and
// MachineOSBuild.
func New(
	client mcfgclientset.Interface,
	nodes coreinformers.NodeInformer,
	objects mcfginformers.Interface,
	recorder record.EventRecorder,
) *Loop {
	l := &Loop{
		Interval: 5 * time.Second,
		client:   client,
		nodes:    nodes,
		objects:  objects,
		recorder: recorder,
		next:     map[string]time.Time{},
	}
	l.informers()
	return l
}

func (l *Loop) informers() []cache.SharedIndexInformer {
	return []cache.SharedIndexInformer{
		l.nodes.Informer(),
		l.objects.MachineConfigPools().Informer(),
		l.objects.MachineConfigNodes().Informer(),
		l.objects.MachineOSConfigs().Informer(),
		l.objects.MachineOSBuilds().Informer(),
	}
}

// Run syncs one pool at a time until ctx ends. Call Run once.
func (l *Loop) Run(ctx context.Context) error {
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[string](pause, 30*time.Second)
	l.queue = workqueue.NewTypedRateLimitingQueue(limiter)
	defer l.queue.ShutDown()
	defer context.AfterFunc(ctx, l.queue.ShutDown)()
	changed := func(any) { // any object may affect any pool
		for _, p := range l.pools() {
			l.queue.Add(p.Name)
		}
	}
	handler := cache.ResourceEventHandlerFuncs{
		AddFunc:    changed,
		UpdateFunc: func(_, object any) { changed(object) },
		DeleteFunc: changed,
	}
	var synced []cache.DoneChecker
	for _, informer := range l.informers() {
		registration, err := informer.AddEventHandler(handler)
		if err != nil {
			return err
		}
		synced = append(synced, registration.HasSyncedChecker())
	}
	if cache.WaitFor(ctx, "", synced...) {
		for l.syncNext(ctx) {
		}
	}
	return nil
}

// syncNext syncs the next pool of the queue. It returns false if ctx has ended.
func (l *Loop) syncNext(ctx context.Context) bool {
	name, _ := l.queue.Get() // returns when ctx has ended
	if ctx.Err() != nil {
		return false
	}
	defer l.queue.Done(name)
	if rest := time.Until(l.next[name]); rest > 0 {
		l.queue.AddAfter(name, rest)
		return true
	}
	written, err := l.sync(ctx, name)
	l.next[name] = time.Now().Add(pause)
	switch {
	case apierrors.IsConflict(err): // the pool in the cache is out of date
		l.queue.AddAfter(name, pause)
	case err != nil:
		klog.FromContext(ctx).Error(err, "Failed to sync MachineConfigPool, retrying", "pool", name)
		l.queue.AddRateLimited(name)
	default:
		l.queue.Forget(name)
		if written {
			l.next[name] = time.Now().Add(l.Interval)
		}
	}
	return true
}

// sync computes the status of a pool, and writes the status if it differs from the cached status.
func (l *Loop) sync(ctx context.Context, name string) (written bool, err error) {
	before, err := l.objects.MachineConfigPools().Lister().Get(name)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	nodes, err := l.nodesOf(name)
	if err != nil {
		return false, err
	}
	// A lister reads from a cache, so List never returns an error.
	mcns, _ := l.objects.MachineConfigNodes().Lister().List(labels.Everything())
	after := before.DeepCopy()
	after.Status = pool.Status(before, nodes, mcns, l.options(before), metav1.Now())
	if equality.Semantic.DeepEqual(before.Status, after.Status) {
		return false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	// Several controllers write conditions of a pool. If another controller has changed the pool
	// since it was cached, UpdateStatus returns a conflict.
	client := l.client.MachineconfigurationV1().MachineConfigPools()
	if _, err = client.UpdateStatus(ctx, after, metav1.UpdateOptions{}); err != nil {
		return false, err
	}
	reference := &corev1.ObjectReference{
		APIVersion: mcfgv1.GroupVersion.String(),
		Kind:       "MachineConfigPool",
		Name:       name,
		UID:        before.UID,
	}
	for _, e := range pool.Events(before, before.Status, after.Status) {
		l.recorder.Event(reference, e.Type, e.Reason, e.Message)
	}
	return true, nil
}

// nodesOf returns the Nodes of a pool. A Node belongs to no pool if conflicting pools select the
// Node. If the nodeSelector of any pool is invalid, the Nodes of every pool are unknown, and
// nodesOf returns an error.
func (l *Loop) nodesOf(name string) (nodes []*corev1.Node, err error) {
	pools := l.pools()
	all, _ := l.nodes.Lister().List(labels.Everything())
	for _, node := range all {
		primary, err := pool.Primary(node, pools)
		var conflict *pool.ConflictError
		if err != nil && !errors.As(err, &conflict) {
			return nil, err
		}
		if primary != nil && primary.Name == name {
			nodes = append(nodes, node)
		}
	}
	return nodes, nil
}

// options returns the MachineOSConfig of a pool, and its current MachineOSBuild. An annotation of the
// MachineOSConfig names the current build. If no build has this name, the newest build is returned.
func (l *Loop) options(p *mcfgv1.MachineConfigPool) (o pool.Options) {
	configs, _ := l.objects.MachineOSConfigs().Lister().List(labels.Everything())
	builds, _ := l.objects.MachineOSBuilds().Lister().List(labels.Everything())
	for _, config := range configs {
		if config.Spec.MachineConfigPool.Name == p.Name {
			o.MachineOSConfig = config
		}
	}
	if o.MachineOSConfig == nil {
		return o
	}
	for _, build := range builds {
		isOfConfig := build.Spec.MachineOSConfig.Name == o.MachineOSConfig.Name
		if !isOfConfig || build.Spec.MachineConfig.Name != p.Spec.Configuration.Name {
			continue
		}
		if build.Name == o.MachineOSConfig.Annotations[currentBuild] {
			o.MachineOSBuild = build
			break
		}
		if o.MachineOSBuild == nil || o.MachineOSBuild.CreationTimestamp.Before(&build.CreationTimestamp) {
			o.MachineOSBuild = build
		}
	}
	return o
}

// currentBuild is the annotation of a MachineOSConfig that names its current MachineOSBuild.
const currentBuild = "machineconfiguration.openshift.io/current-machine-os-build"

func (l *Loop) pools() []*mcfgv1.MachineConfigPool {
	list, _ := l.objects.MachineConfigPools().Lister().List(labels.Everything())
	return list
}
