package upgrademonitor

import (
	"errors"
	"fmt"

	"github.com/openshift/upgrademonitor/scope"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
)

// DeniedError means that the API server does not let the daemon make a request, and what
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

	ownerNode string // the node whose daemon may write the object, where this one may not
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
	case e.ownerNode != "":
		return "make the Monitor with the name of the node which the daemon's token is bound to"
	case e.Policy != "":
		return "see kubectl describe validatingadmissionpolicy " + e.Policy
	default:
		return "bind the daemon's service account to the ClusterRole of scope.Guard: oc apply -f guard.yaml of package scope"
	}
}

// denied makes a *DeniedError of an error with which the API server denied a request, and
// returns another error as it is.
func (m *Monitor) denied(err error) error {
	var already *DeniedError
	if apierr.Classify(err) != apierr.Denied || errors.As(err, &already) {
		return err
	}
	denial, _ := scope.ParseDenial(err) // RBAC, or a webhook, is none of a policy
	return &DeniedError{NodeName: m.config.NodeName, Policy: denial.Policy, MissingClaim: denial.MissingClaim, ownerNode: denial.OwnerNode, Err: err}
}
