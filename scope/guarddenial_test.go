package scope_test

import (
	"errors"
	"fmt"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/openshift/upgrademonitor/scope"
)

// denied is the API server's answer to a request that a policy denies.
func denied(policy, message string) error {
	return apierrors.NewForbidden(mcfgv1.Resource("machineconfignodes"), nodeName,
		fmt.Errorf("ValidatingAdmissionPolicy '%s' with binding '%s-binding' denied request: %s", policy, policy, message))
}

func TestParseDenialReadsEveryDenialOfAGuard(t *testing.T) {
	guard := scope.Guard{Name: "of-this-test"}
	reasons := map[string]scope.Denial{}
	for _, policy := range []*admissionv1.ValidatingAdmissionPolicy{guard.Policy(), guard.TransitionPolicy()} {
		for _, validation := range policy.Spec.Validations {
			denial, ok := scope.ParseDenial(denied(policy.Name, validation.Message))
			assert.True(t, ok, validation.Message)
			assert.Equal(t, policy.Name, denial.Policy)
			reasons[validation.Message] = denial
		}
	}
	missing := 0
	for message, denial := range reasons {
		assert.Empty(t, denial.OwnerNode, message)
		if denial.MissingClaim != "" {
			missing++
			assert.Equal(t, scope.NodeNameClaim, denial.MissingClaim)
		}
	}
	assert.Equal(t, 1, missing, "only one denial is about a missing claim")
}

func TestParseDenial(t *testing.T) {
	for name, tc := range map[string]struct {
		err  error
		want scope.Denial // zero: not a denial by a policy
	}{
		"nil":          {nil, scope.Denial{}},
		"unavailable":  {apierrors.NewServiceUnavailable("down"), scope.Denial{}},
		"RBAC":         {apierrors.NewForbidden(mcfgv1.Resource("machineconfignodes"), nodeName, errors.New(`User "x" cannot patch resource`)), scope.Denial{}},
		"no claim":     {denied("mcn-guards", `this user must have a "authentication.kubernetes.io/node-name" claim`), scope.Denial{Policy: "mcn-guards", MissingClaim: scope.NodeNameClaim}},
		"another node": {denied("mcn-guards", "updates to MCN worker-1.example can only be done from the MCN's owner node"), scope.Denial{Policy: "mcn-guards", OwnerNode: "worker-1.example"}},
		"wrapped":      {fmt.Errorf("apply: %w", denied("frozen", "no changes today")), scope.Denial{Policy: "frozen"}},
	} {
		t.Run(name, func(t *testing.T) {
			denial, ok := scope.ParseDenial(tc.err)
			assert.Equal(t, tc.want, denial)
			assert.Equal(t, tc.want != scope.Denial{}, ok)
		})
	}
}
