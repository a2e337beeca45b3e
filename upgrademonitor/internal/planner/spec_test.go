package planner_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/planner"
)

// The spec of an object of the pool worker with config a and image 1, in sync with a Node.
func TestWithSpecOf(t *testing.T) {
	noConfig := imageNodeOf("1", "2")
	noConfig.CurrentConfig, noConfig.DesiredConfig = "", ""
	desired := imageNodeOf("1", "2")
	desired.CurrentConfig = ""
	current := imageNodeOf("1", "2")
	current.DesiredConfig = ""
	standard := nodeOf("a", "a")
	standard.DesiredImage = "2"
	infra, noPool := nodeOf("a", "a"), nodeOf("a", "a")
	infra.Pool, noPool.Pool = "infra", "not-yet-set"
	for name, tc := range map[string]struct {
		node planner.Node
		want string // pool, config, image
	}{
		"in sync":            {imageNodeOf("1", "1"), "worker a 1"},
		"another config":     {nodeOf("a", "b"), "worker b 1"},
		"no config":          {noConfig, "worker a 1"},
		"another image":      {imageNodeOf("1", "2"), "worker a 2"},
		"no image":           {imageNodeOf("1", ""), "worker a "},
		"no desired config":  {current, "worker a 2"},
		"no current config":  {desired, "worker a 2"},
		"in standard mode":   {standard, "worker a 1"},
		"another pool":       {infra, "infra a 1"},
		"pool not known yet": {noPool, "worker a 1"},
	} {
		t.Run(name, func(t *testing.T) {
			s := planner.State{}.WithSpecOf(imageNodeOf("1", "1"))
			got := s.WithSpecOf(tc.node)
			assert.Equal(t, tc.want, got.Spec.Pool.Name+" "+got.Spec.ConfigVersion.Desired+" "+string(got.Spec.ConfigImage.DesiredImage))
			assert.Equal(t, tc.want == "worker a 1", s.HasSpecOf(tc.node))
			assert.Equal(t, "worker-0", got.Spec.Node.Name)
			assert.Equal(t, []metav1.OwnerReference{tc.node.Owner}, got.Owners)
		})
	}
	empty := planner.State{}.WithSpecOf(planner.Node{Pool: "not-yet-set"})
	assert.Equal(t, "not-yet-set not-yet-set", empty.Spec.Pool.Name+" "+empty.Spec.ConfigVersion.Desired)
	another := nodeOf("a", "a")
	another.Owner.UID = "2"
	assert.False(t, planner.State{}.WithSpecOf(nodeOf("a", "a")).HasSpecOf(another), "another owner")
}
