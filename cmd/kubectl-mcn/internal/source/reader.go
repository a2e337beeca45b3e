package source

import (
	"cmp"
	"context"
	"slices"
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

// The number of objects in one page of a list. Only one page of each resource is in memory at a
// time. A page of Nodes has fewer objects, because a Node is several times as large as the other
// objects.
const (
	pageSize      = 250
	pageSizeNodes = 100
)

// backoff is short, because a person waits for the server to respond again.
var backoff = wait.Backoff{Duration: 500 * time.Millisecond, Factor: 1.5, Jitter: 0.2, Steps: 7, Cap: 5 * time.Second}

// optional are the resources that the command can do without, for whatever reason.
var optional = []string{configurations, machineConfigs, clusterVersions, clusterOperators}

// reader reads one resource into a Store. If follow is set, it is also the ReflectorStore of a
// reflector.
type reader struct {
	*Cluster
	name   string
	client rest.Interface
	follow bool
	store  *Store
	fail   func(error) // ends Read with an error
	server *cache.ListWatch
}

// read lists the objects. If follow is set, it then watches them until ctx ends.
func (r reader) read(ctx context.Context) {
	if r.follow {
		var logger klog.Logger // discards the log, because the screen shows failures
		source := pagedListWatch{&cache.ListWatch{ListWithContextFunc: r.list, WatchFuncWithContext: r.watch}}
		options := cache.ReflectorOptions{Name: r.name, Logger: &logger, Backoff: &backoff}
		reflector := cache.NewReflectorWithOptions(source, nil, r, options)
		reflector.WatchListPageSize = r.pageSize()
		reflector.RunWithContext(klog.NewContext(ctx, logger))
		return
	}
	pages := pager.New(r.list)
	pages.PageSize = r.pageSize()
	_, _, _ = pages.List(ctx, metav1.ListOptions{}) // r.list stores the objects and reports errors
}

func (r reader) pageSize() int64 {
	if r.name == coreNodes {
		return pageSizeNodes
	}
	return pageSize
}

// pagedListWatch lists page by page. A streamed list would have twenty times the bytes, because API
// servers compress pages but not streams.
type pagedListWatch struct{ *cache.ListWatch }

// IsWatchListSemanticsUnSupported tells the reflector not to stream lists.
func (pagedListWatch) IsWatchListSemanticsUnSupported() bool { return true }

// list stores the objects of one page, and returns the page without the objects, so that only one
// page is in memory at a time. It clears the resourceVersion of the request. Otherwise, for a list
// with a limit, the server would return exactly this version, which may be too old for a watch.
func (r reader) list(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
	o.ResourceVersion = ""
	bounded, cancel := context.WithTimeout(ctx, r.RequestTimeout)
	defer cancel()
	list, err := r.server.ListWithContext(bounded, o)
	switch {
	case apierrors.IsResourceExpired(err) && o.Continue != "":
		return nil, err // the pager then lists all objects in one response
	case err != nil:
		r.failed(ctx, "list", err)
		return nil, err
	}
	r.responded("list")
	l, err := meta.ListAccessor(list)
	if err != nil {
		return nil, err
	}
	page := &internalversion.List{}
	page.ResourceVersion, page.Continue = l.GetResourceVersion(), l.GetContinue()
	return page, r.store.putPage(r.name, list, o.Continue == "", page.Continue == "")
}

// watch opens a watch. RequestTimeout limits the time until the server responds.
func (r reader) watch(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
	opened, cancel := context.WithCancelCause(ctx)
	timeout := time.AfterFunc(r.RequestTimeout, func() { cancel(context.DeadlineExceeded) })
	w, err := r.server.WatchWithContext(opened, o)
	timeout.Stop()
	if err != nil {
		err = cmp.Or(context.Cause(opened), err) // the client's error hides the timeout
		r.failed(ctx, "watch", err)
		return nil, err
	}
	r.responded("watch")
	return w, nil
}

// responded records a response of the server.
func (r reader) responded(verb string) {
	r.store.edit(func() {
		a := r.store.resources[r.name]
		a.responded, a.failure = r.Now(), nil
		a.watched = a.watched || verb == "watch"
	})
}

// failed records a failed request. It ends Read if all of these statements are true:
//
//  1. The request is the first list or the first watch of the resource.
//  2. A retry is useless, or follow is not set.
//  3. The command cannot do without the resource, or has already listed it.
//
// Otherwise, if follow is set, the reflector retries the request.
func (r reader) failed(ctx context.Context, verb string, err error) {
	if ctx.Err() != nil {
		return
	}
	explained := r.explain(verb, r.name, err)
	isFinal := apierrors.IsForbidden(err) || apierrors.IsNotFound(err) || apierrors.IsUnauthorized(err)
	r.store.edit(func() {
		a := r.store.resources[r.name]
		isFirst := !a.listed || verb == "watch" && !a.watched
		switch {
		case a.leftOut && isFinal: // the server responds, and the command still does without the resource
			a.responded, a.failure = r.Now(), nil
		case !isFirst, r.follow && !isFinal:
			if a.failure == nil {
				a.lost = r.Now()
			}
			a.failure = explained
		case verb == "watch", !r.Rollout:
			r.fail(explained)
		case apierrors.IsForbidden(err):
			a.denied, a.leftOut, a.listed = explained, true, true
			pools, nodes := r.store.resources[machineConfigPools], r.store.resources[machineConfigNodes]
			if pools.denied != nil && nodes.denied != nil {
				r.fail(nodes.denied) // the error does not depend on which list fails first
			}
		case slices.Contains(optional, r.name), r.name == machineConfigNodes && apierrors.IsNotFound(err):
			a.leftOut, a.listed = true, true // the screen can do without these objects
		default:
			r.fail(explained)
		}
	})
}

// explain returns an error that says which request failed, why, and what to do.
func (c *Cluster) explain(verb, name string, err error) error {
	host := c.Config.Host
	switch {
	case apierrors.IsNotFound(err): // a list fails with NotFound only if the server does not have the resource
		return Usagef("the cluster %s has no %s: its CRD is not installed", host, name)
	case apierrors.IsForbidden(err):
		return Usagef("not allowed to %s %s on %s (grant get, list and watch, as the role cluster-reader does): %w",
			verb, name, host, err)
	case apierrors.IsUnauthorized(err):
		return Usagef("the cluster %s rejects the credentials: log in again: %w", host, err)
	case utilnet.IsTimeout(err):
		return Usagef("the cluster %s does not respond within %s: is it up, and reachable from here?", host, c.RequestTimeout)
	case utilnet.IsConnectionRefused(err):
		return Usagef("nothing listens at %s: is the cluster up, and is the kubeconfig right?", host)
	}
	return Usagef("cannot %s %s on %s: %w", verb, name, host, err)
}

// Add is the first method of cache.ReflectorStore, which a reflector calls.
func (r reader) Add(obj any) (err error) {
	r.store.edit(func() { err = r.store.add(r.name, obj) })
	return err
}

func (r reader) Update(obj any) error { return r.Add(obj) }

func (r reader) Delete(obj any) error {
	object, err := meta.Accessor(obj)
	if err == nil {
		r.store.edit(func() { r.store.remove(r.name, object.GetName()) })
	}
	return err
}

// Replace does nothing, because list has stored the objects.
func (r reader) Replace([]any, string) error { return nil }

func (r reader) Resync() error { return nil }
