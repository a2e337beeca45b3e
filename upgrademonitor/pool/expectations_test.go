package pool_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/nodemeta"
	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

// What the tests of openshift/origin and machine-config-operator expect of the status of a pool: see
// docs/testdata/expectations.tsv.

const (
	formerConfig = "rendered-infra-aaa"
	targetConfig = "rendered-infra-bbb"
	formerOS     = "registry.example.com/os@sha256:1111111111111111111111111111111111111111111111111111111111111111"
	targetOS     = "registry.example.com/os@sha256:2222222222222222222222222222222222222222222222222222222222222222"
)

// expectedNode is a node of the pool infra: its Node and its object agree.
type expectedNode struct {
	config, desired string // targetConfig by default
	image           string
	cordoned        bool
	degraded        string // the message of NodeDegraded
	steps           string // the conditions that are not False, such as "Drained=Unknown"
	sets            []mcfgv1.MachineConfigNodeStatusPinnedImageSet
}

func (n expectedNode) objects(name string) (*corev1.Node, *mcfgv1.MachineConfigNode) {
	if n.config == "" {
		n.config = targetConfig
	}
	if n.desired == "" {
		n.desired = n.config
	}
	uid := types.UID("uid of " + name)
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: uid, Labels: map[string]string{"infra": ""}}}
	node.Annotations = map[string]string{
		nodemeta.CurrentConfig:                    n.config,
		nodemeta.DesiredConfig:                    n.desired,
		"machineconfiguration.openshift.io/state": map[bool]string{true: "Degraded", false: "Done"}[n.degraded != ""],
	}
	node.Spec.Unschedulable = n.cordoned
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	object := &mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: name}}
	object.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: name, UID: uid}}
	object.Spec.ConfigVersion.Desired = n.desired
	object.Status.ConfigVersion = &mcfgv1.MachineConfigNodeStatusMachineConfigVersion{
		Current: n.config, Desired: n.desired,
	}
	object.Status.PinnedImageSets = n.sets
	if n.image != "" {
		node.Annotations[nodemeta.CurrentImage] = n.image
		node.Annotations[nodemeta.DesiredImage] = n.image
		object.Spec.ConfigImage.DesiredImage = mcfgv1.ImageDigestFormat(n.image)
		object.Status.ConfigImage.DesiredImage = mcfgv1.ImageDigestFormat(n.image)
		object.Status.ConfigImage.CurrentImage = mcfgv1.ImageDigestFormat(n.image)
	}
	add := func(conditionType, status, message string) {
		c := metav1.Condition{Type: conditionType, Status: metav1.ConditionStatus(status), Message: message}
		object.Status.Conditions = append(object.Status.Conditions, c)
	}
	steps := strings.Fields(n.steps)
	for _, step := range steps {
		conditionType, status, _ := strings.Cut(step, "=")
		add(conditionType, status, "about it")
	}
	add("Updated", map[bool]string{true: "True", false: "False"}[len(steps) == 0], "")
	add("NodeDegraded", map[bool]string{true: "True", false: "False"}[n.degraded != ""], n.degraded)
	return node, object
}

// textsOf returns the fields of an object as texts, such as "degradedMachineCount=0".
func textsOf(t *testing.T, object any) map[string]bool {
	t.Helper()
	data, err := json.Marshal(object)
	require.NoError(t, err)
	var fields map[string]any
	require.NoError(t, json.Unmarshal(data, &fields))
	found := map[string]bool{}
	for name, value := range fields {
		found[fmt.Sprintf("%s=%v", name, value)] = true
	}
	return found
}

// TestPoolsThatOthersWaitFor: each case is a cluster of their tests, and what these tests wait for.
func TestPoolsThatOthersWaitFor(t *testing.T) {
	for _, expected := range expectedPools {
		t.Run(expected.name, func(t *testing.T) {
			p := newExpectedPool(targetConfig)
			p.Spec.Paused, p.Status.Conditions = expected.paused, expected.before
			var list []*corev1.Node
			var objects []*mcfgv1.MachineConfigNode
			for i, n := range expected.nodes {
				node, object := n.objects(fmt.Sprintf("n%d", i))
				list, objects = append(list, node), append(objects, object)
			}
			status := pool.Status(p, list, objects, expected.options(), metav1.Now())
			found := textsOf(t, status)
			messages, reasons := words{}, words{}
			for _, c := range status.Conditions {
				found[fmt.Sprintf("%s=%s", c.Type, c.Status)] = true
				messages[c.Type], reasons[c.Type] = c.Message, c.Reason
			}
			for _, want := range strings.Fields(expected.want) {
				assert.True(t, found[want], "%s: %v", want, found)
			}
			for conditionType, want := range expected.message {
				assert.Regexp(t, want, messages[conditionType])
			}
			for conditionType, want := range expected.reason {
				assert.Equal(t, want, reasons[conditionType])
			}
			if found["Updated=True"] {
				assert.Equal(t, targetConfig, status.Configuration.Name, "waiters compare it")
			}
		})
	}
}

