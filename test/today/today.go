// Package today makes the requests of the daemon of machine-config-operator (commit 7ff337a) without
// this library. Tests and cost comparisons use it.
package today

import (
	"context"

	mcfgapply "github.com/openshift/client-go/machineconfiguration/applyconfigurations/machineconfiguration/v1"
	mcfgclient "github.com/openshift/client-go/machineconfiguration/clientset/versioned/typed/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metaapply "k8s.io/client-go/applyconfigurations/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// Daemon reads the object in each call. Then it applies the whole status or the whole spec by
// force, without a resourceVersion.
type Daemon struct {
	Client   mcfgclient.MachineConfigNodeInterface
	Node     func() *corev1.Node
	PoolName string
	// Between is called between the read and the write of a report. It may be nil.
	Between func()
}

var options = metav1.ApplyOptions{FieldManager: upgrademonitor.DefaultFieldManager, Force: true}

// Report applies the status if the call changes the status.
func (d *Daemon) Report(ctx context.Context, c Call) error {
	annotations := d.Node().Annotations
	object, err := d.Client.Get(ctx, d.Node().Name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if d.Between != nil {
		d.Between()
	}
	list, writes := Conditions(object, c, metav1.Now())
	if !writes {
		return nil
	}
	status := mcfgapply.MachineConfigNodeStatus().
		WithObservedGeneration(object.Generation + 1).
		WithConfigVersion(mcfgapply.MachineConfigNodeStatusMachineConfigVersion().
			WithDesired(DesiredConfig(c, annotations[upgrademonitor.DesiredConfigAnnotation])).
			WithCurrent(annotations[upgrademonitor.CurrentConfigAnnotation]))
	for _, condition := range list {
		status.WithConditions(metaapply.Condition().
			WithType(condition.Type).WithStatus(condition.Status).
			WithReason(condition.Reason).WithMessage(condition.Message).
			WithLastTransitionTime(condition.LastTransitionTime))
	}
	_, err = d.Client.ApplyStatus(ctx, mcfgapply.MachineConfigNode(object.Name).WithStatus(status), options)
	return err
}

// Spec applies the spec with the desired config of the Node.
func (d *Daemon) Spec(ctx context.Context) error {
	object, err := d.Client.Get(ctx, d.Node().Name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	spec := mcfgapply.MachineConfigNodeSpec().
		WithNode(mcfgapply.MCOObjectReference().WithName(object.Spec.Node.Name)).
		WithPool(mcfgapply.MCOObjectReference().WithName(d.PoolName)).
		WithConfigVersion(mcfgapply.MachineConfigNodeSpecMachineConfigVersion().
			WithDesired(d.Node().Annotations[upgrademonitor.DesiredConfigAnnotation]))
	_, err = d.Client.Apply(ctx, mcfgapply.MachineConfigNode(object.Name).WithSpec(spec), options)
	return err
}
