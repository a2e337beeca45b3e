package source

import (
	"context"
	"errors"
	"fmt"
	"time"

	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	operatorclientset "github.com/openshift/client-go/operator/clientset/versioned"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/metadata"
	"k8s.io/utils/clock"
)

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

// explain returns an error of the API server with what was tried and advice, in one line.
func (c *Cluster) explain(ctx context.Context, verb, name string, err error) error {
	switch {
	case ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded):
		return context.Cause(ctx)
	case apierrors.IsNotFound(err): // of a list, it is the resource
		return Usagef("the cluster %s has no %s: its CRD is not installed", c.Host, name)
	case apierrors.IsForbidden(err):
		return Usagef("not allowed to %s %s on %s (it needs get, list and watch, as cluster-reader has them): %w", verb, name, c.Host, err)
	case apierrors.IsUnauthorized(err):
		return Usagef("the cluster %s rejects the credentials: log in again: %w", c.Host, err)
	case errors.Is(err, context.DeadlineExceeded), utilnet.IsTimeout(err):
		return Usagef("the cluster %s does not answer within %s: is it up, and reachable from here?", c.Host, c.Patience)
	case utilnet.IsConnectionRefused(err):
		return Usagef("nothing listens at %s: is the cluster up, and is it the right kubeconfig?", c.Host)
	}
	return &UsageError{fmt.Errorf("cannot %s %s on %s: %w", verb, name, c.Host, err)}
}
