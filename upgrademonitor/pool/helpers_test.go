package pool_test

import (
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/internal/nodemeta"
	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

const (
	oldConfig = "rendered-worker-aaa"
	newConfig = "rendered-worker-bbb"
	oldImage  = "registry/os@sha256:1111111111111111111111111111111111111111111111111111111111111111"
	newImage  = "registry/os@sha256:2222222222222222222222222222222222222222222222222222222222222222"
)

var (
	earlier = metav1.NewTime(time.Date(2026, 5, 22, 12, 37, 24, 0, time.UTC))
	now     = metav1.NewTime(earlier.Add(time.Minute + time.Millisecond))
)

// newPool returns a pool that selects the nodes with its name as a role, and desires newConfig.
func newPool(name string, change ...func(*mcfgv1.MachineConfigPool)) *mcfgv1.MachineConfigPool {
	p := &mcfgv1.MachineConfigPool{
		ObjectMeta: metav1.ObjectMeta{Name: name, Generation: 3, ResourceVersion: "1"},
		Spec:       mcfgv1.MachineConfigPoolSpec{NodeSelector: &metav1.LabelSelector{MatchLabels: map[string]string{role(name): ""}}},
	}
	p.Spec.Configuration.Name = newConfig
	for _, c := range change {
		c(p)
	}
	return p
}

func paused(p *mcfgv1.MachineConfigPool) { p.Spec.Paused = true }

func targets(config string) func(*mcfgv1.MachineConfigPool) {
	return func(p *mcfgv1.MachineConfigPool) { p.Spec.Configuration.Name = config }
}

// has adds a condition of another controller, which is True.
func has(conditionType mcfgv1.MachineConfigPoolConditionType, message string) func(*mcfgv1.MachineConfigPool) {
	return func(p *mcfgv1.MachineConfigPool) {
		p.Status.Conditions = append(p.Status.Conditions, mcfgv1.MachineConfigPoolCondition{Type: conditionType, Status: corev1.ConditionTrue, Message: message})
	}
}

func invalidSelector(p *mcfgv1.MachineConfigPool) {
	p.Spec.NodeSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "a", Operator: "Near"}}}
}

func role(pool string) string { return "node-role.kubernetes.io/" + pool }

// newNode returns a Ready Node of the pool worker.
func newNode(name string, change ...func(*corev1.Node)) *corev1.Node {
	n := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("uid-" + name), Labels: map[string]string{role("worker"): ""}},
		Status:     corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}},
	}
	for _, c := range change {
		c(n)
	}
	return n
}

func cordoned(n *corev1.Node) { n.Spec.Unschedulable = true }
func diskPressure(n *corev1.Node) {
	n.Status.Conditions = append(n.Status.Conditions, corev1.NodeCondition{Type: corev1.NodeDiskPressure, Status: corev1.ConditionTrue})
}
func notReady(n *corev1.Node)     { n.Status.Conditions[0].Status = corev1.ConditionUnknown }
func noConditions(n *corev1.Node) { n.Status.Conditions = nil }
func roles(pools ...string) func(*corev1.Node) {
	return func(n *corev1.Node) {
		n.Labels = map[string]string{}
		for _, p := range pools {
			n.Labels[role(p)] = ""
		}
	}
}

// newMCN returns the object of a node that has been updated to newConfig.
func newMCN(name string, change ...func(*mcfgv1.MachineConfigNode)) *mcfgv1.MachineConfigNode {
	m := &mcfgv1.MachineConfigNode{
		ObjectMeta: metav1.ObjectMeta{
			Name:            name,
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: name, UID: types.UID("uid-" + name)}},
		},
		Spec: mcfgv1.MachineConfigNodeSpec{ConfigVersion: mcfgv1.MachineConfigNodeSpecMachineConfigVersion{Desired: newConfig}},
		Status: mcfgv1.MachineConfigNodeStatus{
			Conditions: []metav1.Condition{
				{Type: string(mcfgv1.MachineConfigNodeNodeDegraded), Status: metav1.ConditionFalse},
				{Type: string(mcfgv1.MachineConfigNodePinnedImageSetsDegraded), Status: metav1.ConditionFalse},
				{Type: string(mcfgv1.MachineConfigNodeUpdated), Status: metav1.ConditionTrue},
			},
			ConfigVersion: &mcfgv1.MachineConfigNodeStatusMachineConfigVersion{Current: newConfig, Desired: newConfig},
		},
	}
	for _, c := range change {
		c(m)
	}
	return m
}

// withCondition sets the status and the message of a condition that the object has.
func withCondition(conditionType mcfgv1.StateProgress, status metav1.ConditionStatus, message string) func(*mcfgv1.MachineConfigNode) {
	return func(m *mcfgv1.MachineConfigNode) {
		for i := range m.Status.Conditions {
			if c := &m.Status.Conditions[i]; c.Type == string(conditionType) {
				c.Status, c.Message = status, message
			}
		}
	}
}

// configs sets the desired config of the spec, and the desired and the current config of the status.
func configs(spec, desired, current string) func(*mcfgv1.MachineConfigNode) {
	return func(m *mcfgv1.MachineConfigNode) {
		m.Spec.ConfigVersion.Desired = spec
		m.Status.ConfigVersion = &mcfgv1.MachineConfigNodeStatusMachineConfigVersion{Desired: desired, Current: current}
	}
}

