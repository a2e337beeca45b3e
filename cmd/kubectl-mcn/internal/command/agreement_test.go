package command

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

// randomCluster is a pool and its nodes. Package pool has computed the status of the pool.
type randomCluster struct {
	pool  *mcfgv1.MachineConfigPool
	nodes []*corev1.Node
	mcns  []*mcfgv1.MachineConfigNode
	open  bool // a pinned image set or a degraded build is not done
}

func (c *randomCluster) objects() []runtime.Object {
	all := []runtime.Object{c.pool}
	for _, n := range c.nodes {
		all = append(all, n)
	}
	for _, m := range c.mcns {
		all = append(all, m)
	}
	return all
}

// newRandomCluster returns a cluster in which most nodes are done, because the test is about the end of a rollout.
func newRandomCluster(r *rand.Rand) *randomCluster {
	c := &randomCluster{pool: newPool("worker", newConfig)}
	p := c.pool
	limit := intstr.FromInt(1 + r.IntN(3))
	p.Generation, p.Spec.MaxUnavailable, p.Spec.Paused = 3, &limit, r.IntN(4) == 0
	p.Spec.NodeSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"node-role.kubernetes.io/worker": ""}}
	p.Status.Conditions = nil
	if r.IntN(3) == 0 {
		p.Status.Configuration.Name = newConfig
	}
	if r.IntN(8) == 0 {
		with(p, mcfgv1.MachineConfigPoolRenderDegraded, time.Hour, "duplicate osImageURL")
	}
	options, target := pool.Options{}, ""
	if r.IntN(2) == 0 {
		options, target = c.layer(r)
	}
	chance := r.IntN(4) // how many nodes are not done
	for i := range r.IntN(5) {
		image := target
		if r.IntN(8) < chance {
			image = oneOf(r, image, "", "registry.example/os@sha256:"+strings.Repeat("b", 64))
		}
		c.addNode(r, fmt.Sprintf("worker-%d", i), image, r.IntN(6) < chance)
	}
	p.Status = pool.Status(p, c.nodes, c.mcns, options, metav1.NewTime(now.Add(-time.Hour)))
	return c
}

func oneOf[T any](r *rand.Rand, values ...T) T { return values[r.IntN(len(values))] }

// layer makes the pool layered, with a build in any state. It returns the image of the build.
func (c *randomCluster) layer(r *rand.Rand) (pool.Options, string) {
	target := "registry.example/os@sha256:" + strings.Repeat("a", 64)
	mosc := &mcfgv1.MachineOSConfig{ObjectMeta: metav1.ObjectMeta{Name: "worker"}}
	if r.IntN(4) > 0 {
		mosc.Status.CurrentImagePullSpec = mcfgv1.ImageDigestFormat(target)
	}
	if r.IntN(7) == 0 {
		return pool.Options{MachineOSConfig: mosc}, target
	}
	mosb := &mcfgv1.MachineOSBuild{ObjectMeta: metav1.ObjectMeta{Name: "worker-1"}}
	state := oneOf(r, "", mcfgv1.MachineOSBuildPrepared, mcfgv1.MachineOSBuilding, mcfgv1.MachineOSBuildSucceeded, mcfgv1.MachineOSBuildSucceeded,
		mcfgv1.MachineOSBuildSucceeded, mcfgv1.MachineOSBuildFailed, mcfgv1.MachineOSBuildInterrupted)
	mosb.Status.Conditions = []metav1.Condition{{Type: string(state), Status: metav1.ConditionTrue}}
	if r.IntN(6) == 0 {
		with(c.pool, mcfgv1.MachineConfigPoolImageBuildDegraded, time.Hour, "exit status 1")
	}
	return pool.Options{MachineOSConfig: mosc, MachineOSBuild: mosb}, target
}

