package scope_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/scope"
)

// TestComponentsManifests keeps manifests/components.yaml true, and a golden file of the other names and the policy.
func TestComponentsManifests(t *testing.T) {
	for file, c := range map[string]scope.Components{
		"manifests/components.yaml": {},
		"testdata/components-writers.golden.yaml": {
			Name: "states", Namespace: "kube-updates", OperatorServiceAccount: "operator", ControllerServiceAccount: "controller", EnforceWriters: true,
		},
	} {
		var got bytes.Buffer
		require.NoError(t, c.WriteManifests(&got))
		if *update {
			require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
			require.NoError(t, os.WriteFile(file, got.Bytes(), 0o644))
		}
		want, err := os.ReadFile(file)
		require.NoError(t, err, "run go test ./scope -update")
		assert.Equal(t, string(want), got.String(), "%s: run go test ./scope -update", file)
	}
}

func TestComponentsWithAnInvalidNameWritesNothing(t *testing.T) {
	for field, c := range map[string]scope.Components{
		"Name":                     {Name: strings.Repeat("a", 253-len("-writers-binding")+1)},
		"Namespace":                {Namespace: "kube updates"},
		"OperatorServiceAccount":   {OperatorServiceAccount: "operator/1"},
		"ControllerServiceAccount": {ControllerServiceAccount: "machine-config-operator", EnforceWriters: true},
	} {
		var out bytes.Buffer
		name, _ := requireInvalid(t, c.WriteManifests(&out))
		assert.Equal(t, "scope.Components."+field, name)
		assert.Empty(t, out.String())
	}
	assert.NoError(t, scope.Components{ControllerServiceAccount: "machine-config-operator"}.WriteManifests(io.Discard), "one service account, without the policy")
}

func TestComponentsMayOnlyPatchTheStatusOfOneObject(t *testing.T) {
	var c scope.Components
	for _, rule := range c.Role().Rules {
		if len(rule.ResourceNames) == 0 {
			assert.Equal(t, []string{"get", "list", "watch"}, rule.Verbs)
			continue
		}
		assert.Equal(t, []string{"cluster"}, rule.ResourceNames)
		assert.Equal(t, []string{"machineconfigurations/status"}, rule.Resources)
		assert.Equal(t, []string{"patch"}, rule.Verbs)
	}
	assert.Equal(t, []string{"machine-config", "machine-config-controller"}, c.LeaseRole().Rules[0].ResourceNames)
}
