package failurelog

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
)

// causeOf returns what is the same for all errors of one kind: what the error means for the request, its
// reason, and the policy that denies. An API server that cannot be reached is one kind, whether it
// refuses connections, drops them or is slow.
func causeOf(err error) string {
	return string(apierr.Classify(err)) + " " + string(apierrors.ReasonForError(err)) + " " + apierr.Policy(err)
}
