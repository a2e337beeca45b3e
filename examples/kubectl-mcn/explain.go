package main

import (
	"context"
	"errors"
	"fmt"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilnet "k8s.io/apimachinery/pkg/util/net"

	"github.com/openshift/upgrademonitor/examples/internal/program"
)

// explain returns an error of the API server with advice, in one line.
func (c *cluster) explain(ctx context.Context, verb, resource string, err error) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case apierrors.IsNotFound(err): // of a list, it is the resource
		return usage("the cluster %s has no %s: its CRD %s.%s is not installed", c.host, resource, resource, mcfgv1.GroupName)
	case apierrors.IsForbidden(err):
		return usage("not allowed to %s %s on %s: get, list and watch of %s and %s are required, as cluster-reader has them: %w",
			verb, resource, c.host, nodesResource, poolsResource, err)
	case apierrors.IsUnauthorized(err):
		return usage("the cluster %s rejects the credentials: log in again: %w", c.host, err)
	case errors.Is(err, context.DeadlineExceeded), utilnet.IsTimeout(err):
		return usage("the cluster %s does not answer within %s: is it up, and reachable from here?", c.host, c.patience)
	case utilnet.IsConnectionRefused(err):
		return usage("nothing listens at %s: is the cluster up, and is it the right kubeconfig?", c.host)
	}
	return &exitError{program.ExitUsage, fmt.Errorf("cannot %s %s on %s: %w", verb, resource, c.host, err)}
}

// isFinal reports whether this error of the first request of a verb ends the command. A watch that
// fails for another reason than its rights is retried: the list before it was answered.
func isFinal(verb string, err error) bool {
	return verb == "list" || apierrors.IsForbidden(err) || apierrors.IsNotFound(err) || apierrors.IsUnauthorized(err)
}
