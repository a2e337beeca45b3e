package source

import (
	"context"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/pager"
	"k8s.io/klog/v2"
)

// pageSize is how many objects are listed at a time.
const pageSize = 250

// backoff is short, as a person waits for the server to come back.
var backoff = wait.Backoff{Duration: 500 * time.Millisecond, Factor: 1.5, Jitter: 0.2, Steps: 7, Cap: 5 * time.Second}

// reader keeps the objects of one resource. If it follows a cluster, it is the
// store of a reflector.
type reader struct {
	*Cluster
	name   string
	client rest.Interface
	follow bool
	store  *Store
	fail   func(error) // ends reading
	server *cache.ListWatch
}

// read lists all objects. If follow is set, it keeps them up to date until ctx ends.
func (r reader) read(ctx context.Context) {
	if r.follow {
		var logger klog.Logger // what fails is on the screen
		source := pagedListWatch{&cache.ListWatch{ListWithContextFunc: r.list, WatchFuncWithContext: r.watch}}
		reflector := cache.NewReflectorWithOptions(source, nil, r, cache.ReflectorOptions{Name: r.name, Logger: &logger, Backoff: &backoff})
		reflector.WatchListPageSize = pageSize
		reflector.RunWithContext(klog.NewContext(ctx, logger))
		return
	}
	pages := pager.New(r.list)
	pages.PageSize = pageSize
	_, _, _ = pages.List(ctx, metav1.ListOptions{}) // list stores the objects, and reports an error
}

// pagedListWatch lists page by page. A server compresses pages, and not a streamed list, which has
// twenty times the bytes.
type pagedListWatch struct{ *cache.ListWatch }

// IsWatchListSemanticsUnSupported tells the reflector not to stream lists.
func (pagedListWatch) IsWatchListSemanticsUnSupported() bool { return true }

// list stores one page of the newest state, and returns the page without its objects, so that only
// one page is in memory at a time. It requests no resource version: with a limit, the server would
// return exactly that version, and a watch from it may have expired.
func (r reader) list(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
	o.ResourceVersion = ""
	bounded, cancel := context.WithTimeout(ctx, r.RequestTimeout)
	defer cancel()
	list, err := r.server.ListWithContext(bounded, o)
	switch {
	case apierrors.IsResourceExpired(err) && o.Continue != "":
		return nil, err // the pager lists again, without pages
	case err != nil:
		r.failed(ctx, "list", err)
		return nil, err
	}
	r.responded(func(*access) {})
	l, err := meta.ListAccessor(list)
	if err != nil {
		return nil, err
	}
	page := &internalversion.List{}
	page.ResourceVersion, page.Continue = l.GetResourceVersion(), l.GetContinue()
	return page, r.store.putPage(r.name, list, o.Continue == "", page.Continue == "")
}

// watch opens a watch. Until the server responds, the time is limited as for a list.
func (r reader) watch(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
	opened, cancel := context.WithCancelCause(ctx)
	timeout := time.AfterFunc(r.RequestTimeout, func() { cancel(context.DeadlineExceeded) })
	w, err := r.server.WatchWithContext(opened, o)
	if !timeout.Stop() && err == nil {
		w.Stop()
		err = context.DeadlineExceeded
	}
	if err != nil {
		r.failed(ctx, "watch", err)
		return nil, err
	}
	r.responded(func(a *access) { a.watched = true })
	return w, nil
}

// responded records a response of the server.
func (r reader) responded(change func(*access)) {
	r.store.edit(func() {
		a := r.store.resources[r.name]
		a.responded, a.lost, a.failure = r.Now(), time.Time{}, nil
		change(a)
	})
}

// failed records a request that failed. A response to the first request of its verb that cannot get
// better ends reading, and without following each failure does. A resource that may not be read is
// left out. If no other resource is left, reading fails.
func (r reader) failed(ctx context.Context, verb string, err error) {
	if ctx.Err() != nil {
		return
	}
	explained := r.explain(verb, r.name, err)
	isFinal := apierrors.IsForbidden(err) || apierrors.IsNotFound(err) || apierrors.IsUnauthorized(err)
	r.store.edit(func() {
		a := r.store.resources[r.name]
		isFirst := !a.listed && verb == "list" || !a.watched && verb == "watch"
		switch {
		case a.leftOut && isFinal:
		case !isFirst, r.follow && !isFinal:
			if a.failure = explained; a.lost.IsZero() {
				a.lost = r.Now()
			}
		case verb == "watch", !r.Rollout:
			r.fail(explained)
		case apierrors.IsForbidden(err):
			a.denied, a.leftOut, a.listed = explained, true, true
			pools, nodes := r.store.resources[machineConfigPools], r.store.resources[machineConfigNodes]
			if pools.denied != nil && nodes.denied != nil {
				r.fail(nodes.denied) // whichever came first
			}
		case r.name == configurations, r.name == machineConfigNodes && apierrors.IsNotFound(err):
			a.leftOut, a.listed = true, true // the pools have numbers of their own
		default:
			r.fail(explained)
		}
	})
}

// explain returns an error of the API server with what was tried and advice, in one line.
func (c *Cluster) explain(verb, name string, err error) error {
	host := c.Config.Host
	switch {
	case apierrors.IsNotFound(err): // of a list, it is the resource
		return Usagef("the cluster %s has no %s: its CRD is not installed", host, name)
	case apierrors.IsForbidden(err):
		return Usagef("not allowed to %s %s on %s (it needs get and list, and watch to follow, as cluster-reader has them): %w", verb, name, host, err)
	case apierrors.IsUnauthorized(err):
		return Usagef("the cluster %s rejects the credentials: log in again: %w", host, err)
	case errors.Is(err, context.DeadlineExceeded), utilnet.IsTimeout(err):
		return Usagef("the cluster %s does not respond within %s: is it up, and reachable from here?", host, c.RequestTimeout)
	case utilnet.IsConnectionRefused(err):
		return Usagef("nothing listens at %s: is the cluster up, and is it the right kubeconfig?", host)
	}
	return Usagef("cannot %s %s on %s: %w", verb, name, host, err)
}

// Add adds an object.
func (r reader) Add(obj any) error { r.store.edit(func() { r.store.put(obj) }); return nil }

// Update replaces an object.
func (r reader) Update(obj any) error { return r.Add(obj) }

// Delete deletes an object.
func (r reader) Delete(obj any) error { r.store.edit(func() { r.store.remove(obj) }); return nil }

// Replace has nothing to do: list has stored the objects.
func (r reader) Replace([]any, string) error { return nil }

// Resync has nothing to do.
func (r reader) Resync() error { return nil }
