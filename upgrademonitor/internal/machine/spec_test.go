package machine_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/machine"
)

// The spec of an object of the pool worker with config a and image 1, in sync with a Node.
func TestSync(t *testing.T) {
	noConfig := imagesOf("1", "2")
	noConfig.CurrentConfig, noConfig.DesiredConfig = "", ""
	desired := imagesOf("1", "2")
	desired.CurrentConfig = ""
	current := imagesOf("1", "2")
	current.DesiredConfig = ""
	standard := viewOf("a", "a")
	standard.DesiredImage = "2"
	infra, noPool := viewOf("a", "a"), viewOf("a", "a")
	infra.Pool, noPool.Pool = "infra", "not-yet-set"
	for name, tc := range map[string]struct {
		node machine.Node
		want string // pool, config, image
	}{
		"in sync":            {imagesOf("1", "1"), "worker a 1"},
		"another config":     {viewOf("a", "b"), "worker b 1"},
		"no config":          {noConfig, "worker a 1"},
		"another image":      {imagesOf("1", "2"), "worker a 2"},
		"no image":           {imagesOf("1", ""), "worker a "},
		"no desired config":  {current, "worker a 2"},
		"no current config":  {desired, "worker a 2"},
		"in standard mode":   {standard, "worker a 1"},
		"another pool":       {infra, "infra a 1"},
		"pool not known yet": {noPool, "worker a 1"},
	} {
		t.Run(name, func(t *testing.T) {
			s := machine.State{}.Sync(imagesOf("1", "1"))
			synced := s.Sync(tc.node)
			assert.Equal(t, tc.want, synced.Spec.Pool.Name+" "+synced.Spec.ConfigVersion.Desired+" "+string(synced.Spec.ConfigImage.DesiredImage))
			assert.Equal(t, tc.want == "worker a 1", s.InSync(tc.node))
			assert.Equal(t, "worker-0", synced.Spec.Node.Name)
			assert.Equal(t, []metav1.OwnerReference{tc.node.Owner}, synced.Owners)
		})
	}
	empty := machine.State{}.Sync(machine.Node{Pool: "not-yet-set"})
	assert.Equal(t, "not-yet-set not-yet-set", empty.Spec.Pool.Name+" "+empty.Spec.ConfigVersion.Desired)
	another := viewOf("a", "a")
	another.Owner.UID = "2"
	assert.False(t, machine.State{}.Sync(viewOf("a", "a")).InSync(another), "another owner")
}
