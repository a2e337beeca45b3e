package scope_test

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/openshift/upgrademonitor/scope"
)

func TestOperatorWithAnInvalidNameWritesNothing(t *testing.T) {
	for field, operator := range map[string]scope.Operator{
		"Name":           {Name: strings.Repeat("a", 253-len("-rollout-binding")+1)},
		"Namespace":      {Namespace: "kube updates"},
		"ServiceAccount": {ServiceAccount: "operator/1"},
	} {
		name, _ := requireInvalid(t, operator.WriteManifests(io.Discard))
		assert.Equal(t, "scope.Operator."+field, name)
	}
	assert.NoError(t, scope.Operator{Name: strings.Repeat("a", 253-len("-rollout-binding"))}.Validate())
}

func TestOperatorMayNotWriteTheStatusOfAMachineConfigNode(t *testing.T) {
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
