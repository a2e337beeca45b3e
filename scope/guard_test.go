package scope_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/scope"
)

var update = flag.Bool("update", false, "write the golden files")

func manifests(t *testing.T, guard scope.Guard) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, guard.WriteManifests(&out))
	return out.String()
}

// TestManifestFiles: what an administrator applies is what the package generates.
func TestManifestFiles(t *testing.T) {
	_, transitions, _ := strings.Cut(manifests(t, scope.Guard{EnforceTransitions: true}), "-binding\n")
	_, transitions, _ = strings.Cut(transitions, "---\n")
	transitions, _, _ = strings.Cut(transitions, "---\napiVersion: rbac")
	var operator bytes.Buffer
	require.NoError(t, scope.Operator{}.WriteManifests(&operator))
	for name, got := range map[string]string{
		"guard":             manifests(t, scope.Guard{}),
		"guard-transitions": "---\n" + transitions,
		"operator":          operator.String(),
	} {
		file := filepath.Join("manifests", name+".yaml")
		got = "# Written by go test ./scope -update.\n" + got
		if *update {
			require.NoError(t, os.MkdirAll("manifests", 0o755))
			require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
		}
		want, err := os.ReadFile(file)
		require.NoError(t, err, "run go test ./scope -update")
		assert.Equal(t, string(want), got, "run go test ./scope -update")
	}
}

func TestManifestsHoldThePoliciesBeforeTheRole(t *testing.T) {
	guard := scope.Guard{EnforceTransitions: true}
	var kinds []string
	for _, document := range strings.Split(manifests(t, guard), "---\n")[1:] {
		var object unstructured.Unstructured
		require.NoError(t, yaml.Unmarshal([]byte(document), &object.Object))
		kinds = append(kinds, object.GetKind()+" "+object.GetName())
		assert.NotContains(t, object.Object, "status")
		assert.NotContains(t, document, "creationTimestamp")
	}
	assert.Equal(t, []string{
		"ValidatingAdmissionPolicy mcn-guards-upgrademonitor", "ValidatingAdmissionPolicyBinding mcn-guards-upgrademonitor-binding",
		"ValidatingAdmissionPolicy mcn-guards-upgrademonitor-transitions", "ValidatingAdmissionPolicyBinding mcn-guards-upgrademonitor-transitions-binding",
		"ClusterRole mcn-guards-upgrademonitor", "ClusterRoleBinding mcn-guards-upgrademonitor-binding",
	}, kinds, "nothing is granted before it is restricted")
	assert.NotContains(t, manifests(t, scope.Guard{}), "-transitions", "off by default")
}

