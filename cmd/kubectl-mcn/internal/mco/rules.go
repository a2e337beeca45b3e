package mco

import (
	"slices"
	"strings"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/internal/poolwords"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// The annotations of a Node that machine-config-operator's daemons and controllers exchange.
const (
	AnnotationPrefix = "machineconfiguration.openshift.io/"

	CurrentConfig    = AnnotationPrefix + "currentConfig"
	DesiredConfig    = AnnotationPrefix + "desiredConfig"
	State            = AnnotationPrefix + "state"              // the state of the daemon, for example Done
	DesiredDrain     = AnnotationPrefix + "desiredDrain"       // the daemon's last request to the drain controller
	LastAppliedDrain = AnnotationPrefix + "lastAppliedDrain"   // the last request that was carried out
	PostConfigAction = AnnotationPrefix + "post-config-action" // Rebooting right before a reboot, and "" after the boot
)

// The pools that every cluster may have. All other pools are custom pools.
const (
	Master  = "master"
	Arbiter = "arbiter"
	Worker  = "worker"
)

// Operator is an operator that cordons and drains nodes by itself. The annotation or the taint says that
// it has cordoned the node. It expects to uncordon the node itself. Next is a command that shows what it
// does.
type Operator struct{ annotation, taint, Name, Next string }

var operators = []Operator{
	{"sriovnetwork.openshift.io/state", "", "the SR-IOV operator", "oc get sriovnetworknodestates -A"},
	{"", "medik8s.io/drain", "the node maintenance operator", "oc get nodemaintenances"},
	{"", "kubevirt.io/drain", "the node maintenance operator of KubeVirt", "oc get nodemaintenances"}, // its first releases
	{"", "medik8s.io/remediation", "a remediation of medik8s", "oc get selfnoderemediations -A"},
}

// IsOfOperator reports whether an annotation or a taint of a Node says that an Operator has cordoned it.
func IsOfOperator(key string) bool {
	return key != "" && slices.ContainsFunc(operators, func(o Operator) bool { return key == o.annotation || key == o.taint })
}

// cordonedBy returns the operator that has cordoned a Node, or nil. machine-config-operator has cordoned
// the Node if it was asked for a drain, or has not carried out a request.
func cordonedBy(node *corev1.Node) *Operator {
	drain := node.Annotations[DesiredDrain]
	if !node.Spec.Unschedulable || strings.HasPrefix(drain, "drain-") || drain != node.Annotations[LastAppliedDrain] {
		return nil
	}
	for i, o := range operators {
		state := node.Annotations[o.annotation] // for example Draining, Drain_Required or Reboot_Required
		isDraining := o.annotation != "" && state != "" && state != "Idle"
		hasTaint := func(t corev1.Taint) bool { return t.Key == o.taint }
		if isDraining || o.taint != "" && slices.ContainsFunc(node.Spec.Taints, hasTaint) {
			return &operators[i]
		}
	}
	return nil
}

// IsWindows reports whether a node runs Windows. machine-config-operator does not update it.
func IsWindows(node *corev1.Node) bool {
	const windows = string(corev1.Windows)
	return node.Labels[corev1.LabelOSStable] == windows || node.Status.NodeInfo.OperatingSystem == windows
}

// IsNewer reports whether a MachineConfigNode is newer than its Node: it says that the update is complete
// which the annotations of the Node still request. A daemon writes the annotations first.
func IsNewer(node *corev1.Node, mcn *mcfgv1.MachineConfigNode) bool {
	requested, runs := progress.Of(node, nil), progress.Of(nil, mcn)
	isUpdated := conditions.StatusOf(mcn.Status.Conditions, phases.Updated) == metav1.ConditionTrue
	return requested.InUpdate() && isUpdated && runs.Current == requested.Desired
}

// Places returns how many places of maxUnavailable a node takes, as the node controller counts for a
// pool with this target. A node takes a place if it cannot run pods, or if its update is neither done
// nor failed. A node that fails for the target takes a place, too, because its failure may be
// transient: so a node that fails and cannot run pods takes two. A node that fails for another config
// can be told to update, so it takes none.
func (n Node) Places(target progress.Target) int {
	places, hasFailed := 0, n.isFailing()
	isDone := n.IsAvailable()
	if n.state != "" { // the node controller does not read the MachineConfigNode
		isDone = n.Desired == n.Current && n.state == "Done"
	}
	if len(n.Unavailable) > 0 || !hasFailed && !isDone {
		places++
	}
	if hasFailed && n.Desired == target {
		places++
	}
	return places
}

// isFailing reports whether the daemon has failed to update the node. The node controller reads only
// the state annotation. If the current and the desired config are equal, the files on the disk have
// drifted: that is not a failure to update.
func (n Node) isFailing() bool {
	hasFailed := n.state == "Degraded" || n.state == "Unreconcilable" || n.state == "" && n.Degraded
	return hasFailed && n.Desired.Config != n.Current.Config
}

// ImageOf returns the image that the messages of a pool's conditions Updated and Updating name.
// isNamed is false if the messages do not say whether the pool has an image. isImageMode is true if
// the pool has an image, or is building one: only such a pool has a message about a build, and only
// its update is paused by a degraded condition.
func ImageOf(config string, messages ...string) (image string, isNamed, isImageMode bool) {
	for _, message := range messages {
		image := poolwords.ReadImage(message, config)
		_, _, isBuild := poolwords.ReadBuild(message)
		switch {
		case image != "":
			return image, true, true
		case isBuild || message == poolwords.Degraded:
			isImageMode = true
		case strings.Contains(message, "MachineConfig "+config):
			isNamed = true // the target has no image
		}
	}
	return "", isNamed && !isImageMode, isImageMode
}
