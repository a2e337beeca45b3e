package scope_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/openshift/upgrademonitor/scope"
)

// TestOperatorManifests keeps what is installed on clusters to the golden files.
func TestOperatorManifests(t *testing.T) {
	for name, operator := range map[string]scope.Operator{
		"default":     {},
		"other-names": {Name: "updates", Namespace: "kube-updates", ServiceAccount: "operator"},
	} {
		t.Run(name, func(t *testing.T) {
			var got bytes.Buffer
			require.NoError(t, operator.WriteManifests(&got))
			golden := filepath.Join("testdata", "operator-"+name+".golden.yaml")
			if *update {
				require.NoError(t, os.WriteFile(golden, got.Bytes(), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err, "run go test ./scope -update")
			assert.Equal(t, string(want), got.String())
		})
	}
}

// TestOperatorNames has names that no object can have.
func TestOperatorNames(t *testing.T) {
	for field, operator := range map[string]scope.Operator{
		"Name":           {Name: strings.Repeat("a", 253-len("-rollout-binding")+1)},
		"Namespace":      {Namespace: "kube updates"},
		"ServiceAccount": {ServiceAccount: "operator/1"},
	} {
		var unusable *scope.OperatorError
		require.ErrorAs(t, operator.WriteManifests(io.Discard), &unusable, field)
		assert.Equal(t, field, unusable.Field)
		assert.ErrorContains(t, unusable, "scope: Operator."+field+" ")
	}
	assert.NoError(t, scope.Operator{Name: strings.Repeat("a", 253-len("-rollout-binding"))}.Validate())
}

// TestOperatorIsNoDaemon: nobody gets what the Guard keeps from others.
func TestOperatorIsNoDaemon(t *testing.T) {
	var operator scope.Operator
	for _, role := range [][]string{verbs(operator.RolloutRole().Rules, "machineconfignodes/status"), verbs(operator.PoolRole().Rules, "machineconfignodes/status")} {
		assert.Empty(t, role)
	}
	assert.NotContains(t, verbs(operator.PoolRole().Rules, "machineconfignodes"), "delete")
	assert.NotEqual(t, scope.DefaultGuardServiceAccount, operator.RolloutRoleBinding().Subjects[0].Name)
}

func verbs(rules []rbacv1.PolicyRule, resource string) []string {
	for _, rule := range rules {
		if slices.Contains(rule.Resources, resource) {
			return rule.Verbs
		}
	}
	return nil
}
