package main

import (
	"context"

	mcfgapply "github.com/openshift/client-go/machineconfiguration/applyconfigurations/machineconfiguration/v1"
	mcfgclient "github.com/openshift/client-go/machineconfiguration/clientset/versioned/typed/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metaapply "k8s.io/client-go/applyconfigurations/meta/v1"

	"github.com/openshift/upgrademonitor/internal/mco"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// today makes the requests of the machine-config-daemon without this library. For each report, it
// reads the object, and applies its whole status if the status would change. For the spec call, it
// reads the object and applies its spec. It models only the cost of these requests.
type today struct {
	client mcfgclient.MachineConfigNodeInterface
	node   *node
}

func newToday(c *client, node *node) (daemon, error) {
	return today{c.mcfg.MachineconfigurationV1().MachineConfigNodes(), node}, nil
}

var applyOptions = metav1.ApplyOptions{FieldManager: upgrademonitor.DefaultFieldManager, Force: true}

func (d today) report(ctx context.Context, c call) error {
	object, err := d.client.Get(ctx, d.node.name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	reported := mco.Call{Phase: c.phase, Status: c.status, Reason: c.reason, Message: c.message, CompletesParent: c.completesParent}
	list, writes := mco.Conditions(object, reported, metav1.Now())
	if !writes {
		return nil
	}
	annotations := d.node.view.Load().Annotations
	status := mcfgapply.MachineConfigNodeStatus().
		WithObservedGeneration(object.Generation + 1).
		WithConfigVersion(mcfgapply.MachineConfigNodeStatusMachineConfigVersion().
			WithDesired(mco.DesiredConfig(reported, annotations[upgrademonitor.DesiredConfigAnnotation])).
			WithCurrent(annotations[upgrademonitor.CurrentConfigAnnotation]))
	for _, condition := range list {
		status.WithConditions(metaapply.Condition().
			WithType(condition.Type).WithStatus(condition.Status).
			WithReason(condition.Reason).WithMessage(condition.Message).
			WithLastTransitionTime(condition.LastTransitionTime))
	}
	_, err = d.client.ApplyStatus(ctx, mcfgapply.MachineConfigNode(d.node.name).WithStatus(status), applyOptions)
	return err
}

func (d today) spec(ctx context.Context) error {
	object, err := d.client.Get(ctx, d.node.name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	spec := mcfgapply.MachineConfigNodeSpec().
		WithNode(mcfgapply.MCOObjectReference().WithName(object.Spec.Node.Name)).
		WithPool(mcfgapply.MCOObjectReference().WithName(poolName)).
		WithConfigVersion(mcfgapply.MachineConfigNodeSpecMachineConfigVersion().
			WithDesired(d.node.view.Load().Annotations[upgrademonitor.DesiredConfigAnnotation]))
	_, err = d.client.Apply(ctx, mcfgapply.MachineConfigNode(d.node.name).WithSpec(spec), applyOptions)
	return err
}

// end does nothing, because a report returns after it is written.
func (today) end(context.Context) error { return nil }
