package pool_test

import (
	"strings"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"

	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

// In a pool with an OS image, both events name the image. The event Updating is recorded when the image is built.
func TestEventsOfALayeredPoolNameItsImage(t *testing.T) {
	p, ns, ms := newPool("worker"), nodes{newNode("a")}, mcns{newMCN("a", images(oldImage, oldImage))}
	p.Status.Configuration.Name = oldConfig
	for _, step := range []struct {
		name    string
		options pool.Options
		change  func(*mcfgv1.MachineConfigNode)
		want    []pool.Event
	}{
		{"no build", pool.Options{MachineOSConfig: mosc(oldImage)}, waiting, nil},
		{"the build runs", pool.Options{MachineOSConfig: mosc(oldImage), MachineOSBuild: mosb(mcfgv1.MachineOSBuilding, "")}, waiting, nil},
		{"built, but the MachineOSConfig still names the old image", pool.Options{MachineOSConfig: mosc(oldImage), MachineOSBuild: mosb(mcfgv1.MachineOSBuildSucceeded, newImage)}, waiting, nil},
		{"built", built(newImage), waiting, []pool.Event{{Type: "Normal", Reason: "Updating", Message: "Pool worker now targeting MachineConfig " + newConfig + " / Image " + newImage}}},
		{"the node updates", built(newImage), updating, nil},
		{"the node is done", built(newImage), func(m *mcfgv1.MachineConfigNode) { *m = *newMCN("a", images(newImage, newImage)) },
			[]pool.Event{{Type: "Normal", Reason: "Completed", Message: "Pool worker has completed update to MachineConfig " + newConfig + " / Image " + newImage}}},
	} {
		step.change(ms[0])
		before := p.Status
		p.Status = pool.Status(p, ns, ms, step.options, now)
		assert.Equal(t, step.want, pool.Events(p, before, p.Status), step.name)
		assert.Empty(t, pool.Events(p, p.Status, pool.Status(p, ns, ms, step.options, now)), step.name)
	}
}

// For each target, one event says that the pool targets the MachineConfig, and one event says that the update is complete.
func TestEachTargetHasTwoEvents(t *testing.T) {
	p, ns, ms := newPool("worker"), nodes{newNode("a"), newNode("b")}, mcns{newMCN("a"), newMCN("b")}
	p.Spec.Configuration.Name = ""
	sync := func(changes ...func()) string {
		for _, change := range changes {
			change()
		}
		var all []string
		for range 2 { // the second round has no events
			before := p.Status
			p.Status = pool.Status(p, ns, ms, pool.Options{}, now)
			for _, e := range pool.Events(p, before, p.Status) {
				all = append(all, e.Type+" "+e.Reason+" "+e.Message)
			}
		}
		return strings.Join(all, "; ")
	}
	order := func(config string) func() {
		return func() { p.Spec.Configuration.Name = config; p.Generation++ }
	}
	run := func(i int, config string) func() { return func() { configs(config, config, config)(ms[i]) } }
	mcn := func(change func(*mcfgv1.MachineConfigNode)) func() { return func() { change(ms[0]) } }
	pause := func(paused bool) func() { return func() { p.Spec.Paused = paused; p.Generation++ } }
	cordon := func(is bool) func() { return func() { ns[1].Spec.Unschedulable = is } }
	targeting := func(config string) string { return "Normal Updating Pool worker now targeting MachineConfig " + config }
	completed := func(config string) string {
		return "Normal Completed Pool worker has completed update to MachineConfig " + config
	}

	for _, step := range []struct{ name, got, want string }{
		{"no config is rendered", sync(), ""},
		{"the first target", sync(order("c1")), targeting("c1")},
		{"the nodes have the target", sync(run(0, "c1"), run(1, "c1")), completed("c1")},
		{"a node is updated to the same target again", sync(mcn(updating)), ""},
		{"the repeated update ends", sync(mcn(func(m *mcfgv1.MachineConfigNode) { *m = *newMCN("a", configs("c1", "c1", "c1")) })), ""},
		{"a node is cordoned", sync(cordon(true)), ""},
		{"a new target while a node is cordoned", sync(order("c2")), targeting("c2")},
		{"one node has the target", sync(run(0, "c2")), ""},
		{"another change of the spec", sync(func() { p.Generation++ }), ""},
		{"paused", sync(pause(true)), ""},
		{"resumed", sync(pause(false)), ""},
		{"degraded", sync(mcn(degraded)), ""},
		{"both nodes have the target, one is cordoned", sync(mcn(withCondition("NodeDegraded", "False", "")), run(1, "c2")), ""},
		{"no longer cordoned", sync(cordon(false)), completed("c2")},
		{"the next target", sync(order("c3")), targeting("c3")},
		{"a new target before any node has the last one", sync(order("c4")), targeting("c4")},
		{"paused, no node has the target", sync(pause(true)), ""},
		{"a new target while the pool is paused", sync(order("c5")), targeting("c5")},
		{"resumed, no node has the target", sync(pause(false)), ""},
		{"a node starts", sync(mcn(updating)), ""},
		{"paused during an update", sync(pause(true)), ""},
		{"resumed during an update", sync(pause(false)), ""},
		{"all nodes get the target at once", sync(mcn(func(m *mcfgv1.MachineConfigNode) { *m = *newMCN("a", configs("c5", "c5", "c5")) }), run(1, "c5")), completed("c5")},
		{"an update starts and ends between two syncs", sync(order("c6"), run(0, "c6"), run(1, "c6")), completed("c6")},
		{"a new node", sync(func() { ns = append(ns, newNode("c")) }), ""},
		{"without a config", sync(order("")), ""},
		{"a pool without a status, and a node that has the target", sync(order("c7"), run(0, "c7"), func() { p.Status = mcfgv1.MachineConfigPoolStatus{} }), targeting("c7")},
	} {
		assert.Equal(t, step.want, step.got, step.name)
	}
}
