package componentview

import (
	"context"
	"fmt"
	"io"
	"time"

	operatorv1client "github.com/openshift/client-go/operator/clientset/versioned/typed/operator/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ReadError is the error of reading MachineConfiguration/cluster.
type ReadError struct {
	Err error
}

// Error returns the cause with advice.
func (e *ReadError) Error() string {
	switch {
	case apierrors.IsNotFound(e.Err) && apierrors.HasStatusCause(e.Err, metav1.CauseTypeUnexpectedServerResponse):
		return fmt.Sprintf("the API server has no MachineConfigurations: install the CRD machineconfigurations.operator.openshift.io: %v", e.Err)
	case apierrors.IsNotFound(e.Err):
		return fmt.Sprintf("there is no MachineConfiguration cluster: the operator creates it: %v", e.Err)
	case apierrors.IsForbidden(e.Err):
		return fmt.Sprintf("cannot read MachineConfiguration cluster: grant get of machineconfigurations.operator.openshift.io: %v", e.Err)
	default:
		return fmt.Sprintf("cannot read MachineConfiguration cluster: %v", e.Err)
	}
}

// Unwrap returns the cause.
func (e *ReadError) Unwrap() error { return e.Err }

// Show reads MachineConfiguration/cluster and renders its conditions. It needs the verb get. A failure to
// read is a *ReadError.
func Show(ctx context.Context, client operatorv1client.MachineConfigurationInterface, out io.Writer, now time.Time, options Options) error {
	mc, err := client.Get(ctx, "cluster", metav1.GetOptions{})
	if err != nil {
		return &ReadError{err}
	}
	return Render(out, mc.Status.Conditions, now, options)
}
