package apierr

import (
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Advice tells an administrator how to resolve an error. It returns "" for
// an error that may be transient.
func Advice(err error) string {
	switch Classify(err) {
	case Denied:
		switch {
		case Policy(err) != "":
			return "read the rules of the policy with: oc describe validatingadmissionpolicy " + Policy(err)
		case apierrors.IsForbidden(err) && !isWebhook(err):
			return "grant the service account the verb and the resource that the error names; for the daemon, run: oc apply -f scope/manifests/guard.yaml"
		default:
			return "check the configuration of the admission webhook that the error names"
		}
	case NoCRD:
		return "install the CRD" + resourceOf(err)
	case Terminal:
		if isTooLarge(err) {
			return "the object is too large: remove data of other clients, for example annotations"
		}
		return "compare the fields that the error names with the CRD"
	}
	if apierrors.IsUnauthorized(err) {
		return "check the credentials of the client"
	}
	return ""
}

// resourceOf returns the resource that an error names, after a space, or "".
func resourceOf(err error) string {
	status, ok := statusOf(err)
	if !ok || status.Details == nil || status.Details.Kind == "" {
		return ""
	}
	return fmt.Sprintf(" %s.%s", status.Details.Kind, status.Details.Group)
}
