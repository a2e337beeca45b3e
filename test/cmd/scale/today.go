package main

import (
	"context"
	"fmt"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgapply "github.com/openshift/client-go/machineconfiguration/applyconfigurations/machineconfiguration/v1"
	mcfgclient "github.com/openshift/client-go/machineconfiguration/clientset/versioned/typed/machineconfiguration/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metaapply "k8s.io/client-go/applyconfigurations/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// today is a daemon that makes the requests of the machine config daemon before this library:
// for each report it reads the object and, unless nothing would change, applies its whole status; for the spec call it reads
// the object and applies its spec. It represents the cost of these requests only.
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
	if reported(object, c) {
		return nil
	}
	annotations := d.node.view.Load().Annotations
	status := mcfgapply.MachineConfigNodeStatus().
		WithObservedGeneration(object.Generation + 1).
		WithConfigVersion(mcfgapply.MachineConfigNodeStatusMachineConfigVersion().
			WithDesired(annotations[upgrademonitor.DesiredConfigAnnotation]).
			WithCurrent(annotations[upgrademonitor.CurrentConfigAnnotation]))
	for _, condition := range afterCall(object, c) {
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

// end has nothing to do: a report returns when it is written.
func (today) end(context.Context) error { return nil }

// reported reports whether an object already has what a call reports. Then nothing is applied,
// except for pinned image sets, which also have a list.
func reported(object *mcfgv1.MachineConfigNode, c call) bool {
	if c.phase == phases.PinnedImageSetsProgressing || c.phase == phases.PinnedImageSetsDegraded {
		return false
	}
	condition := meta.FindStatusCondition(object.Status.Conditions, string(c.phase))
	return condition != nil && condition.Status == c.status && condition.Reason == c.reason && condition.Message == c.message
}

// afterCall returns the conditions of an object after a call: the phase and its parent are set, and
// a report of Updated resets all others.
func afterCall(object *mcfgv1.MachineConfigNode, c call) []metav1.Condition {
	list := object.DeepCopy().Status.Conditions
	now := metav1.Now()
	if c.phase == phases.Updated {
		for i := range list {
			if list[i].Status != metav1.ConditionFalse && list[i].Type != string(phases.Updated) {
				list[i].Status, list[i].LastTransitionTime = metav1.ConditionFalse, now
				list[i].Message = fmt.Sprintf("Action during update to %s: %s", object.Spec.ConfigVersion.Desired, list[i].Message)
			}
		}
	}
	meta.SetStatusCondition(&list, metav1.Condition{Type: string(c.phase), Status: c.status, Reason: c.reason, Message: c.message, LastTransitionTime: now})
	if parent, ok := phases.ParentOf(c.phase); ok {
		status := metav1.ConditionUnknown
		if c.completesParent {
			status = metav1.ConditionTrue
		}
		meta.SetStatusCondition(&list, metav1.Condition{Type: string(parent), Status: status, Reason: string(c.phase), Message: c.message, LastTransitionTime: now})
	}
	return list
}
