package core_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/core"
)

// A patch is for one version of one object. The resourceVersion alone is not enough: after etcd was restored,
// another object can have the same one.
func TestAPatchHasUIDAndResourceVersion(t *testing.T) {
	for _, verb := range []core.Verb{core.PatchSpec, core.PatchStatus} {
		before, _ := core.Request{Verb: verb, Base: core.Object{UID: "u", ResourceVersion: "6"}}.Typed()
		assert.Equal(t, types.UID("u"), before.UID, verb)
		assert.Equal(t, "6", before.ResourceVersion, verb)
	}
}
