package components

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	operatorv1 "github.com/openshift/api/operator/v1"
	applyoperatorv1 "github.com/openshift/client-go/operator/applyconfigurations/operator/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
)

// wait returns how long the next write has to wait. An object that was not found is written as soon as
// it exists.
func (o *object) wait(mc *operatorv1.MachineConfiguration, now time.Time) time.Duration {
	if o.missing != "" && o.missing != mc.ResourceVersion {
		o.missing = ""
		return 0
	}
	return o.limiter.wait(now)
}

// write makes one attempt to publish conditions.
func (o *object) write(ctx context.Context, mc *operatorv1.MachineConfiguration, list []metav1.Condition, now time.Time) error {
	o.attempted = list
	o.limiter.attempted(now)
	var err error
	if surplus := o.surplus(mc, list); len(surplus) > 0 {
		err = o.remove(ctx, surplus)
	} else {
		err = o.apply(ctx, list)
	}
	switch {
	case err == nil:
		o.observeHealth(mc)
	case isRejected(err):
		o.limiter.rest()
		if apierrors.IsNotFound(err) {
			o.missing = mc.ResourceVersion
		}
	}
	return err
}

// surplus returns the types of this process that the object has but should not have.
func (o *object) surplus(mc *operatorv1.MachineConfiguration, list []metav1.Condition) []string {
	present := o.published
	if !o.behind(mc) {
		present = own(mc.Status.Conditions, o.config.Component)
	}
	var names []string
	for _, c := range present {
		if find(list, c.Type) == nil {
			names = append(names, c.Type)
		}
	}
	return names
}

// apply writes the conditions of this process by one forced apply: without a resource version, since no
// other process writes them, and without a read.
func (o *object) apply(ctx context.Context, list []metav1.Condition) error {
	status := applyoperatorv1.MachineConfigurationStatus()
	status.Conditions = conditions.ToApply(list)
	options := metav1.ApplyOptions{FieldManager: o.config.FieldManager, Force: true}
	return o.request(ctx, func(ctx context.Context) error {
		mc, err := o.config.Client.ApplyStatus(ctx, applyoperatorv1.MachineConfiguration(ObjectName).WithStatus(status), options)
		if err != nil {
			return err
		}
		return o.wrote(mc, list)
	})
}

var errNoAnswer = errors.New("the answer is not the MachineConfiguration: check the network and proxies between this process and the API server")

// wrote records a response.
func (o *object) wrote(mc *operatorv1.MachineConfiguration, list []metav1.Condition) error {
	if mc == nil || mc.Name != ObjectName || mc.ResourceVersion == "" {
		return errNoAnswer
	}
	o.published, o.version, o.attempted, o.missing = list, mc.ResourceVersion, nil, ""
	return nil
}

// request makes a request within Timeout, and notifies the Observer.
func (o *object) request(ctx context.Context, do func(context.Context) error) error {
	began := o.config.Clock.Now()
	ctx, cancel := context.WithTimeout(ctx, o.config.Timeout)
	defer cancel()
	err := do(ctx)
	if o.config.Observer != nil {
		o.config.Observer.Wrote(max(o.config.Clock.Since(began), 0), err)
	}
	if err != nil {
		return fmt.Errorf("write the status of MachineConfiguration %s: %w", ObjectName, err)
	}
	return nil
}

// remove removes conditions by a merge patch of the list. An apply without them would leave a partial
// entry, which the CRD rejects, if another field manager owns fields of one.
func (o *object) remove(ctx context.Context, names []string) error {
	return o.request(ctx, func(ctx context.Context) error {
		mc, err := o.config.Client.Get(ctx, ObjectName, metav1.GetOptions{})
		if err != nil {
			return err
		}
		isNamed := func(c metav1.Condition) bool { return slices.Contains(names, c.Type) }
		if slices.ContainsFunc(mc.Status.Conditions, isNamed) {
			body, err := removePatch(mc, slices.DeleteFunc(slices.Clone(mc.Status.Conditions), isNamed))
			if err != nil {
				return err
			}
			options := metav1.PatchOptions{FieldManager: o.config.FieldManager}
			if mc, err = o.config.Client.Patch(ctx, ObjectName, types.MergePatchType, body, options, "status"); err != nil {
				return err
			}
		}
		return o.wrote(mc, own(conditionsOf(mc), o.config.Component))
	})
}

func conditionsOf(mc *operatorv1.MachineConfiguration) []metav1.Condition {
	if mc == nil {
		return nil
	}
	return mc.Status.Conditions
}

// removePatch returns the merge patch that keeps only some conditions. It conflicts if others have
// written since the object was read. Without conditions it removes the list, as others treat an empty
// one as initialized.
func removePatch(mc *operatorv1.MachineConfiguration, left []metav1.Condition) ([]byte, error) {
	var list any
	if len(left) > 0 {
		list = left
	}
	return json.Marshal(map[string]any{
		"metadata": map[string]any{"resourceVersion": mc.ResourceVersion},
		"status":   map[string]any{"conditions": list},
	})
}

// isRejected reports whether the API server rejects the request until an administrator grants a
// permission, repairs the object or installs the CRD.
func isRejected(err error) bool {
	var status apierrors.APIStatus
	if errors.As(err, &status) && status.Status().Code == http.StatusInternalServerError {
		return true
	}
	return apierr.Classify(err) != apierr.Retry
}
