package kubeconfig

import (
	"context"
	"fmt"
	"strings"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"
)

// ExplainError returns why the API server could not answer a first request for a kind of the
// group machineconfiguration.openshift.io, or of the core group, with advice; nil where it did
// answer. ctx is that of the program, without the timeout of the request.
func ExplainError(ctx context.Context, config *rest.Config, timeout time.Duration, kinds string, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case utilnet.IsTimeout(err):
		return fmt.Errorf("the API server %s does not answer within %s: is it up, and reachable from here?", config.Host, timeout)
	case utilnet.IsConnectionRefused(err):
		return fmt.Errorf("nothing listens at %s: start the API server, or name its kubeconfig", config.Host)
	case IsUnknownResource(err):
		return fmt.Errorf("the API server %s has no %s: install the CRD %s.%s", config.Host, kinds, strings.ToLower(kinds), mcfgv1.GroupName)
	}
	return nil
}

// IsUnknownResource reports whether a 404 is that of an unknown resource. That of an object which
// does not exist has no such cause.
func IsUnknownResource(err error) bool {
	return apierrors.IsNotFound(err) && apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse)
}
