package pools_test

// This file has the Go blocks of docs/operator.md, with the parts of machine-config-operator's node controller that the
// blocks use.

import (
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/record"

	poolstatus "github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

// Controller has the fields of the node controller that the blocks use.
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

// newNode returns a Node that is Ready, and has the current and the desired config.
func newNode(name, current, desired string) *corev1.Node {
	const prefix = "machineconfiguration.openshift.io/"
	annotations := map[string]string{prefix + "state": "Done", prefix + "currentConfig": current, prefix + "desiredConfig": desired}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: annotations}}
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	return node
}

func newPool() *mcfgv1.MachineConfigPool {
	pool := &mcfgv1.MachineConfigPool{ObjectMeta: metav1.ObjectMeta{Name: "worker"}}
	pool.Spec.Configuration.Name = "config-1"
	return pool
}

func has(status mcfgv1.MachineConfigPoolStatus, name mcfgv1.MachineConfigPoolConditionType) bool {
	return apihelpers.IsMachineConfigPoolConditionTrue(status.Conditions, name)
}

// While an administrator has cordoned a node, neither Updating nor Updated is True. The two programs that the page names,
// which read Updating, find the cause in the message of Updated.
func TestAPoolWithACordonedNodeIsNeitherUpdatingNorUpdated(t *testing.T) {
	nodes := []*corev1.Node{newNode("worker-0", "config-1", "config-1"), newNode("worker-1", "config-1", "config-1")}
	nodes[0].Spec.Unschedulable = true
	status := (&Controller{}).calculateStatus(nil, nil, newPool(), nodes, nil, nil)
	assert.False(t, has(status, mcfgv1.MachineConfigPoolUpdating))
	assert.False(t, has(status, mcfgv1.MachineConfigPoolUpdated))
	assert.EqualValues(t, 2, status.UpdatedMachineCount)
	for _, c := range status.Conditions {
		if c.Type == mcfgv1.MachineConfigPoolUpdated {
			assert.Equal(t, "2 of 2 nodes have MachineConfig config-1. worker-0 is cordoned", c.Message)
		}
	}
}

// Two cases of machine-config-operator's test have another status, as the page says.
func TestTwoCasesOfMachineConfigOperatorDiffer(t *testing.T) {
	nodes := []*corev1.Node{newNode("worker-0", "config-0", "config-1"), newNode("worker-1", "config-0", "config-0")}
	pool := newPool()
	pool.Spec.Paused = true
	status := (&Controller{}).calculateStatus(nil, nil, pool, nodes, nil, nil)
	assert.True(t, has(status, mcfgv1.MachineConfigPoolUpdating), "a pool that is paused during an update is Updating")

	pool.Spec.Paused = false
	mcn := &mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: "worker-0"}}
	mcn.Status.Conditions = []metav1.Condition{{Type: string(mcfgv1.MachineConfigNodeNodeDegraded), Status: metav1.ConditionTrue}}
	status = (&Controller{}).calculateStatus([]*mcfgv1.MachineConfigNode{mcn}, nil, pool, nodes, &mcfgv1.MachineOSConfig{}, nil)
	assert.False(t, has(status, mcfgv1.MachineConfigPoolUpdating), "a layered pool that is degraded is not Updating")
	assert.EqualValues(t, 1, status.DegradedMachineCount)
}

func TestSyncStatusOnlyWritesOnlyAChange(t *testing.T) {
	recorder := record.NewFakeRecorder(10)
	ctrl := &Controller{osStreamsFgEnabled: true, eventRecorder: recorder}
	ctrl.getOSImageStream = func(_ *mcfgv1.MachineConfigPool, _ *mcfgv1.MachineConfigPoolStatus, isUpdated, isDegraded bool) mcfgv1.OSImageStreamReference {
		assert.True(t, isUpdated)
		assert.False(t, isDegraded)
		return mcfgv1.OSImageStreamReference{Name: "rhel-10"}
	}
	cc := &mcfgv1.ControllerConfig{}
	cc.Status.ControllerCertificates = []mcfgv1.ControllerCertificate{{Subject: "CN=a", BundleFile: "b"}}
	nodes, pool := []*corev1.Node{newNode("worker-0", "config-1", "config-1")}, newPool()

	require.True(t, ctrl.syncStatusOnly(pool, cc, nodes, nil))
	assert.Equal(t, "rhel-10", pool.Status.OSImageStream.Name)
	assert.Equal(t, "CN=a", pool.Status.CertExpirys[0].Subject)
	assert.EqualValues(t, 1, pool.Status.UpdatedMachineCount)
	assert.Equal(t, "Normal Completed Pool worker has completed update to MachineConfig config-1", <-recorder.Events)
	assert.False(t, ctrl.syncStatusOnly(pool, cc, nodes, nil), "nothing changes")
	assert.Empty(t, recorder.Events)
}
