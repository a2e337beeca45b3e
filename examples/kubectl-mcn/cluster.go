package main

import (
	"context"
	"time"

	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/pager"
	"k8s.io/utils/clock"
)

// The resources that are read.
const (
	nodesResource = "machineconfignodes"
	poolsResource = "machineconfigpools"
)

// pageSize is how many objects are listed at a time: no more of them are held at once.
const pageSize = 250

// cluster is a source on an API server.
type cluster struct {
	client   mcfgclientset.Interface
	host     string
	clock    clock.PassiveClock
	patience time.Duration // for one request
}

// restConfig reads the kubeconfig as kubectl does.
func (f *clusterFlags) restConfig() (*rest.Config, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = f.kubeconfig
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &f.overrides).ClientConfig()
	switch {
	case clientcmd.IsEmptyConfig(err):
		return nil, usage("no cluster is configured: set --kubeconfig or KUBECONFIG, read files with -f, or try --simulate 20")
	case err != nil:
		return nil, usage("cannot use the kubeconfig: %w", err)
	}
	config.UserAgent = "kubectl-mcn"
	config.WarningHandlerWithContext = rest.NoWarnings{}
	config.QPS = -1 // each page waits for the previous one
	return config, nil
}

// connect returns the cluster that the flags select.
func connect(p cli, f *clusterFlags) (*cluster, error) {
	config, err := f.restConfig()
	if err != nil {
		return nil, err
	}
	client, err := mcfgclientset.NewForConfig(config)
	if err != nil {
		return nil, usage("cannot use the kubeconfig: %w", err)
	}
	return &cluster{client: client, host: config.Host, clock: p.clock, patience: p.patience}, nil
}

func (c *cluster) now() time.Time { return c.clock.Now() }

// resource is how objects of one resource are read.
type resource struct {
	name  string
	list  func(context.Context, metav1.ListOptions) (runtime.Object, error)
	watch func(context.Context, metav1.ListOptions) (watch.Interface, error)
}

func (c *cluster) resources() []resource {
	group := c.client.MachineconfigurationV1()
	pools, nodes := group.MachineConfigPools(), group.MachineConfigNodes()
	return []resource{
		{poolsResource, func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) { return pools.List(ctx, o) }, pools.Watch},
		{nodesResource, func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) { return nodes.List(ctx, o) }, nodes.Watch},
	}
}

// load lists all objects once, page by page.
func (c *cluster) load(ctx context.Context, s *store, t trimmer) error {
	for _, r := range c.resources() {
		p := pager.New(func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			ctx, cancel := context.WithTimeout(ctx, c.patience)
			defer cancel()
			return r.list(ctx, o)
		})
		p.PageSize, p.PageBufferSize = pageSize, 1
		var all []any
		err := p.EachListItem(ctx, metav1.ListOptions{}, func(obj runtime.Object) error {
			all = append(all, t.transform(obj))
			return nil
		})
		if err != nil {
			return c.explain(ctx, "list", r.name, err)
		}
		s.replace(r.name, all)
	}
	return nil
}
