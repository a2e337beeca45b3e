package apierr

import (
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Advice tells an administrator how to resolve an error. It is "" if waiting may help.
func Advice(err error) string {
	switch Classify(err) {
	case Denied:
		switch {
		case Policy(err) != "":
			return "see oc describe validatingadmissionpolicy " + Policy(err)
		case apierrors.IsForbidden(err) && !isWebhook(err):
			return "grant the service account the verb and the resource that the error names: oc apply -f scope/manifests/guard.yaml does for the daemon"
		default:
			return "see the configuration of the admission webhook that the error names"
		}
	case NoCRD:
		return "install the CRD" + resourceOf(err)
	case Terminal:
		if isTooLarge(err) {
			return "remove data of other clients from the object, for example annotations"
		}
		return "compare the object with the CRD: see the fields that the error names"
	}
	if apierrors.IsUnauthorized(err) {
		return "check the credentials of the client"
	}
	return ""
}

// resourceOf returns the resource that an error is about, after a space character, or "".
func resourceOf(err error) string {
	status, ok := statusOf(err)
	if !ok || status.Details == nil || status.Details.Kind == "" {
		return ""
	}
	return fmt.Sprintf(" %s.%s", status.Details.Kind, status.Details.Group)
}