func TestGuardWithAnInvalidNameWritesNothing(t *testing.T) {
	long := func(n int) string { return strings.Repeat("a", n) }
	for name, tc := range map[string]struct {
		guard scope.Guard
		field string // "": valid
	}{
		"the defaults":             {scope.Guard{}, ""},
		"with dots":                {scope.Guard{Name: "mcn.guards", ServiceAccount: "machine.config"}, ""},
		"the longest":              {scope.Guard{Name: long(233), Namespace: long(63), ServiceAccount: long(253)}, ""},
		"a name too long":          {scope.Guard{Name: long(234)}, "Name"},
		"a namespace too long":     {scope.Guard{Namespace: long(64)}, "Namespace"},
		"an account too long":      {scope.Guard{ServiceAccount: long(254)}, "ServiceAccount"},
		"upper case":               {scope.Guard{Name: "Guards"}, "Name"},
		"a space":                  {scope.Guard{Name: " "}, "Name"},
		"a dash at the end":        {scope.Guard{Name: "guards-"}, ""}, // valid as a prefix
		"a namespace with a dot":   {scope.Guard{Namespace: "a.b"}, "Namespace"},
		"a namespace with a colon": {scope.Guard{Namespace: "a:b"}, "Namespace"},
		"an expression":            {scope.Guard{ServiceAccount: `a" || true || "`}, "ServiceAccount"},
		"a new document":           {scope.Guard{Name: "a\n---\n"}, "Name"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			err := tc.guard.WriteManifests(&out)
			assert.Equal(t, err, tc.guard.Validate())
			if tc.field == "" {
				assert.NoError(t, err)
				return
			}
			name, _ := requireInvalid(t, err)
			assert.Equal(t, "scope.Guard."+tc.field, name)
			assert.NotContains(t, err.Error(), "\n")
			assert.Empty(t, out.String(), "nothing is written")
		})
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

var errFull = errors.New("no space left")

func TestWriteManifestsReturnsTheErrorOfTheWriter(t *testing.T) {
	assert.ErrorIs(t, scope.Guard{}.WriteManifests(full{}), errFull)
}

func TestRoleGrantsOnlyTheVerbsThatTheLibraryNeeds(t *testing.T) {
	verbs := map[string]string{}
	for _, rule := range (scope.Guard{}).Role().Rules {
		for _, resource := range rule.Resources {
			verbs[resource] = strings.Join(rule.Verbs, " ")
		}
		assert.Empty(t, rule.NonResourceURLs)
	}
	assert.Equal(t, map[string]string{
		"machineconfignodes":        "get list watch create patch",
		"machineconfignodes/status": "patch",
		"nodes":                     "get list watch",
	}, verbs)
}

func TestPoliciesFailClosedForOneServiceAccount(t *testing.T) {
	guard := scope.Guard{Namespace: "a", ServiceAccount: "b"}
	for _, policy := range []*admissionv1.ValidatingAdmissionPolicy{guard.Policy(), guard.TransitionPolicy()} {
		assert.Equal(t, admissionv1.Fail, *policy.Spec.FailurePolicy)
		require.Len(t, policy.Spec.MatchConditions, 1)
		assert.Equal(t, `request.userInfo.username == "system:serviceaccount:a:b"`, policy.Spec.MatchConditions[0].Expression)
		for _, validation := range policy.Spec.Validations {
			require.NotNil(t, validation.Reason)
			assert.Equal(t, metav1.StatusReasonForbidden, *validation.Reason)
			assert.NotEmpty(t, validation.Message)
		}
		for _, variable := range policy.Spec.Variables {
			assert.NotContains(t, variable.Expression, "optional.", "the server finds no field in a variable that is an optional")
		}
	}
	for _, binding := range []*admissionv1.ValidatingAdmissionPolicyBinding{guard.PolicyBinding(), guard.TransitionPolicyBinding()} {
		assert.Equal(t, []admissionv1.ValidationAction{admissionv1.Deny}, binding.Spec.ValidationActions)
		assert.Nil(t, binding.Spec.MatchResources)
	}
	assert.Equal(t, guard.Policy().Name, guard.PolicyBinding().Spec.PolicyName)
	assert.Equal(t, guard.TransitionPolicy().Name, guard.TransitionPolicyBinding().Spec.PolicyName)
}

// Tests of machine-config-operator look for these texts.
func TestDenialsHaveTheTextsOfMachineConfigOperator(t *testing.T) {
	validations := (scope.Guard{}).Policy().Spec.Validations
	assert.Equal(t, `this user must have a "authentication.kubernetes.io/node-name" claim`, validations[0].Message)
	assert.Equal(t, `"updates to MCN " + variables.name + " can only be done from the MCN's owner node"`, validations[2].MessageExpression)
}

func TestTransitionPolicyCoversEveryPhase(t *testing.T) {
	expressions := map[string]string{}
	for _, variable := range (scope.Guard{}).TransitionPolicy().Spec.Variables {
		expressions[variable.Name] = variable.Expression
	}
	for _, imageMode := range []bool{false, true} {
		for _, p := range phases.All(imageMode) {
			quoted := `"` + string(p) + `"`
			assert.Contains(t, expressions["before"], quoted)
			assert.Contains(t, expressions["after"], quoted)
			assert.Equal(t, phases.KindOf(p) != phases.Singleton, strings.Contains(expressions["invalid"], quoted), p)
			assert.Equal(t, phases.IsUpdateStep(p), strings.Contains(expressions["reset"], quoted), p)
			assert.Equal(t, !phases.ExistsIn(p, !imageMode), strings.Contains(expressions["removed"], quoted), p)
		}
	}
}

func TestObjectsOfAGuardMayBeChanged(t *testing.T) {
	guard := scope.Guard{}
	before := manifests(t, guard)
	policy := guard.Policy()
	policy.Spec.Validations[0].Message = "changed"
	policy.Spec.Variables[0].Expression = "changed"
	guard.Role().Rules[0].Verbs[0] = "changed"
	assert.Equal(t, before, manifests(t, guard))
}