func newExpectedPool(target string) *mcfgv1.MachineConfigPool {
	p := &mcfgv1.MachineConfigPool{ObjectMeta: metav1.ObjectMeta{Name: "infra", Generation: 2}}
	p.Spec.NodeSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"infra": ""}}
	p.Spec.Configuration.Name = target
	return p
}

// options returns the MachineOSConfig and the MachineOSBuild of the pool, if it has an image.
func (p expectedPool) options() (options pool.Options) {
	if p.build == "" {
		return options
	}
	config := &mcfgv1.MachineOSConfig{ObjectMeta: metav1.ObjectMeta{Name: "infra-config"}}
	config.Spec.MachineConfigPool.Name = "infra"
	config.Status.CurrentImagePullSpec = targetOS
	options.MachineOSConfig = config
	if p.build == noBuild {
		return options
	}
	build := &mcfgv1.MachineOSBuild{ObjectMeta: metav1.ObjectMeta{Name: "infra-build"}}
	build.Spec.MachineConfig.Name, build.Spec.MachineOSConfig.Name = targetConfig, "infra-config"
	build.Status.Conditions = []metav1.Condition{{Type: string(p.build), Status: metav1.ConditionTrue}}
	if p.build == mcfgv1.MachineOSBuildSucceeded {
		build.Status.DigestedImagePushSpec = targetOS
	}
	options.MachineOSBuild = build
	return options
}

// TestPinsThatOthersWaitFor: the counts of the pool's pinned images have no omitted field, and agree with the pool's
// when all images are pinned, or no longer have to be. Fields of other controllers stay.
func TestPinsThatOthersWaitFor(t *testing.T) {
	set := mcfgv1.MachineConfigNodeStatusPinnedImageSet{Name: "a", DesiredGeneration: 2, CurrentGeneration: 1}
	pinned := set
	pinned.CurrentGeneration = 2
	expiry := metav1.NewTime(time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC))
	for updated, nodes := range map[string][]expectedNode{
		"updatedMachineCount=0": {{sets: []mcfgv1.MachineConfigNodeStatusPinnedImageSet{set}}},
		"updatedMachineCount=1": {{sets: []mcfgv1.MachineConfigNodeStatusPinnedImageSet{pinned}}, {}},
	} {
		for _, n := range nodes {
			node, object := n.objects("n0")
			p := newExpectedPool(targetConfig)
			p.Status.CertExpirys = []mcfgv1.CertExpiry{{Bundle: "a", Subject: "CN=a", Expiry: &expiry}}
			p.Status.OSImageStream.Name = "rhel-10"
			list, objects := []*corev1.Node{node}, []*mcfgv1.MachineConfigNode{object}
			status := pool.Status(p, list, objects, pool.Options{}, metav1.Now())
			assert.Equal(t, p.Status.CertExpirys, status.CertExpirys)
			assert.Equal(t, p.Status.OSImageStream, status.OSImageStream)
			require.Len(t, status.PoolSynchronizersStatus, 1)
			found := textsOf(t, status.PoolSynchronizersStatus[0])
			for _, want := range []string{
				"poolSynchronizerType=PinnedImageSets", "machineCount=1", "unavailableMachineCount=0", updated,
			} {
				assert.True(t, found[want], "%s: %v", want, found)
			}
		}
	}
}

// TestUpdatedOfTheNewConfig: lastTransitionTime of Updated is after the start of an update that has ended.
func TestUpdatedOfTheNewConfig(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	p := newExpectedPool(formerConfig)
	for i, n := range []expectedNode{{config: formerConfig}, {config: formerConfig}, {}} {
		if i == 1 {
			p.Spec.Configuration.Name = targetConfig
		}
		node, object := n.objects("n0")
		list, objects := []*corev1.Node{node}, []*mcfgv1.MachineConfigNode{object}
		now := metav1.NewTime(start.Add(time.Duration(i) * time.Minute))
		p.Status = pool.Status(p, list, objects, pool.Options{}, now)
	}
	for _, c := range p.Status.Conditions {
		if c.Type == mcfgv1.MachineConfigPoolUpdated {
			assert.Equal(t, corev1.ConditionTrue, c.Status)
			assert.True(t, c.LastTransitionTime.After(start.Add(time.Minute)))
		}
	}
	assert.Equal(t, targetConfig, p.Status.Configuration.Name)
}
