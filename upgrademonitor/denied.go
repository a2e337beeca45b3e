package upgrademonitor

import (
	"fmt"
	"regexp"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/openshift/upgrademonitor/scope"
)

// DeniedError says that the API server does not let the daemon make a request, and what
// would be right. What was accepted is kept, so that errors.Is(err, ErrPending) holds too:
// it is written once the server lets it. The cause is wrapped: apierrors.IsForbidden works.
type DeniedError struct {
	NodeName string
	// Policy is the ValidatingAdmissionPolicy that denies, "" where none does but RBAC, say.
	Policy string
	// MissingClaim is the claim that the daemon's token must have and does not have, "" where
	// that is not the reason.
	MissingClaim string
	Err          error
}

// Error names the node, who denies, the cause, and what to do.
func (e *DeniedError) Error() string {
	by := "the API server"
	if e.Policy != "" {
		by = "policy " + e.Policy
	}
	return fmt.Sprintf("node %s: %s denies access to the MachineConfigNode: %v: %s", e.NodeName, by, e.Err, e.advice())
}

// Unwrap returns the cause.
func (e *DeniedError) Unwrap() error { return e.Err }

func (e *DeniedError) advice() string {
	switch {
	case e.MissingClaim != "":
		return "give the daemon the token that the kubelet projects into its Pod: a token of a Secret, or of a request that is bound to no Pod or Node, has no such claim"
	case e.Policy != "" && strings.Contains(e.Err.Error(), "owner node"):
		return "make the Monitor with the name of the node which the daemon's token is bound to"
	case e.Policy != "":
		return "see kubectl describe validatingadmissionpolicy " + e.Policy
	default:
		return "bind the daemon's service account to the role of scope.Guard: go run ./examples/guard writes it"
	}
}

var policyPattern = regexp.MustCompile(`ValidatingAdmissionPolicy '([^']*)'`)

// denied makes a *DeniedError of an error that the API server answered in place of access.
// A policy whose validation gives no reason, or fails, answers with 422 and not with 403.
func denied(nodeName string, err error) error {
	if final(err) || !apierrors.IsForbidden(err) && !apierrors.IsInvalid(err) {
		return err
	}
	e := &DeniedError{NodeName: nodeName, Err: err}
	if match := policyPattern.FindStringSubmatch(err.Error()); match != nil {
		e.Policy = match[1]
	}
	if e.Policy != "" && strings.Contains(err.Error(), `"`+scope.NodeNameClaim+`" claim`) {
		e.MissingClaim = scope.NodeNameClaim
	}
	return e
}
