package pool_test

import (
	"slices"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

// annotated sets the images in the annotations of a Node, which it has with the gate on and off.
func annotated(desired, current string) func(*corev1.Node) {
	return func(n *corev1.Node) {
		n.Annotations = map[string]string{upgrademonitor.DesiredImageAnnotation: desired, upgrademonitor.CurrentImageAnnotation: current}
	}
}

// TestImageOfOneMachine: whether a node is updated, by the image of its pool and its own desired and
// current images. These are in its object, in the annotations of its Node, or in both.
func TestImageOfOneMachine(t *testing.T) {
	const o, n = oldImage, newImage
	for _, test := range []struct {
		name             string
		image            pool.Image
		desired, current string
		updated          bool
	}{
		{"unknown, the node has none", pool.Image{}, "", "", true},
		{"unknown, the node has the one that it desires", pool.Image{}, n, n, true},
		{"unknown, the node desires another", pool.Image{}, n, o, false},
		{"unknown, the node desires its first", pool.Image{}, n, "", false},
		{"unknown, the node desires none", pool.Image{}, "", o, false},
		{"none, the node has none", pool.Image{State: pool.ImageNone}, "", "", true},
		{"none, the node still has one", pool.Image{State: pool.ImageNone}, o, o, false},
		{"none, the node is losing it", pool.Image{State: pool.ImageNone}, "", o, false},
		{"built, the node has it", built(n), n, n, true},
		{"built, the node has none", built(n), "", "", false},
		{"built, the node has the old one", built(n), o, o, false},
		{"built, the node is getting it", built(n), n, o, false},
		{"built, the node has it and desires the old one", built(n), o, n, false},
		{"built, without a pull spec", pool.Image{State: pool.ImageBuilt}, "", "", false},
		{"building, the node has none", pool.Image{State: pool.ImageBuilding}, "", "", false},
		{"building, the node has the old one", pool.Image{State: pool.ImageBuilding}, o, o, false},
		{"build failed, the node has the old one", pool.Image{State: pool.ImageBuildFailed}, o, o, false},
		{"a state of a later release", pool.Image{State: "Signed"}, o, o, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			for gate, machine := range map[string]struct {
				node *corev1.Node
				mcn  *mcfgv1.MachineConfigNode
			}{
				"gate on":                      {newNode("n", annotated(test.desired, test.current)), newMCN("n", images(test.desired, test.current))},
				"gate on, without annotations": {newNode("n"), newMCN("n", images(test.desired, test.current))},
				"gate off":                     {newNode("n", annotated(test.desired, test.current)), newMCN("n")},
				"gate on, only in the spec":    {newNode("n", annotated(test.desired, test.current)), newMCN("n", images(test.desired, ""))},
			} {
				status := pool.Status(newPool("worker"), nodes{machine.node}, mcns{machine.mcn}, pool.Options{Image: test.image}, now)
				assert.Equal(t, test.updated, status.UpdatedMachineCount == 1, gate)
				assert.Equal(t, test.updated, condition(t, status, mcfgv1.MachineConfigPoolUpdated).Status == corev1.ConditionTrue, gate)
			}
		})
	}
}

// rollout updates a pool of three nodes to an image, one at a time, and records the status after
// each step.
type rollout struct {
	t      *testing.T
	gateOn bool // the objects have images
	image  func() pool.Image
	pool   *mcfgv1.MachineConfigPool
	nodes  nodes
	mcns   mcns
	done   int32 // nodes that have it

	updated, updating []bool // in order, without repeats
}

func newRollout(t *testing.T, gateOn bool, image string) *rollout {
	t.Helper()
	r := &rollout{t: t, gateOn: gateOn, pool: newPool("worker"), image: func() pool.Image { return pool.Image{} }}
	for _, name := range []string{"a", "b", "c"} {
		r.nodes, r.mcns = append(r.nodes, newNode(name)), append(r.mcns, newMCN(name))
	}
	for i := range r.nodes {
		r.set(i, image, image)
	}
	return r
}

// set sets the images of a node: in its annotations and, with the gate on, in its object.
func (r *rollout) set(i int, desired, current string) {
	annotated(desired, current)(r.nodes[i])
	if r.gateOn {
		images(desired, current)(r.mcns[i])
	}
}

// sync computes the status, and checks that no node is counted as updated before it is.
func (r *rollout) sync() {
	r.t.Helper()
	r.pool.Status = pool.Status(r.pool, r.nodes, r.mcns, pool.Options{Image: r.image()}, now)
	is := func(conditionType mcfgv1.MachineConfigPoolConditionType) bool {
		return condition(r.t, r.pool.Status, conditionType).Status == corev1.ConditionTrue
	}
	r.updated = slices.Compact(append(r.updated, is(mcfgv1.MachineConfigPoolUpdated)))
	r.updating = slices.Compact(append(r.updating, is(mcfgv1.MachineConfigPoolUpdating)))
	if r.image().State != pool.ImageUnknown {
		assert.LessOrEqual(r.t, r.pool.Status.UpdatedMachineCount, r.done)
	}
}

// all updates the nodes from one image to another, one at a time.
func (r *rollout) all(from, to string) {
	r.t.Helper()
	for i := range r.nodes {
		r.set(i, to, from)
		r.sync()
		updating(r.mcns[i])
		for _, p := range []mcfgv1.StateProgress{"UpdatePrepared", "Drained", "RebootedNode"} {
			phase(p, metav1.ConditionUnknown)(r.mcns[i])
			r.sync()
		}
		r.set(i, to, to)
		r.sync()
		r.mcns[i].Status.Conditions = r.mcns[i].Status.Conditions[:3]
		r.done++
		updated(r.mcns[i])
		r.sync()
	}
}

// TestUpdatedNeverFlips: three nodes get their first image, the next one, or none any more.
func TestUpdatedNeverFlips(t *testing.T) {
	for gate, gateOn := range map[string]bool{"gate on": true, "gate off": false} {
		for name, test := range map[string]struct {
			from, to string
			states   []pool.Image
		}{
			"the first image": {"", newImage, []pool.Image{{State: pool.ImageNone}, {State: pool.ImageBuilding}, built(newImage)}},
			"the next image":  {oldImage, newImage, []pool.Image{built(oldImage), {State: pool.ImageBuilding}, built(newImage)}},
			"a build is repeated": {oldImage, newImage, []pool.Image{built(oldImage), {State: pool.ImageBuilding}, {State: pool.ImageBuildFailed},
				{State: pool.ImageBuilding}, built(newImage)}},
			"no image any more": {oldImage, "", []pool.Image{built(oldImage), {State: pool.ImageNone}}},
			"unknown to the embedding process, the first image": {"", newImage, []pool.Image{{}}},
			"unknown to the embedding process, the next image":  {oldImage, newImage, []pool.Image{{}}},
			"unknown to the embedding process, none any more":   {oldImage, "", []pool.Image{{}}},
		} {
			t.Run(name+", "+gate, func(t *testing.T) {
				r := newRollout(t, gateOn, test.from)
				for i, image := range test.states {
					r.done = map[bool]int32{true: 3}[i == 0]
					r.image = func() pool.Image { return image }
					r.sync()
				}
				r.done = 0
				r.all(test.from, test.to)
				assert.Equal(t, []bool{true, false, true}, r.updated, "Updated")
				if name != "a build is repeated" {
					assert.Equal(t, []bool{false, true, false}, r.updating, "Updating")
				} else {
					assert.Equal(t, []bool{false, true, false, true, false}, r.updating, "False after a failed build")
				}
				assert.Equal(t, newConfig, r.pool.Status.Configuration.Name)
			})
		}
	}
}
