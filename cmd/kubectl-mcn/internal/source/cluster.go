package source

import (
	"context"
	"errors"
	"sync"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	operatorv1 "github.com/openshift/api/operator/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"
)

// releaseInterval is how often releases of new configs are read, and how long a screen waits for them.
const releaseInterval = 2 * time.Second

// Cluster is a source on an API server. It writes nothing.
type Cluster struct {
	Config     *rest.Config
	Rollout    bool   // pools and nodes are read
	Components bool   // the components are read
	Selector   string // of the labels of Nodes
	Clock      clock.PassiveClock
	Patience   time.Duration // how long the server may take to answer a request
}

// Now returns the time of the clock.
func (c *Cluster) Now() time.Time { return c.Clock.Now() }

// Origin returns "".
func (c *Cluster) Origin() string { return "" }

// Read lists the resources, and to follow watches them. Following ends when the context does, or with an answer
// that cannot get better.
func (c *Cluster) Read(ctx context.Context, s *Store, follow bool) error {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	objects, err := metadata.NewForConfig(c.Config)
	if err != nil {
		return Usagef("cannot use the kubeconfig: %w", err)
	}
	readers, err := c.readers(objects, reader{Cluster: c, store: s, follow: follow, fail: fail})
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
	group.Go(func() { c.readNodes(ctx, s, follow) })
	if follow {
		wait.UntilWithContext(ctx, func(ctx context.Context) { c.readReleases(ctx, s, objects) }, releaseInterval)
	}
	group.Wait()
	c.readReleases(ctx, s, objects)
	return context.Cause(ctx)
}

// readers returns a reader for each resource.
func (c *Cluster) readers(objects metadata.Interface, base reader) ([]reader, error) {
	var all []reader
	var errs []error
	add := func(gv schema.GroupVersion, install func(*runtime.Scheme) error, names ...string) {
		client, err := clientOf(c.Config, gv, install)
		errs = append(errs, err)
		for _, name := range names {
			r := base
			r.name, r.server = name, cache.NewFilteredListWatchFromClient(client, name, metav1.NamespaceAll, func(*metav1.ListOptions) {})
			all = append(all, r)
		}
	}
	if c.Rollout {
		add(mcfgv1.GroupVersion, mcfgv1.Install, machineConfigPools, machineConfigNodes)
	}
	if c.Components {
		add(operatorv1.GroupVersion, operatorv1.Install, configurations)
	}
	if c.Selector != "" {
		r, resource := base, objects.Resource(schema.GroupVersionResource{Version: "v1", Resource: nodes})
		r.name, r.selector = nodes, c.Selector
		r.server = &cache.ListWatch{
			ListWithContextFunc:  func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) { return resource.List(ctx, o) },
			WatchFuncWithContext: resource.Watch,
		}
		all = append(all, r)
	}
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

// readReleases reads the OpenShift version of each rendered config that has none yet, where that is allowed.
func (c *Cluster) readReleases(ctx context.Context, s *Store, objects metadata.Interface) {
	ctx, cancel := context.WithTimeout(ctx, min(c.Patience, releaseInterval))
	defer cancel()
	configs := objects.Resource(mcfgv1.GroupVersion.WithResource("machineconfigs"))
	for _, name := range s.unknownReleases() {
		config, err := configs.Get(ctx, name, metav1.GetOptions{ResourceVersion: "0"})
		switch {
		case err == nil:
			s.setRelease(name, config.Annotations)
		case apierrors.IsForbidden(err), apierrors.IsNotFound(err):
			s.setRelease(name, nil)
		}
	}
}
