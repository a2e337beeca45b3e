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
	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

func TestComponentsManifestsEqualTheGoldenFiles(t *testing.T) {
	for name, c := range map[string]scope.Components{
		"default":     {},
		"other-names": {Name: "states", Namespace: "kube-updates", OperatorServiceAccount: "operator", ControllerServiceAccount: "controller"},
		"writers":     {EnforceWriters: true},
	} {
		t.Run(name, func(t *testing.T) {
			var got bytes.Buffer
			require.NoError(t, c.WriteManifests(&got))
			golden := filepath.Join("testdata", "components-"+name+".golden.yaml")
			if *update {
				require.NoError(t, os.WriteFile(golden, got.Bytes(), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err, "run go test ./scope -update")
			assert.Equal(t, string(want), got.String())
		})
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

// TestComponentsPolicyHasAllTypes keeps the policy to the conditions of package components: each is
// denied to one of the two processes.
func TestComponentsPolicyHasAllTypes(t *testing.T) {
	theirs := scope.Components{}.WriterPolicy().Spec.Variables[0].Expression
	ofController, ofOperator, ok := strings.Cut(strings.SplitAfterN(theirs, "?", 2)[1], " : ")
	require.True(t, ok)
	for list, want := range map[string][]string{
		ofController: {
			components.TypeOf(components.Controller, components.Degraded), components.TypeOf(components.Controller, components.Progressing),
			components.TypeOf(components.Operator, components.Available),
		},
		ofOperator: {
			components.TypeOf(components.Operator, components.Degraded), components.TypeOf(components.Operator, components.Progressing),
			components.TypeOf(components.Controller, components.Available), components.TypeOf(components.Bootstrap, components.Progressing),
			components.TypeOf(components.Daemon, components.Degraded), components.TypeOf(components.Daemon, components.Available), components.TypeOf(components.Daemon, components.Progressing),
		},
	} {
		for _, name := range want {
			assert.Contains(t, list, `"`+name+`"`)
		}
		assert.Equal(t, len(want), strings.Count(list, `"MachineConfig`))
	}
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
	assert.Equal(t, []string{components.OperatorLease, components.ControllerLease}, c.LeaseRole().Rules[0].ResourceNames)
}
