package source

import (
	"context"
	"errors"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// pageSize is how many objects are listed at a time: no more of them are held at once.
const pageSize = 250

// backoff is short, as a person waits for the server to come back.
var backoff = wait.Backoff{Duration: 500 * time.Millisecond, Factor: 1.5, Jitter: 0.2, Steps: 7, Cap: 5 * time.Second}

// Follow keeps a store up to date until ctx ends.
func (c *Cluster) Follow(ctx context.Context, s *Store) error {
	if err := c.choose(ctx, s); err != nil {
		return err
	}
	ctx, fail := context.WithCancelCause(ctx)
	var group sync.WaitGroup
	defer group.Wait()
	defer fail(nil)
	var readers []reader
	base := reader{Cluster: c, store: s, fail: fail}
	if !c.OnlyComponents {
		group := c.Client.MachineconfigurationV1()
		readers = append(readers, newReader(base, poolsResource, group.MachineConfigPools()), newReader(base, nodesResource, group.MachineConfigNodes()))
	}
	if c.Operator != nil {
		r := newReader(base, configurationsResource, c.Operator.OperatorV1().MachineConfigurations())
		r.optional = !c.OnlyComponents
		readers = append(readers, r)
	}
	s.edit(func() {
		for _, r := range readers {
			s.resources[r.name] = &access{}
		}
	})
	for _, r := range readers {
		var logger klog.Logger // what fails is on the screen
		reflector := cache.NewReflectorWithOptions(r.listWatch(), nil, r, cache.ReflectorOptions{Name: r.name, Logger: &logger, Backoff: &backoff})
		reflector.WatchListPageSize = pageSize
		group.Go(func() { reflector.RunWithContext(klog.NewContext(ctx, logger)) })
	}
	<-ctx.Done()
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// reader keeps the objects of one resource: it is the store of a reflector.
type reader struct {
	*Cluster
	name      string
	optional  bool
	store     *Store
	fail      func(error) // ends following
	listAll   func(context.Context, metav1.ListOptions) (runtime.Object, error)
	openWatch func(context.Context, metav1.ListOptions) (watch.Interface, error)
}

func newReader[L runtime.Object](r reader, name string, client interface {
	List(context.Context, metav1.ListOptions) (L, error)
	Watch(context.Context, metav1.ListOptions) (watch.Interface, error)
}) reader {
	r.name, r.openWatch = name, client.Watch
	r.listAll = func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) { return client.List(ctx, o) }
	return r
}

// pagedListWatch lists page by page. A server compresses pages, and not a streamed list, which has
// twenty times the bytes.
type pagedListWatch struct{ *cache.ListWatch }

// IsWatchListSemanticsUnSupported tells the reflector not to stream lists.
func (pagedListWatch) IsWatchListSemanticsUnSupported() bool { return true }

func (r reader) listWatch() pagedListWatch {
	return pagedListWatch{&cache.ListWatch{ListWithContextFunc: r.list, WatchFuncWithContext: r.watch}}
}

// list lists one page of the newest state: with a limit, a server takes a resource version as that
// of the list, and a watch from it may have expired.
func (r reader) list(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
	o.ResourceVersion = ""
	bounded, cancel := context.WithTimeout(ctx, r.Patience)
	defer cancel()
	list, err := r.listAll(bounded, o)
	if err != nil {
		r.failed(ctx, "list", err)
		return nil, err
	}
	r.store.contact(r.name, r.Now(), true)
	page := &internalversion.List{}
	if l, err := meta.ListAccessor(list); err == nil {
		page.ResourceVersion, page.Continue, page.RemainingItemCount = l.GetResourceVersion(), l.GetContinue(), l.GetRemainingItemCount()
	}
	return page, meta.EachListItem(list, func(obj runtime.Object) error {
		page.Items = append(page.Items, r.store.observe(obj))
		return nil
	})
}

// watch opens a watch. Until the server answers, its time is limited as that of a list.
func (r reader) watch(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
	opened, cancel := context.WithCancelCause(ctx)
	impatient := time.AfterFunc(r.Patience, func() { cancel(context.DeadlineExceeded) })
	w, err := r.openWatch(opened, o)
	if !impatient.Stop() && err == nil {
		w.Stop()
		err = context.DeadlineExceeded
	}
	if err != nil {
		r.failed(ctx, "watch", err)
		return nil, err
	}
	r.store.contact(r.name, r.Now(), true)
	r.store.edit(func() { r.store.resources[r.name].watched = true })
	return w, nil
}

// failed records a request that failed. If it was the first one of its verb, following ends. What may not be
// read is left out, unless nothing is left.
func (r reader) failed(ctx context.Context, verb string, err error) {
	if ctx.Err() != nil {
		return
	}
	isAnswer := apierrors.IsForbidden(err) || apierrors.IsNotFound(err) || apierrors.IsUnauthorized(err)
	if !isAnswer {
		r.store.contact(r.name, r.Now(), false)
	}
	explained := r.explain(ctx, verb, r.name, err)
	fatal := false
	r.store.edit(func() {
		state := r.store.resources[r.name]
		isFirst := verb == "list" && !state.listed || verb == "watch" && !state.watched && isAnswer
		isDenied := apierrors.IsForbidden(err) && verb == "list" && !r.OnlyComponents
		switch {
		case !isFirst:
			return
		case isDenied:
			state.denied = explained
			pools, nodes := r.store.resources[poolsResource], r.store.resources[nodesResource]
			if fatal = pools.denied != nil && nodes.denied != nil; fatal {
				explained = nodes.denied // whichever was answered first
			}
		case !r.optional:
			fatal = true
		}
		state.listed = state.listed || !fatal
	})
	if fatal {
		r.fail(explained)
	}
}

// Add adds an object.
func (r reader) Add(obj any) error { r.store.edit(func() { r.store.put(obj) }); return nil }

// Update replaces an object.
func (r reader) Update(obj any) error { return r.Add(obj) }

// Delete deletes an object.
func (r reader) Delete(obj any) error { r.store.edit(func() { r.store.remove(obj) }); return nil }

// Replace replaces all objects.
func (r reader) Replace(list []any, _ string) error { r.store.replace(r.name, list); return nil }

// Resync has nothing to do.
func (r reader) Resync() error { return nil }
