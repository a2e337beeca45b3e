package source

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	operatorclientset "github.com/openshift/client-go/operator/clientset/versioned"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/pager"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
)

// The resources that are read.
const (
	nodesResource          = "machineconfignodes"
	poolsResource          = "machineconfigpools"
	configurationsResource = "machineconfigurations" // of the components
)

// pageSize is how many objects are listed at a time: no more of them are held at once.
const pageSize = 250

// backoff is short, as a person waits for the server to come back.
var backoff = wait.Backoff{Duration: 500 * time.Millisecond, Factor: 1.5, Jitter: 0.2, Steps: 7, Cap: 5 * time.Second}

// Cluster is a source on an API server. It writes nothing.
type Cluster struct {
	Client   mcfgclientset.Interface
	Operator operatorclientset.Interface // nil: the components are not read
	Metadata metadata.Interface          // required with a Selector
	Selector string                      // of the labels of Nodes
	// OnlyComponents reads the components, and neither pools nor nodes.
	OnlyComponents bool
	Host           string
	Clock          clock.PassiveClock
	Patience       time.Duration // how long the server may take to answer a request
}

// Now returns the time of the clock.
func (c *Cluster) Now() time.Time { return c.Clock.Now() }

// Origin returns "".
func (c *Cluster) Origin() string { return "" }

// kind is how objects of one resource are read.
type kind struct {
	name     string
	optional bool
	list     func(context.Context, metav1.ListOptions) (runtime.Object, error)
	watch    func(context.Context, metav1.ListOptions) (watch.Interface, error)
}

func (c *Cluster) resources() []kind {
	group := c.Client.MachineconfigurationV1()
	pools, nodes := group.MachineConfigPools(), group.MachineConfigNodes()
	all := []kind{
		{poolsResource, false, func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) { return pools.List(ctx, o) }, pools.Watch},
		{nodesResource, false, func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) { return nodes.List(ctx, o) }, nodes.Watch},
	}
	if c.Operator != nil {
		configurations := c.Operator.OperatorV1().MachineConfigurations()
		if c.OnlyComponents {
			all = nil
		}
		all = append(all, kind{configurationsResource, !c.OnlyComponents,
			func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
				return configurations.List(ctx, o)
			}, configurations.Watch})
	}
	return all
}

// Load lists all objects once, page by page.
func (c *Cluster) Load(ctx context.Context, s *Store) error {
	if err := c.choose(ctx, s); err != nil {
		return err
	}
	c.needs(s)
	for _, r := range c.resources() {
		p := pager.New(func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			ctx, cancel := context.WithTimeout(ctx, c.Patience)
			defer cancel()
			return r.list(ctx, o)
		})
		p.PageSize, p.PageBufferSize = pageSize, 1
		var all []any
		err := p.EachListItem(ctx, metav1.ListOptions{}, func(obj runtime.Object) error {
			all = append(all, s.observe(obj))
			return nil
		})
		if err != nil {
			if err := c.failed(ctx, s, r, "list", err); err != nil {
				return err
			}
			continue
		}
		s.replace(r.name, all)
	}
	return nil
}

func (c *Cluster) needs(s *Store) {
	if c.OnlyComponents {
		s.edit(func() { s.needs = []string{configurationsResource} })
	}
}

// choose lists the metadata of the Nodes that the selector matches.
func (c *Cluster) choose(ctx context.Context, s *Store) error {
	if c.Selector == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, c.Patience)
	defer cancel()
	list, err := c.Metadata.Resource(schema.GroupVersionResource{Version: "v1", Resource: "nodes"}).List(ctx, metav1.ListOptions{LabelSelector: c.Selector})
	if err != nil {
		return c.explain(ctx, "list", "nodes", err)
	}
	chosen := map[string]bool{}
	for i := range list.Items {
		chosen[list.Items[i].Name] = true
	}
	s.edit(func() { s.chosen = chosen })
	return nil
}

// Follow keeps a store up to date until ctx ends.
func (c *Cluster) Follow(ctx context.Context, s *Store) error {
	if err := c.choose(ctx, s); err != nil {
		return err
	}
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	var group sync.WaitGroup
	defer group.Wait()
	defer fail(nil)
	c.needs(s)
	for _, r := range c.resources() {
		f := follower{Cluster: c, resource: r, store: s, fail: fail}
		var logger klog.Logger // what fails is on the screen
		reflector := cache.NewReflectorWithOptions(f.listWatch(), nil, f, cache.ReflectorOptions{Name: r.name, Logger: &logger, Backoff: &backoff})
		reflector.WatchListPageSize = pageSize
		group.Go(func() { reflector.RunWithContext(klog.NewContext(ctx, logger)) })
	}
	<-ctx.Done()
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// failed returns the error of a request if it ends the command. What may not be read is left out, unless
// nothing is left.
func (c *Cluster) failed(ctx context.Context, s *Store, r kind, verb string, err error) error {
	switch {
	case r.optional && apierrors.IsNotFound(err):
		s.edit(func() { s.filled[r.name] = true })
		return nil
	case apierrors.IsForbidden(err) && verb == "list" && !c.OnlyComponents:
		s.deny(r.name, c.explain(ctx, verb, r.name, err))
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.denied[poolsResource] != nil && s.denied[nodesResource] != nil {
			return s.denied[nodesResource]
		}
		return nil
	case r.optional:
		return nil
	}
	return c.explain(ctx, verb, r.name, err)
}

// explain returns an error of the API server with what was tried and advice, in one line.
func (c *Cluster) explain(ctx context.Context, verb, resource string, err error) error {
	switch {
	case ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded):
		return context.Cause(ctx)
	case apierrors.IsNotFound(err): // of a list, it is the resource
		return Usagef("the cluster %s has no %s: its CRD is not installed", c.Host, resource)
	case apierrors.IsForbidden(err):
		return Usagef("not allowed to %s %s on %s (it needs get, list and watch, as cluster-reader has them): %w", verb, resource, c.Host, err)
	case apierrors.IsUnauthorized(err):
		return Usagef("the cluster %s rejects the credentials: log in again: %w", c.Host, err)
	case errors.Is(err, context.DeadlineExceeded), utilnet.IsTimeout(err):
		return Usagef("the cluster %s does not answer within %s: is it up, and reachable from here?", c.Host, c.Patience)
	case utilnet.IsConnectionRefused(err):
		return Usagef("nothing listens at %s: is the cluster up, and is it the right kubeconfig?", c.Host)
	}
	return &UsageError{fmt.Errorf("cannot %s %s on %s: %w", verb, resource, c.Host, err)}
}