func images(spec, current string) func(*mcfgv1.MachineConfigNode) {
	return func(m *mcfgv1.MachineConfigNode) {
		m.Spec.ConfigImage.DesiredImage = mcfgv1.ImageDigestFormat(spec)
		m.Status.ConfigImage.CurrentImage = mcfgv1.ImageDigestFormat(current)
	}
}

// joining resets the object to that of a new node, which has never reported a condition.
func joining(m *mcfgv1.MachineConfigNode) {
	notUpdated(m)
	for i := range m.Status.Conditions {
		m.Status.Conditions[i].Reason = "NotYetOccurred"
	}
}

// phase adds the condition of a phase. Its lastTransitionTime is earlier.
func phase(p mcfgv1.StateProgress, status metav1.ConditionStatus) func(*mcfgv1.MachineConfigNode) {
	return func(m *mcfgv1.MachineConfigNode) {
		m.Status.Conditions = append(m.Status.Conditions, metav1.Condition{Type: string(p), Status: status, LastTransitionTime: earlier})
	}
}

// updating makes the object show an update, even if the desired config is the current config.
func updating(m *mcfgv1.MachineConfigNode) {
	started(m)
	phase(mcfgv1.MachineConfigNodeUpdatePrepared, metav1.ConditionUnknown)(m)
}

// started sets Updated to False. While no step has started, this does not count as an update.
func started(m *mcfgv1.MachineConfigNode) {
	notUpdated(m)
	for i := range m.Status.Conditions {
		m.Status.Conditions[i].LastTransitionTime = earlier
	}
}

var (
	notUpdated = withCondition(mcfgv1.MachineConfigNodeUpdated, metav1.ConditionFalse, "")
	degraded   = withCondition(mcfgv1.MachineConfigNodeNodeDegraded, metav1.ConditionTrue, "disk full")
	pinFailed  = withCondition(mcfgv1.MachineConfigNodePinnedImageSetsDegraded, metav1.ConditionTrue, "no such image")
	waiting    = configs(oldConfig, oldConfig, oldConfig)
)

// ordered sets the desired config and the desired image of a Node.
func ordered(config, image string) func(*corev1.Node) {
	return func(n *corev1.Node) {
		metav1.SetMetaDataAnnotation(&n.ObjectMeta, nodemeta.DesiredConfig, config)
		metav1.SetMetaDataAnnotation(&n.ObjectMeta, nodemeta.DesiredImage, image)
	}
}

func runsConfig(config string) func(*corev1.Node) {
	return func(n *corev1.Node) {
		metav1.SetMetaDataAnnotation(&n.ObjectMeta, nodemeta.CurrentConfig, config)
		if _, hasState := n.Annotations["machineconfiguration.openshift.io/state"]; !hasState {
			withState("Done", "")(n)
		}
	}
}

// withState sets the annotations state and reason of a Node.
func withState(state, reason string) func(*corev1.Node) {
	return func(n *corev1.Node) {
		metav1.SetMetaDataAnnotation(&n.ObjectMeta, "machineconfiguration.openshift.io/state", state)
		metav1.SetMetaDataAnnotation(&n.ObjectMeta, "machineconfiguration.openshift.io/reason", reason)
	}
}

// mosc returns the MachineOSConfig of the pool worker with this image.
func mosc(image string) *mcfgv1.MachineOSConfig {
	c := &mcfgv1.MachineOSConfig{ObjectMeta: metav1.ObjectMeta{Name: "mosc-1"}}
	c.Spec.MachineConfigPool.Name = "worker"
	c.Status.CurrentImagePullSpec = mcfgv1.ImageDigestFormat(image)
	return c
}

// mosb returns a build of the MachineOSConfig mosc-1 for newConfig. The condition of its state is True, and the others are
// False. The state "" is the initial state.
func mosb(state mcfgv1.BuildProgress, image string) *mcfgv1.MachineOSBuild {
	b := &mcfgv1.MachineOSBuild{ObjectMeta: metav1.ObjectMeta{Name: "mosb-1"}}
	b.Spec.MachineConfig.Name, b.Spec.MachineOSConfig.Name = newConfig, "mosc-1"
	b.Status.DigestedImagePushSpec = mcfgv1.ImageDigestFormat(image)
	for _, progress := range []mcfgv1.BuildProgress{mcfgv1.MachineOSBuildPrepared, mcfgv1.MachineOSBuilding,
		mcfgv1.MachineOSBuildFailed, mcfgv1.MachineOSBuildInterrupted, mcfgv1.MachineOSBuildSucceeded} {
		c := metav1.Condition{Type: string(progress), Status: metav1.ConditionFalse}
		if progress == state {
			c.Status = metav1.ConditionTrue
		}
		b.Status.Conditions = append(b.Status.Conditions, c)
	}
	return b
}

// built returns the options of a pool whose image was built.
func built(image string) pool.Options {
	return pool.Options{MachineOSConfig: mosc(image), MachineOSBuild: mosb(mcfgv1.MachineOSBuildSucceeded, image)}
}

// condition returns one condition of a status, which must have it once.
func condition(tb testing.TB, status mcfgv1.MachineConfigPoolStatus, conditionType mcfgv1.MachineConfigPoolConditionType) mcfgv1.MachineConfigPoolCondition {
	tb.Helper()
	var found []mcfgv1.MachineConfigPoolCondition
	for _, c := range status.Conditions {
		if c.Type == conditionType {
			found = append(found, c)
		}
	}
	require.Len(tb, found, 1, "%s", conditionType)
	return found[0]
}
