package components

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	operatorv1 "github.com/openshift/api/operator/v1"
	applyoperatorv1 "github.com/openshift/client-go/operator/applyconfigurations/operator/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
)

// apply writes the desired conditions by one forced apply: without a resource version, since no other
// process writes them, and without a read.
func (r *Reporter) apply(ctx context.Context, now time.Time) error {
	r.pace.written(now, r.config.MinInterval, r.config.MaxInterval)
	status := applyoperatorv1.MachineConfigurationStatus()
	status.Conditions = conditions.ToApply(r.desired)
	err := r.request(ctx, func(ctx context.Context) (*operatorv1.MachineConfiguration, error) {
		object := applyoperatorv1.MachineConfiguration(objectName).WithStatus(status)
		return r.config.Client.ApplyStatus(ctx, object, metav1.ApplyOptions{FieldManager: r.config.FieldManager, Force: true})
	})
	if isRejected(err) {
		r.pace.interval = r.config.MaxInterval
	}
	return err
}

// request makes one write within Timeout, and records what it has published.
func (r *Reporter) request(ctx context.Context, write func(context.Context) (*operatorv1.MachineConfiguration, error)) error {
	ctx, cancel := context.WithTimeout(ctx, r.config.Timeout)
	defer cancel()
	began := r.config.Clock.Now()
	mc, err := write(ctx)
	if r.config.Observer != nil {
		r.config.Observer.Written(max(r.config.Clock.Since(began), 0), err)
	}
	if err != nil {
		return fmt.Errorf("write the status of MachineConfiguration %s: %w", objectName, err)
	}
	r.published, r.version = own(mc.Status.Conditions, r.config.Component), mc.ResourceVersion
	return nil
}

// isRejected reports whether the API server rejects the request until an administrator grants a
// permission, repairs the object or installs the CRD. A CRD without one of the fields is answered with
// 500; any other 500 is an answer that is missing.
func isRejected(err error) bool {
	outcome := apierr.Classify(err)
	return outcome != apierr.OK && (outcome != apierr.Retry || strings.Contains(err.Error(), "not declared in schema"))
}

// remove removes the own conditions by a merge patch of the list, which conflicts if others have written
// since it was read. An apply without them would leave a partial entry, which the CRD rejects, if another
// field manager owns fields of one.
func (r *Reporter) remove(ctx context.Context) error {
	return r.request(ctx, func(ctx context.Context) (*operatorv1.MachineConfiguration, error) {
		mc, err := r.config.Client.Get(ctx, objectName, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		owned := own(mc.Status.Conditions, r.config.Component)
		if len(owned) == 0 {
			return mc, nil
		}
		var others []metav1.Condition // null without any: others treat an empty list as initialized
		for _, c := range mc.Status.Conditions {
			if meta.FindStatusCondition(owned, c.Type) == nil {
				others = append(others, c)
			}
		}
		patch, err := json.Marshal(map[string]any{
			"metadata": map[string]any{"resourceVersion": mc.ResourceVersion},
			"status":   map[string]any{"conditions": others},
		})
		if err != nil {
			return nil, err
		}
		return r.config.Client.Patch(ctx, objectName, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: r.config.FieldManager}, "status")
	})
}

// quietIntervals is how many of the longest intervals must pass without a write until the shortest
// applies again. With fewer, errors in bursts would cause more writes than continuous ones.
const quietIntervals = 6

// pace spaces the attempts to write: the first after a quiet time is made at once, then the interval
// doubles. The zero value allows one at once.
type pace struct {
	last     time.Time
	interval time.Duration
}

// wait returns how long the next attempt has to wait, 0 or less if it can be made.
func (p pace) wait(now time.Time) time.Duration { return p.last.Add(p.interval).Sub(now) }

// written records an attempt.
func (p *pace) written(now time.Time, shortest, longest time.Duration) {
	if p.interval == 0 || now.Sub(p.last) >= quietIntervals*longest {
		p.interval = shortest
	} else {
		p.interval = min(2*p.interval, longest)
	}
	p.last = now
}
