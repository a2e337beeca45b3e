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
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/bounded"
)

// wait returns how long the next write has to wait. An object that was not found is written as soon as
// it exists.
func (o *object) wait(mc *operatorv1.MachineConfiguration, now time.Time) time.Duration {
	if o.missing != "" && o.missing != mc.ResourceVersion {
		o.missing = ""
		return 0
	}
	return o.pace.wait(now)
}

// write makes one attempt to publish conditions.
func (o *object) write(ctx context.Context, mc *operatorv1.MachineConfiguration, list []metav1.Condition, now time.Time) error {
	o.attempted = list
	o.pace.attempted(now)
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
		o.pace.rest()
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
	mc, err := o.request(ctx, func(ctx context.Context) (*operatorv1.MachineConfiguration, error) {
		return o.config.Client.ApplyStatus(ctx, applyoperatorv1.MachineConfiguration(ObjectName).WithStatus(status), options)
	})
	if err != nil {
		return err
	}
	o.wrote(mc, list)
	return nil
}

var errNoAnswer = errors.New("the answer is not the MachineConfiguration: check what is between this process and the API server")

// wrote records a response.
func (o *object) wrote(mc *operatorv1.MachineConfiguration, list []metav1.Condition) {
	o.published, o.version, o.attempted, o.missing = list, mc.ResourceVersion, nil, ""
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

// remove removes conditions by a merge patch of the list. An apply without them would leave a partial
// entry, which the CRD rejects, if another field manager owns fields of one.
func (o *object) remove(ctx context.Context, names []string) error {
	mc, err := o.request(ctx, func(ctx context.Context) (*operatorv1.MachineConfiguration, error) {
		mc, err := o.config.Client.Get(ctx, ObjectName, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		isNamed := func(c metav1.Condition) bool { return slices.Contains(names, c.Type) }
		if mc == nil || !slices.ContainsFunc(mc.Status.Conditions, isNamed) {
			return mc, nil
		}
		body, err := removePatch(mc, slices.DeleteFunc(slices.Clone(mc.Status.Conditions), isNamed))
		if err != nil || ctx.Err() != nil {
			return nil, errors.Join(err, ctx.Err())
		}
		options := metav1.PatchOptions{FieldManager: o.config.FieldManager}
		return o.config.Client.Patch(ctx, ObjectName, types.MergePatchType, body, options, "status")
	})
	if err != nil {
		return err
	}
	o.wrote(mc, own(mc.Status.Conditions, o.config.Component))
	return nil
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