// follower keeps the objects of one resource: it is the store of a reflector, which lists and
// watches trimmed objects only.
type follower struct {
	*Cluster
	resource kind
	store    *Store
	fail     func(error)
}

// pagedListWatch lists page by page. A server compresses pages, and not a streamed list, which has
// twenty times the bytes.
type pagedListWatch struct{ *cache.ListWatch }

// IsWatchListSemanticsUnSupported tells the reflector not to stream lists.
func (pagedListWatch) IsWatchListSemanticsUnSupported() bool { return true }

func (f follower) listWatch() pagedListWatch {
	return pagedListWatch{&cache.ListWatch{ListWithContextFunc: f.list, WatchFuncWithContext: f.watch}}
}

// list lists one page of the newest state: with a limit, a server takes a resource version as that
// of the list, and a watch from it may have expired.
func (f follower) list(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
	o.ResourceVersion = ""
	bounded, cancel := context.WithTimeout(ctx, f.Patience)
	defer cancel()
	list, err := f.resource.list(bounded, o)
	if err != nil {
		f.noAnswer(ctx, "list", err)
		return nil, err
	}
	f.store.contact(f.resource.name, f.Now(), true)
	page := &trimmedList{}
	if l, err := meta.ListAccessor(list); err == nil {
		page.ResourceVersion, page.Continue, page.RemainingItemCount = l.GetResourceVersion(), l.GetContinue(), l.GetRemainingItemCount()
	}
	return page, meta.EachListItem(list, func(obj runtime.Object) error {
		page.Items = append(page.Items, f.store.observe(obj))
		return nil
	})
}

// watch opens a watch whose objects are trimmed. Until the server answers, its time is limited as that
// of a list.
func (f follower) watch(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
	opened, cancel := context.WithCancel(ctx)
	impatient := time.AfterFunc(f.Patience, cancel)
	source, err := f.resource.watch(opened, o)
	if !impatient.Stop() && err == nil {
		source.Stop()
		err = context.DeadlineExceeded
	}
	if err != nil {
		cancel()
		f.noAnswer(ctx, "watch", err)
		return nil, err
	}
	f.store.contact(f.resource.name, f.Now(), true)
	f.store.edit(func() { f.store.watched[f.resource.name] = true })
	trimmed := make(chan watch.Event)
	proxy := watch.NewProxyWatcher(trimmed)
	go func() {
		defer cancel()
		defer source.Stop()
		defer close(trimmed)
		f.relay(source, trimmed, proxy.StopChan())
	}()
	return proxy, nil
}

// relay trims the events of a watch. When the server ends it, it is away until the next answer.
func (f follower) relay(source watch.Interface, to chan<- watch.Event, stopped <-chan struct{}) {
	for {
		select {
		case <-stopped:
			return
		case e, ok := <-source.ResultChan():
			switch {
			case !ok:
				f.store.contact(f.resource.name, f.Now(), false)
				return
			case e.Type == watch.Deleted:
				e.Object = trim(e.Object)
			case e.Type != watch.Error:
				e.Object = f.store.observe(e.Object)
			}
			select {
			case to <- e:
			case <-stopped:
				return
			}
		}
	}
}

// noAnswer records a request that failed. If it was the first one of its kind, following ends, except where
// the rest can be shown.
func (f follower) noAnswer(ctx context.Context, verb string, err error) {
	if ctx.Err() != nil {
		return
	}
	isAnswer := apierrors.IsForbidden(err) || apierrors.IsNotFound(err) || apierrors.IsUnauthorized(err)
	if !isAnswer {
		f.store.contact(f.resource.name, f.Now(), false)
	}
	if f.store.isNew(f.resource.name, verb) && (verb == "list" || isAnswer && !f.resource.optional) {
		if err := f.failed(ctx, f.store, f.resource, verb, err); err != nil {
			f.fail(err)
		}
	}
}

// Add adds an object.
func (f follower) Add(obj any) error { f.store.edit(func() { f.store.put(obj) }); return nil }

// Update replaces an object.
func (f follower) Update(obj any) error { return f.Add(obj) }

// Delete deletes an object.
func (f follower) Delete(obj any) error { f.store.edit(func() { f.store.remove(obj) }); return nil }

// Replace replaces all objects.
func (f follower) Replace(list []any, _ string) error {
	f.store.replace(f.resource.name, list)
	return nil
}

// Resync has nothing to do.
func (f follower) Resync() error { return nil }
