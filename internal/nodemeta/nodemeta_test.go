package nodemeta_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/internal/nodemeta"
)

type references = []metav1.OwnerReference

// Owner references. The reference current is to the Node node.
var (
	node     = &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", UID: "new"}}
	current  = metav1.OwnerReference{APIVersion: "v1", Kind: "Node", Name: "n", UID: "new"}
	previous = metav1.OwnerReference{APIVersion: "v1", Kind: "Node", Name: "n", UID: "old"}
	other    = metav1.OwnerReference{APIVersion: "v1", Kind: "Node", Name: "other", UID: "o"}
	namesake = metav1.OwnerReference{APIVersion: "example.com/v1", Kind: "Node", Name: "n", UID: "x"}
	renamed  = metav1.OwnerReference{APIVersion: "v1", Kind: "Node", Name: "other", UID: "new"}
	machine  = metav1.OwnerReference{APIVersion: "v1", Kind: "Machine", Name: "n", UID: "m"}
	impostor = metav1.OwnerReference{APIVersion: "v1", Kind: "Machine", Name: "n", UID: "new"}
)

func TestOnlyANodeOfTheCoreAPIIsAnOwner(t *testing.T) {
	assert.Equal(t, current, nodemeta.Owner(node))
	for _, r := range (references{current, previous, other}) {
		assert.True(t, nodemeta.IsOwner(r))
	}
	for _, r := range (references{namesake, machine, {}}) {
		assert.False(t, nodemeta.IsOwner(r))
	}
}

// ReplaceOwner replaces all references to Nodes by one to the current Node, and keeps references to other kinds.
func TestTheCurrentNodeBecomesTheOnlyNodeAmongTheOwners(t *testing.T) {
	for _, test := range []struct {
		name       string
		references references
		previous   bool       // the result of OwnedByPrevious
		replaced   references // the result of ReplaceOwner
	}{
		{"none", nil, false, references{current}},
		{"this Node", references{machine, current}, false, references{machine, current}},
		{"this Node first", references{current, machine}, false, references{current, machine}},
		{"the previous Node", references{previous, machine}, true, references{machine, current}},
		{"the previous Node last", references{machine, previous}, true, references{machine, current}},
		{"the previous and this Node", references{previous, current}, false, references{current}},
		{"this and the previous Node", references{current, previous}, false, references{current}},
		{"another Node", references{other}, false, references{current}},
		{"this Node and another", references{current, other}, false, references{current}},
		{"this UID with another name", references{renamed}, false, references{current}},
		{"this UID with another kind", references{impostor}, false, references{impostor, current}},
		{"other kinds", references{namesake, machine}, false, references{namesake, machine, current}},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := append(references{}, test.references...)
			assert.Equal(t, test.previous, nodemeta.OwnedByPrevious(test.references, node))
			replaced := nodemeta.ReplaceOwner(test.references, current)
			assert.Equal(t, test.replaced, replaced)
			assert.Equal(t, replaced, nodemeta.ReplaceOwner(replaced, current), "a second call changes nothing")
			assert.Equal(t, before, append(references{}, test.references...), "the passed list stays unchanged")
			assert.Equal(t, test.references, nodemeta.ReplaceOwner(test.references, metav1.OwnerReference{APIVersion: "v1", Kind: "Node", Name: "n"}),
				"an owner without a UID replaces nothing")
		})
	}
}

func TestANodeIsProvisionedUnlessItsPhaseIsPendingOrProvisioning(t *testing.T) {
	for phase, want := range map[corev1.NodePhase]bool{
		"": true, corev1.NodeRunning: true, corev1.NodeTerminated: true, corev1.NodePending: false, "Provisioning": false,
	} {
		assert.Equal(t, want, nodemeta.IsProvisioned(&corev1.Node{Status: corev1.NodeStatus{Phase: phase}}), "%q", phase)
	}
}

func TestANodeRunsWindowsByItsLabelOrItsReport(t *testing.T) {
	labeled := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"kubernetes.io/os": "windows"}}}
	reported := &corev1.Node{Status: corev1.NodeStatus{NodeInfo: corev1.NodeSystemInfo{OperatingSystem: "windows"}}}
	linux := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"kubernetes.io/os": "linux"}}}
	assert.True(t, nodemeta.IsWindows(labeled))
	assert.True(t, nodemeta.IsWindows(reported))
	assert.False(t, nodemeta.IsWindows(linux))
	assert.False(t, nodemeta.IsWindows(node))
}

const maxImage = 447

const digest = "@sha256:1111111111111111111111111111111111111111111111111111111111111111"

func TestAConfigHasTheNameOfAnObject(t *testing.T) {
	for value, want := range map[string]bool{
		"rendered-worker-1": true, "ip-10-0-1-147.ec2.internal": true, "a": true, strings.Repeat("a", 253): true,
		"": false, "Not A Name": false, "-a": false, "a/b": false, strings.Repeat("a", 254): false,
	} {
		assert.Equal(t, want, nodemeta.IsName(value), "%q", value)
	}
}

func TestAnImageIsAPullSpecByDigestThatTheCRDAccepts(t *testing.T) {
	for value, want := range map[string]bool{
		"registry.example.com/os/rhcos" + digest:                           true,
		"registry.example.com:5000/os" + digest:                            true,
		"registry.example.com:12345/os" + digest:                           true,
		"registry.example.com:5/os" + digest:                               false,
		"registry.example.com:123456/os" + digest:                          false,
		"my-registry.example.com/my_team/rhcos_9.6" + digest:               true,
		"registry.example.com/" + strings.Repeat("a", 61) + "/os" + digest: true,
		"registry.example.com/" + strings.Repeat("a", 62) + "/os" + digest: false,
		"registry.example.com/os/rhcos/9.6" + digest:                       false,
		"https://registry.example.com/os" + digest:                         false,
		"registry.example.com/os" + digest + "1":                           false,
		"registry.example.com/os@sha256:" + strings.Repeat("A", 64):        false,
		"registry.example.com/os" + digest[:len(digest)-1]:                 false,
		"":                                     false,
		"registry.example.com/os/rhcos:latest": false,
		"registry/os" + digest:                 false,
		strings.Repeat("a.", 200) + "a/os" + digest: false,
	} {
		assert.Equal(t, want, nodemeta.IsImage(value), "%q", value)
	}
	longest := strings.Repeat("a", maxImage-len(".b/os"+digest)) + ".b/os" + digest
	assert.Len(t, longest, maxImage)
	assert.True(t, nodemeta.IsImage(longest))
	assert.False(t, nodemeta.IsImage("a"+longest))
}

func TestANameIsSetInNeitherAPIByItsPlaceholder(t *testing.T) {
	for name, want := range map[string]bool{"": false, nodemeta.NotYetSet: false, "NotYetSet": false, "worker": true} {
		assert.Equal(t, want, nodemeta.IsSet(name), "%q", name)
	}
}
