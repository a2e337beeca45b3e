package main

import (
	"context"
	"errors"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// backoff is short, as a person waits for the server to come back.
var backoff = wait.Backoff{Duration: 500 * time.Millisecond, Factor: 1.5, Jitter: 0.2, Steps: 7, Cap: 5 * time.Second}

// follow keeps a store up to date until ctx ends. It returns an error if it never can.
func (c *cluster) follow(ctx context.Context, s *store, t trimmer) error {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	var group sync.WaitGroup
	defer group.Wait()
	defer fail(nil)
	for _, r := range c.resources() {
		f := follower{cluster: c, resource: r, store: s, trimmer: t, fail: fail}
		var logger klog.Logger // what fails is on the screen
		reflector := cache.NewReflectorWithOptions(f.listWatch(), nil, f,
			cache.ReflectorOptions{Name: r.name, Logger: &logger, Backoff: &backoff})
		reflector.WatchListPageSize = pageSize
		group.Go(func() { reflector.RunWithContext(klog.NewContext(ctx, logger)) })
	}
	<-ctx.Done()
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// follower keeps the objects of one resource: it is the store of a reflector, which lists and
// watches trimmed objects only.
type follower struct {
	cluster  *cluster
	resource resource
	store    *store
	trimmer  trimmer
	fail     func(error)
}

func (f follower) listWatch() pagedListWatch {
	return pagedListWatch{&cache.ListWatch{ListWithContextFunc: f.list, WatchFuncWithContext: f.watch}}
}

// pagedListWatch lists page by page. A server compresses pages, and not a streamed list, which has
// twenty times the bytes.
type pagedListWatch struct{ *cache.ListWatch }

// IsWatchListSemanticsUnSupported tells the reflector not to stream lists.
func (pagedListWatch) IsWatchListSemanticsUnSupported() bool { return true }

// list lists one page of the newest state: with a limit, a server takes a resource version as that
// of the list, and a watch from it may have expired.
func (f follower) list(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
	o.ResourceVersion = ""
	bounded, cancel := context.WithTimeout(ctx, f.cluster.patience)
	defer cancel()
	list, err := f.resource.list(bounded, o)
	if err != nil {
		f.failed(ctx, "list", err)
		return nil, err
	}
	f.store.contact(f.resource.name, f.cluster.now())
	page := &trimmedList{}
	if l, err := meta.ListAccessor(list); err == nil {
		page.ResourceVersion, page.Continue, page.RemainingItemCount = l.GetResourceVersion(), l.GetContinue(), l.GetRemainingItemCount()
	}
	err = meta.EachListItem(list, func(obj runtime.Object) error {
		page.Items = append(page.Items, f.trimmer.transform(obj))
		return nil
	})
	return page, err
}

// watch opens a watch whose objects are trimmed. Until the server answers, its time is limited as that
// of a list.
func (f follower) watch(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
	opened, cancel := context.WithCancel(ctx)
	impatient := time.AfterFunc(f.cluster.patience, cancel)
	source, err := f.resource.watch(opened, o)
	if !impatient.Stop() {
		if err == nil {
			source.Stop()
		}
		err = context.DeadlineExceeded
	}
	if err != nil {
		cancel()
		f.failed(ctx, "watch", err)
		return nil, err
	}
	f.store.watches(f.resource.name)
	f.store.contact(f.resource.name, f.cluster.now())
	w := &trimmedWatch{source: source, events: make(chan watch.Event), stopped: make(chan struct{})}
	go func() {
		defer cancel()
		w.run(f)
	}()
	return w, nil
}

// failed records that the server does not respond. If it never can, following ends.
func (f follower) failed(ctx context.Context, verb string, err error) {
	if ctx.Err() != nil {
		return
	}
	f.store.lostContact(f.resource.name, f.cluster.now())
	if f.store.isNew(f.resource.name, verb) && isFinal(verb, err) {
		f.fail(f.cluster.explain(ctx, verb, f.resource.name, err))
	}
}

// Add adds an object.
func (f follower) Add(obj any) error { f.store.put(obj); return nil }

// Update replaces an object.
func (f follower) Update(obj any) error { f.store.put(obj); return nil }

// Delete deletes an object.
func (f follower) Delete(obj any) error { f.store.remove(obj); return nil }

// Replace replaces all objects.
func (f follower) Replace(list []any, _ string) error {
	f.store.replace(f.resource.name, list)
	return nil
}

// Resync has nothing to do.
func (f follower) Resync() error { return nil }

// trimmedList is a page of trimmed objects.
type trimmedList struct {
	metav1.TypeMeta
	metav1.ListMeta
	Items []runtime.Object
}

// DeepCopyObject returns a shallow copy: what it shares is immutable.
func (l *trimmedList) DeepCopyObject() runtime.Object {
	other := *l
	return &other
}
