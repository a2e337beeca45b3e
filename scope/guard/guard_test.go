package guard_test

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
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/openshift/upgrademonitor/scope/guard"
)

var update = flag.Bool("update", false, "write the golden files")

func manifests(t *testing.T, g guard.Guard) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, g.WriteManifests(&out))
	return out.String()
}

// The files that an administrator applies are the generated manifests. The tests in test/guard check what the policies do.
func TestManifestFilesAreUpToDate(t *testing.T) {
	_, transitions, _ := strings.Cut(manifests(t, guard.Guard{EnforceTransitions: true}), "-binding\n")
	_, transitions, _ = strings.Cut(transitions, "---\n")
	transitions, _, _ = strings.Cut(transitions, "---\napiVersion: rbac")
	for name, got := range map[string]string{
		"guard":             manifests(t, guard.Guard{}),
		"guard-transitions": "---\n" + transitions,
	} {
		file := filepath.Join("../manifests", name+".yaml")
		got = "# Written by go test ./scope/guard -update.\n" + got
		if *update {
			require.NoError(t, os.MkdirAll("../manifests", 0o755))
			require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
		}
		want, err := os.ReadFile(file)
		require.NoError(t, err, "run go test ./scope/guard -update")
		assert.Equal(t, string(want), got, "run go test ./scope/guard -update")
	}
}

func TestManifestsRestrictBeforeTheyGrant(t *testing.T) {
	g := guard.Guard{EnforceTransitions: true}
	var kinds []string
	for _, document := range strings.Split(manifests(t, g), "---\n")[1:] {
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
	}, kinds)
	assert.NotContains(t, manifests(t, guard.Guard{}), "-transitions", "by default, there is no policy of transitions")
}

func TestAGuardWithAnInvalidNameWritesNothing(t *testing.T) {
	long := func(n int) string { return strings.Repeat("a", n) }
	for name, tc := range map[string]struct {
		guard guard.Guard
		field string // the field of the error; "" if the guard is valid
	}{
		"the defaults":                               {guard.Guard{}, ""},
		"names with dots":                            {guard.Guard{Name: "mcn.guards", ServiceAccount: "machine.config"}, ""},
		"the longest names":                          {guard.Guard{Name: long(233), Namespace: long(63), ServiceAccount: long(253)}, ""},
		"a name that is too long":                    {guard.Guard{Name: long(234)}, "Name"},
		"a namespace that is too long":               {guard.Guard{Namespace: long(64)}, "Namespace"},
		"a service account that is too long":         {guard.Guard{ServiceAccount: long(254)}, "ServiceAccount"},
		"a name with an upper-case letter":           {guard.Guard{Name: "Guards"}, "Name"},
		"a name with a space":                        {guard.Guard{Name: " "}, "Name"},
		"a name that ends with a dash":               {guard.Guard{Name: "guards-"}, ""}, // each object's name has a suffix
		"a namespace with a dot":                     {guard.Guard{Namespace: "a.b"}, "Namespace"},
		"a namespace with a colon":                   {guard.Guard{Namespace: "a:b"}, "Namespace"},
		"a service account that is a CEL expression": {guard.Guard{ServiceAccount: `a" || true || "`}, "ServiceAccount"},
		"a name that begins a new YAML document":     {guard.Guard{Name: "a\n---\n"}, "Name"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			err := tc.guard.WriteManifests(&out)
			objects, invalid := tc.guard.Objects()
			assert.Equal(t, err, invalid)
			assert.Equal(t, tc.field != "", objects == nil)
			if tc.field == "" {
				assert.NoError(t, err)
				return
			}
			assert.Equal(t, "guard.Guard."+tc.field, invalidField(t, err))
			assert.NotContains(t, err.Error(), "\n")
			assert.Empty(t, out.String(), "a guard with an invalid name must write nothing")
		})
	}
}

// invalidField asserts that an error is a *field.Error, and returns its field.
func invalidField(t *testing.T, err error) string {
	t.Helper()
	var invalid *field.Error
	require.ErrorAs(t, err, &invalid)
	return invalid.Field
}

