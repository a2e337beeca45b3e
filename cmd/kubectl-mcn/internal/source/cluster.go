package source

import (
	"context"
	"errors"
	"sync"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	operatorv1 "github.com/openshift/api/operator/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"
)

// Cluster is a source on an API server. It writes nothing.
type Cluster struct {
	Config         *rest.Config
	Rollout        bool // pools and nodes are read
	Components     bool // the components are read
	Clock          clock.PassiveClock
	RequestTimeout time.Duration // until the response of the server starts
}

// Now returns the time of the clock.
func (c *Cluster) Now() time.Time { return c.Clock.Now() }

// Origin returns "".
func (c *Cluster) Origin() string { return "" }

// Read lists the resources, and to follow watches them. Following ends when the context does, or with a response
// that cannot get better.
func (c *Cluster) Read(ctx context.Context, s *Store, follow bool) error {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	readers, err := c.readers(reader{Cluster: c, store: s, follow: follow, fail: fail})
	if err != nil {
		return Usagef("cannot use the kubeconfig: %w", err)
	}
	s.edit(func() {
		for _, r := range readers {
			s.resources[r.name] = &access{}
		}
	})
	var group sync.WaitGroup
	for _, r := range readers {
		group.Go(func() { r.read(ctx) })
	}
	nodes := func(ctx context.Context) { c.readNodes(ctx, s, readers[0].client) }
	releases := func(ctx context.Context) { c.readReleases(ctx, s, readers[0].client) }
	switch {
	case c.Rollout && follow:
		group.Go(func() { wait.UntilWithContext(ctx, nodes, nodesInterval) })
		group.Go(func() { wait.UntilWithContext(ctx, releases, releaseInterval) })
		group.Wait()
	case c.Rollout:
		group.Go(func() { nodes(ctx) })
		group.Wait()
		releases(ctx)
	default:
		group.Wait()
	}
	return context.Cause(ctx)
}

// readers returns a reader for each resource.
func (c *Cluster) readers(base reader) ([]reader, error) {
	var all []reader
	var errs []error
	add := func(is bool, gv schema.GroupVersion, install func(*runtime.Scheme) error, names ...string) {
		if !is {
			return
		}
		client, err := clientOf(c.Config, gv, install)
		errs = append(errs, err)
		for _, name := range names {
			r := base
			r.name, r.client = name, client
			r.server = cache.NewFilteredListWatchFromClient(client, name, metav1.NamespaceAll, func(*metav1.ListOptions) {})
			all = append(all, r)
		}
	}
	add(c.Rollout, mcfgv1.GroupVersion, mcfgv1.Install, machineConfigPools, machineConfigNodes)
	add(c.Components, operatorv1.GroupVersion, operatorv1.Install, configurations)
	return all, errors.Join(errs...)
}

// clientOf returns a client of an API group.
func clientOf(config *rest.Config, gv schema.GroupVersion, install func(*runtime.Scheme) error) (rest.Interface, error) {
	scheme := runtime.NewScheme()
	if err := install(scheme); err != nil {
		return nil, err
	}
	config = rest.CopyConfig(config)
	config.APIPath, config.GroupVersion, config.NegotiatedSerializer = "/apis", &gv, serializer.NewCodecFactory(scheme).WithoutConversion()
	return rest.RESTClientFor(config)
}
