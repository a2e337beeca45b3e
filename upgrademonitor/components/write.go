package components

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	operatorv1 "github.com/openshift/api/operator/v1"
	applyoperatorv1 "github.com/openshift/client-go/operator/applyconfigurations/operator/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/bounded"
)

// wait returns how long the next write has to wait. An object that was not found is written as soon as
// the informer has another one.
func (o *object) wait(mc *operatorv1.MachineConfiguration, now time.Time) time.Duration {
	if o.missing.isAnother(mc) {
		o.missing = nil
		return 0
	}
	return o.limiter.wait(now)
}

// write makes one attempt to publish conditions: those that should not be there are removed, and the
// others applied, also where the removal fails.
func (o *object) write(ctx context.Context, mc *operatorv1.MachineConfiguration, list []metav1.Condition, now time.Time) error {
	surplus, failed := o.surplus(mc, list), error(nil)
	if len(surplus) > 0 && o.mayRemove(now) {
		o.removal = now
		if failed = o.removeAtOnce(ctx, surplus); failed == nil {
			surplus = nil
		}
		if o.satisfied(mc, list, now) {
			if failed == nil {
				o.limiter.attempted(now)
				o.observeHealth(mc)
			}
			return failed
		}
	}
	o.attempted = list
	o.limiter.attempted(now)
	err := o.apply(ctx, o.with(list, surplus))
	switch {
	case err == nil:
		o.observeHealth(mc)
	case isRejected(err):
		o.limiter.rest()
		if apierrors.IsNotFound(err) {
			o.missing = &missing{uid: mc.UID}
		}
	}
	return errors.Join(failed, err)
}

// apply writes the conditions of this process by one forced apply: without a resource version, since no
// other process writes them, and without a read.
func (o *object) apply(ctx context.Context, list []metav1.Condition) error {
	status := applyoperatorv1.MachineConfigurationStatus()
	status.Conditions = conditions.ToApply(list)
	options := metav1.ApplyOptions{FieldManager: o.config.FieldManager, Force: true}
	mc, err := o.request(ctx, func(ctx context.Context) (*operatorv1.MachineConfiguration, error) {
		mc, err := o.config.Client.ApplyStatus(ctx, applyoperatorv1.MachineConfiguration(ObjectName).WithStatus(status), options)
		if err == nil && mc != nil && !includes(mc.Status.Conditions, list) {
			err = errNoAnswer
		}
		return mc, err
	})
	if err != nil {
		return err
	}
	o.wrote(mc, list)
	return nil
}

var errNoAnswer = errors.New("the answer is not the MachineConfiguration that was written: check the network and proxies between this process and the API server")

// wrote records a response.
func (o *object) wrote(mc *operatorv1.MachineConfiguration, list []metav1.Condition) {
	o.published, o.version, o.attempted, o.missing = list, mc.ResourceVersion, nil, nil
}

// request makes a request within Timeout, even if the client ignores its context, and notifies the
// Observer.
func (o *object) request(ctx context.Context, do func(context.Context) (*operatorv1.MachineConfiguration, error)) (*operatorv1.MachineConfiguration, error) {
	began := o.config.Clock.Now()
	ctx, cancel := context.WithTimeout(ctx, o.config.Timeout)
	defer cancel()
	mc, err := bounded.Call(ctx, func() (*operatorv1.MachineConfiguration, error) { return do(ctx) })
	if err == nil && (mc == nil || mc.Name != ObjectName || mc.ResourceVersion == "") {
		err = errNoAnswer
	}
	if o.config.Observer != nil {
		o.config.Observer.Wrote(max(o.config.Clock.Since(began), 0), err)
	}
	if err != nil {
		return nil, fmt.Errorf("write the status of MachineConfiguration %s: %w", ObjectName, err)
	}
	return mc, nil
}

// isRejected reports whether the API server rejects the request until an administrator grants a
// permission, repairs the object or installs the CRD. A conflict passes by itself.
func isRejected(err error) bool {
	var status apierrors.APIStatus
	if errors.As(err, &status) && status.Status().Code == http.StatusInternalServerError {
		return true
	}
	return apierr.Classify(err) != apierr.Retry && !apierrors.IsConflict(err)
}
