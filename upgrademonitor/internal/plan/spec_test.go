package plan_test

import (
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

var owner = metav1.OwnerReference{APIVersion: "v1", Kind: "Node", Name: "worker-0", UID: "u-1"}

func TestSpec(t *testing.T) {
	owned := upToDate(configA, imageA, true)
	owned.Object.OwnerReferences = []metav1.OwnerReference{owner}
	unset := fresh("")
	unset.Object.Spec = mcfgv1.MachineConfigNodeSpec{}
	unset.Object.OwnerReferences = owned.Object.OwnerReferences
	spec := func(pool string, node plan.Node, imageMode bool) plan.Spec {
		return plan.Spec{Owner: owner, Pool: pool, Node: node, ImageMode: imageMode}
	}
	for name, tc := range map[string]struct {
		before              plan.State
		spec                plan.Spec
		pool, config, image string
		steps               int
	}{
		"up to date":                          {owned, spec("worker", nodeA, true), "worker", configA, imageA, 0},
		"another config and image":            {owned, spec("worker", toB, true), "worker", configB, imageB, 1},
		"another pool":                        {owned, spec("infra", nodeA, true), "infra", configA, imageA, 1},
		"a pool that is not known":            {owned, spec(plan.NotYetSet, nodeA, true), "worker", configA, imageA, 0},
		"a node without annotations":          {owned, spec("worker", plan.Node{}, true), "worker", configA, imageA, 0},
		"no image any more":                   {owned, spec("worker", withoutImages, true), "worker", configB, "", 1},
		"images in standard mode":             {owned, spec("worker", toB, false), "worker", configB, imageA, 1},
		"nothing is set, nothing is known":    {unset, spec(plan.NotYetSet, plan.Node{}, false), plan.NotYetSet, plan.NotYetSet, "", 1},
		"nothing is set, a current config is": {unset, spec("worker", plan.Node{CurrentConfig: configA}, false), "worker", plan.NotYetSet, "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			p := planned(t, tc.before, tc.spec, plan.Memo{})
			assert.Len(t, p.Steps, tc.steps)
			after := p.Final.Object.Spec
			assert.Equal(t, []string{"worker-0", tc.pool, tc.config, tc.image},
				[]string{after.Node.Name, after.Pool.Name, after.ConfigVersion.Desired, string(after.ConfigImage.DesiredImage)})
			assert.Equal(t, tc.before.Object.Status, p.Final.Object.Status)
			assert.Empty(t, planned(t, p.Final, tc.spec, p.Memo).Steps)
		})
	}
}

func TestSpecFollowsTheOwner(t *testing.T) {
	s := upToDate(configA, "", false)
	own := plan.Spec{Owner: owner, Pool: "worker"}
	p := planned(t, s, own, plan.Memo{})
	assert.Equal(t, []plan.Kind{plan.MergeSpec}, kinds(p))
	again := own
	again.Owner.UID = "u-2"
	s = after(t, p.Final, again)
	assert.Equal(t, []metav1.OwnerReference{again.Owner}, s.Object.OwnerReferences)
	again.Owner.UID = ""
	assert.Empty(t, planned(t, s, again, plan.Memo{}).Steps, "a Node that was never read owns nothing")
}

func TestKeysTellRequestsApart(t *testing.T) {
	base := plan.Spec{Owner: owner, Pool: "worker", Node: nodeA, ImageMode: true}
	specs := []plan.Spec{base, base, base, base}
	specs[1].Pool, specs[2].Node, specs[3].Owner.UID = "infra", nodeB, "u-2"
	seen := map[plan.Key]bool{}
	for _, in := range specs {
		assert.Equal(t, "spec", in.Key().CoalesceKey)
		seen[in.Key()] = true
	}
	assert.Len(t, seen, 4)

	a, b := report(phases.Drained, done, 1, configA, configB), report(phases.Drained, done, 2, configA, configB)
	b.Message = "another text"
	assert.Equal(t, a.Key(), b.Key(), "texts and times do not count")
	b.ImageMode = true
	assert.NotEqual(t, a.Key(), b.Key())
	assert.Equal(t, a.Key().CoalesceKey, report(phases.UpdateExecuted, done, 1, "", "").Key().CoalesceKey, "a child has the coalesce key of its parent")
	sets := plan.ImageSets{Sets: []plan.ImageSet{{Name: "a", Generation: 1, Failure: "x"}}}
	other := plan.ImageSets{Sets: []plan.ImageSet{{Name: "a", Generation: 1, Failure: "y"}}}
	assert.Equal(t, sets.Key(), other.Key())
	other.Sets[0].Generation = 2
	assert.NotEqual(t, sets.Key(), other.Key())
}