// addNode adds a node that has the config of the pool and an image, or a node in another state.
func (c *randomCluster) addNode(r *rand.Rand, name, image string, isOther bool) {
	state := 0
	if isOther {
		state = 1 + r.IntN(12)
	}
	node, mcn := newKubeNode(name), newNode(name, "worker", oldConfig, now.Add(-24*time.Hour))
	node.UID, node.Labels = "uid-1", map[string]string{"node-role.kubernetes.io/worker": ""}
	mcn.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: name, UID: node.UID}}
	current, desired, daemon := newConfig, newConfig, "Done"
	switch state {
	case 1: // waits
		current, desired = oldConfig, oldConfig
	case 2: // the Node desires the config, and its object does not show it yet
		current = oldConfig
	case 3, 4, 5:
		update(mcn, newConfig, now.Add(-70*time.Minute), oneOf(r, phases.UpdatePrepared, phases.Drained, phases.RebootedNode, phases.Uncordoned))
		current, daemon = oneOf(r, oldConfig, newConfig), "Working"
	default:
		update(mcn, newConfig, now.Add(-3*time.Hour), "")
	}
	switch state {
	case 6:
		daemon, node.Annotations = "Degraded", map[string]string{"machineconfiguration.openshift.io/reason": "content mismatch"}
	case 7:
		setCondition(mcn, phases.NodeDegraded, time.Hour, "disk full")
		daemon = "Working" // the pool ignores a failure that a daemon in the state Done has left
	case 8:
		node.Status.Conditions[0].Status = oneOf(r, corev1.ConditionFalse, corev1.ConditionUnknown)
	case 9:
		node.Status.Conditions = append(node.Status.Conditions, corev1.NodeCondition{Type: oneOf(r, corev1.NodeDiskPressure, corev1.NodeNetworkUnavailable), Status: corev1.ConditionTrue})
	case 10:
		node.Spec.Unschedulable = true
	case 11:
		setCondition(mcn, phases.PinnedImageSetsProgressing, time.Hour, "")
		c.open = true
	case 12:
		mcn.OwnerReferences[0].UID = "uid-0"
	}
	mcn.Spec.ConfigImage.DesiredImage, mcn.Status.ConfigImage.CurrentImage = mcfgv1.ImageDigestFormat(image), mcfgv1.ImageDigestFormat(image)
	annotations := map[string]string{"currentConfig": current, "desiredConfig": desired, "state": daemon, "currentImage": image, "desiredImage": image}
	for name, value := range annotations {
		if value != "" {
			metav1.SetMetaDataAnnotation(&node.ObjectMeta, "machineconfiguration.openshift.io/"+name, value)
		}
	}
	c.nodes = append(c.nodes, node)
	if !isOther || r.IntN(8) > 0 {
		c.mcns = append(c.mcns, mcn)
	}
}

// The command says that a pool is done if, and only if, package pool computes Updated=True and Degraded=False, and no
// pinned image set or build is open.
func TestAPoolIsDoneIfPackagePoolSaysUpdated(t *testing.T) {
	t.Parallel()
	done := 0
	for seed := range uint64(250) {
		c := newRandomCluster(rand.New(rand.NewPCG(seed, 0)))
		is := map[mcfgv1.MachineConfigPoolConditionType]bool{}
		for _, condition := range c.pool.Status.Conditions {
			is[condition.Type] = condition.Status == corev1.ConditionTrue
		}
		wantDone := is[mcfgv1.MachineConfigPoolUpdated] && !is[mcfgv1.MachineConfigPoolDegraded] && !c.open
		list := asList(t, c.objects()...)
		for _, withNodes := range []bool{true, false} {
			if !withNodes {
				list = asList(t, (&randomCluster{pool: c.pool, mcns: c.mcns}).objects()...)
			}
			waited := execute(t, list, "wait", "-f", "-")
			complete := execute(t, list, "-f", "-", "-o", "jsonpath={.pools[0].complete}").stdout
			require.Equal(t, wantDone, waited.code == 0, "seed %d, with Nodes %t: the command and the pool disagree: %s%s", seed, withNodes, waited.stdout, waited.stderr)
			require.Equal(t, fmt.Sprint(wantDone), complete, "seed %d", seed)
			require.NotContains(t, waited.stdout, "waiting for the controller", "seed %d", seed)
			if !wantDone {
				require.NotRegexp(t, `(?m)^worker .* (done|done, paused)$`, waited.stdout, "seed %d", seed)
			}
		}
		if wantDone {
			done++
		}
	}
	assert.Greater(t, done, 40, "too few random clusters are done")
	assert.Less(t, done, 210)
}
