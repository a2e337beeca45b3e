package upgrademonitor_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/scope"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

const byPolicy = "ValidatingAdmissionPolicy 'mcn-guards' with binding 'mcn-guards-binding' denied request: "

// TestDeniedIsExplainedAndKept: the API server denies a write, and later allows it.
func TestDeniedIsExplainedAndKept(t *testing.T) {
	forbidden := func(text string) error {
		return apierrors.NewForbidden(resource, nodeName, errors.New(text))
	}
	unexplained := apierrors.NewInvalid(kind, nodeName, nil)
	unexplained.ErrStatus.Message = byPolicy + "expression 'x' resulted in error"
	for name, tc := range map[string]struct {
		verb          string
		err           error
		policy, claim string
		contains      []string
	}{
		"no claim": {"patch", forbidden(byPolicy + `this user must have a "` + scope.NodeNameClaim + `" claim`),
			"mcn-guards", scope.NodeNameClaim, []string{"policy mcn-guards denies", `must have a "authentication.kubernetes.io/node-name" claim`, "the token that the kubelet projects"}},
		"another node": {"patch", forbidden(byPolicy + "updates to MCN worker-0 can only be done from the MCN's owner node"),
			"mcn-guards", "", []string{"policy mcn-guards denies", "with the name of the node which the daemon's token is bound to"}},
		"another policy": {"patch", forbidden("ValidatingAdmissionPolicy 'freeze' with binding 'b' denied request: frozen"),
			"freeze", "", []string{"policy freeze denies", "frozen", "kubectl describe validatingadmissionpolicy freeze"}},
		"a policy that fails": {"patch", unexplained,
			"mcn-guards", "", []string{"policy mcn-guards denies", "resulted in error"}},
		"RBAC on a write": {"patch", forbidden(`User "x" cannot patch resource`),
			"", "", []string{"the API server denies", `User "x" cannot patch`, "role of scope.Guard"}},
		"RBAC on the read": {"get", forbidden(`User "x" cannot get resource`),
			"", "", []string{"the API server denies", `User "x" cannot get`, "role of scope.Guard"}},
		"RBAC on the create": {"create", forbidden(`User "x" cannot create resource`),
			"", "", []string{"the API server denies", `User "x" cannot create`, "role of scope.Guard"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			allow := false
			f.clientset.PrependReactor(tc.verb, resource.Resource, func(clienttesting.Action) (bool, runtime.Object, error) {
				return !allow, nil, tc.err
			})
			err := f.GenerateAndApplyMachineConfigNode(t.Context(), phases.Resumed, "Resumed", "resumed", metav1.ConditionTrue)

			var denied *upgrademonitor.DeniedError
			require.ErrorAs(t, err, &denied)
			assert.Equal(t, nodeName, denied.NodeName)
			assert.Equal(t, tc.policy, denied.Policy)
			assert.Equal(t, tc.claim, denied.MissingClaim)
			assert.ErrorIs(t, err, upgrademonitor.ErrPending)
			assert.Equal(t, apierrors.ReasonForError(tc.err), apierrors.ReasonForError(err))
			assert.ErrorContains(t, err, "node "+nodeName)
			for _, text := range tc.contains {
				assert.ErrorContains(t, err, text)
			}

			allow = true
			require.NoError(t, f.Flush(t.Context()))
			assert.Equal(t, metav1.ConditionTrue, f.condition(t, phases.Resumed).Status, "nothing is lost")
		})
	}
}

// TestOtherErrorsAreNotDenials: they are returned unchanged.
func TestOtherErrorsAreNotDenials(t *testing.T) {
	for name, cause := range map[string]error{
		"no service":   apierrors.NewServiceUnavailable("down"),
		"unauthorized": apierrors.NewUnauthorized("who are you?"),
		"invalid":      apierrors.NewInvalid(kind, nodeName, nil),
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.clientset.PrependReactor("get", resource.Resource, func(clienttesting.Action) (bool, runtime.Object, error) {
				return true, nil, cause
			})
			err := f.GenerateAndApplyMachineConfigNode(t.Context(), phases.Resumed, "Resumed", "resumed", metav1.ConditionTrue)
			require.ErrorIs(t, err, cause)
			var denied *upgrademonitor.DeniedError
			assert.NotErrorAs(t, err, &denied)
		})
	}
}