var errFull = errors.New("no space left")

// fullDisk is a writer that fails.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestWriteManifestsReturnsTheErrorOfTheWriter(t *testing.T) {
	assert.ErrorIs(t, guard.Guard{}.WriteManifests(fullDisk{}), errFull)
}

func TestPoliciesFailClosedForOneServiceAccount(t *testing.T) {
	g := guard.Guard{Namespace: "a", ServiceAccount: "b"}
	for _, policy := range []*admissionv1.ValidatingAdmissionPolicy{g.Policy(), g.TransitionPolicy()} {
		assert.Equal(t, admissionv1.Fail, *policy.Spec.FailurePolicy)
		assert.Equal(t, admissionv1.Equivalent, *policy.Spec.MatchConstraints.MatchPolicy, "the policy must also check requests for other versions of the API")
		require.Len(t, policy.Spec.MatchConditions, 1)
		assert.Equal(t, `request.userInfo.username == "system:serviceaccount:a:b"`, policy.Spec.MatchConditions[0].Expression)
		for _, validation := range policy.Spec.Validations {
			require.NotNil(t, validation.Reason)
			assert.Equal(t, metav1.StatusReasonForbidden, *validation.Reason)
			assert.NotEmpty(t, validation.Message)
		}
		for _, variable := range policy.Spec.Variables {
			assert.NotContains(t, variable.Expression, "optional.", "a message expression must not select a field of an optional variable")
		}
	}
	g.EnforceTransitions = true
	for i, policy := range []*admissionv1.ValidatingAdmissionPolicy{g.Policy(), g.TransitionPolicy()} {
		binding := object[*admissionv1.ValidatingAdmissionPolicyBinding](t, g, i)
		assert.Equal(t, []admissionv1.ValidationAction{admissionv1.Deny}, binding.Spec.ValidationActions)
		assert.Nil(t, binding.Spec.MatchResources)
		assert.Equal(t, policy.Name, binding.Spec.PolicyName)
	}
}

// object returns one of the guard's objects of a type. position counts these objects from 0.
func object[T any](t *testing.T, g guard.Guard, position int) T {
	t.Helper()
	objects, err := g.Objects()
	require.NoError(t, err)
	var list []T
	for _, o := range objects {
		if typed, ok := o.(T); ok {
			list = append(list, typed)
		}
	}
	require.Greater(t, len(list), position)
	return list[position]
}

// The denials have the texts that machine-config-operator's tests look for.
func TestDenialsHaveTheTextsOfMachineConfigOperator(t *testing.T) {
	validations := (guard.Guard{}).Policy().Spec.Validations
	assert.Equal(t, `this user must have a "authentication.kubernetes.io/node-name" claim`, validations[0].Message)
	assert.Equal(t, `"updates to MCN " + variables.name + " can only be done from the MCN's owner node"`, validations[2].MessageExpression)
}

func TestRoleGrantsOnlyTheVerbsThatTheLibraryNeeds(t *testing.T) {
	const group = "machineconfiguration.openshift.io"
	assert.Equal(t, []rbacv1.PolicyRule{
		{APIGroups: []string{group}, Resources: []string{"machineconfignodes"}, Verbs: []string{"get", "list", "watch", "create", "patch"}},
		{APIGroups: []string{group}, Resources: []string{"machineconfignodes/status"}, Verbs: []string{"patch"}},
		{APIGroups: []string{""}, Resources: []string{"nodes"}, Verbs: []string{"get", "list", "watch"}},
	}, object[*rbacv1.ClusterRole](t, guard.Guard{}, 0).Rules)
}

func TestTheRoleIsBoundToTheServiceAccount(t *testing.T) {
	g := guard.Guard{Namespace: "a", ServiceAccount: "b"}
	role, binding := object[*rbacv1.ClusterRole](t, g, 0), object[*rbacv1.ClusterRoleBinding](t, g, 0)
	assert.Equal(t, rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: role.Name}, binding.RoleRef)
	assert.Equal(t, []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: "a", Name: "b"}}, binding.Subjects)
}
