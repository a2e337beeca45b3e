// Package status has the blocks of docs/operator.md, in the place of the node controller of machine-config-operator.
package status

import (
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/record"

	poolstatus "github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

// Controller has what the blocks use of the node controller.
type Controller struct {
	osStreamsFgEnabled bool
	eventRecorder      record.EventRecorder
	getOSImageStream   func(pool *mcfgv1.MachineConfigPool, status *mcfgv1.MachineConfigPoolStatus, isUpdated, isDegraded bool) mcfgv1.OSImageStreamReference
}

type helpers struct{}

func (helpers) IsMachineConfigPoolConditionTrue(list []mcfgv1.MachineConfigPoolCondition, name mcfgv1.MachineConfigPoolConditionType) bool {
	for _, c := range list {
		if c.Type == name {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

var apihelpers helpers

func certExpirys(cc *mcfgv1.ControllerConfig) (list []mcfgv1.CertExpiry) {
	if cc == nil {
		return nil
	}
	for _, cert := range cc.Status.ControllerCertificates {
		list = append(list, mcfgv1.CertExpiry{Bundle: cert.BundleFile, Subject: cert.Subject, Expiry: cert.NotAfter})
	}
	return list
}

func (ctrl *Controller) calculateStatus(mcns []*mcfgv1.MachineConfigNode, cc *mcfgv1.ControllerConfig, pool *mcfgv1.MachineConfigPool, nodes []*corev1.Node, mosc *mcfgv1.MachineOSConfig, mosb *mcfgv1.MachineOSBuild) mcfgv1.MachineConfigPoolStatus {
	options := poolstatus.Options{MachineOSConfig: mosc, MachineOSBuild: mosb}
	status := poolstatus.Status(pool, nodes, mcns, options, metav1.Now())
	status.CertExpirys = certExpirys(cc) // a new function with the loop at the start of the old body
	if ctrl.osStreamsFgEnabled {         // without this feature gate, the lister of OSImageStreams is nil
		isUpdated := apihelpers.IsMachineConfigPoolConditionTrue(status.Conditions, mcfgv1.MachineConfigPoolUpdated)
		isDegraded := apihelpers.IsMachineConfigPoolConditionTrue(status.Conditions, mcfgv1.MachineConfigPoolDegraded)
		status.OSImageStream = ctrl.getOSImageStream(pool, &status, isUpdated, isDegraded)
	}
	return status
}

// syncStatusOnly writes the status to the pool, and records its events. It returns false if nothing has changed.
func (ctrl *Controller) syncStatusOnly(freshPool *mcfgv1.MachineConfigPool, cc *mcfgv1.ControllerConfig, nodes []*corev1.Node, mcns []*mcfgv1.MachineConfigNode) bool {
	newStatus := ctrl.calculateStatus(mcns, cc, freshPool, nodes, nil, nil)
	if equality.Semantic.DeepEqual(freshPool.Status, newStatus) {
		return false
	}
	for _, e := range poolstatus.Events(freshPool, freshPool.Status, newStatus) {
		ctrl.eventRecorder.Event(freshPool, e.Type, e.Reason, e.Message)
	}
	freshPool.Status = newStatus
	return true
}
