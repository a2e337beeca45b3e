package apierr

import (
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Outcome is what an error means for the request that failed with it.
type Outcome string

const (
	// OK is no error.
	OK Outcome = ""
	// Retry is an error that may pass. It is not known whether the request took effect.
	Retry Outcome = "Retry"
	// Conflict is a request that came too late: another client has changed or created the object
	// since it was read. Read it and plan again at once.
	Conflict Outcome = "Conflict"
	// NotFound is a request for an object that does not exist, or that another client has deleted.
	NotFound Outcome = "NotFound"
	// Terminal is a request that can never succeed: the object is invalid, or too large for the API
	// server or for etcd.
	Terminal Outcome = "Terminal"
	// Denied is a request that RBAC or admission does not allow now.
	Denied Outcome = "Denied"
	// NoCRD is a request for a resource that the API server does not serve.
	NoCRD Outcome = "NoCRD"
)

// Classify returns the outcome of an error, OK for nil.
//
//  1. A conflict of field managers is Retry, not Conflict: planning again cannot resolve it.
//  2. A denial of an admission policy or webhook is Denied, whatever its code is: a policy without
//     a reason responds with 422, as for an invalid object, but policies come and go.
//  3. A 404 of the resource is NoCRD, a 404 of the object NotFound.
//  4. Any other error is Retry.
func Classify(err error) Outcome {
	switch {
	case err == nil:
		return OK
	case isDenied(err):
		return Denied
	case isInvalid(err), isTooLarge(err):
		return Terminal
	case isResourceMissing(err):
		return NoCRD
	case apierrors.IsNotFound(err):
		return NotFound
	case isConflict(err):
		return Conflict
	default:
		return Retry
	}
}

// isInvalid reports whether the schema or the rules of the CRD reject the object.
func isInvalid(err error) bool { return apierrors.IsInvalid(err) && !isDenied(err) }

// isTooLarge reports whether an object is too large for the API server, for etcd, or for the API
// server's client of etcd.
func isTooLarge(err error) bool {
	return apierrors.IsRequestEntityTooLargeError(err) || isServerError(err) &&
		(contains(err, "request is too large") || contains(err, "trying to send message larger than max"))
}

// Policy returns the name of the ValidatingAdmissionPolicy that denies a request, or "".
func Policy(err error) string {
	for _, text := range denials(err) {
		if match := policyPattern.FindStringSubmatch(text); match != nil {
			return match[1]
		}
	}
	return ""
}

var (
	policyPattern  = regexp.MustCompile(`^ValidatingAdmissionPolicy '([^']*)'`)
	webhookPattern = regexp.MustCompile(`^admission webhook "[^"]*" denied the request`)
	forbidden      = regexp.MustCompile(`^\S+ "[^"]*" is forbidden: `)
)

// isDenied reports whether RBAC, a policy or a webhook denies the request.
func isDenied(err error) bool {
	return apierrors.IsForbidden(err) || Policy(err) != "" || isWebhook(err)
}

func isWebhook(err error) bool { return slices.ContainsFunc(denials(err), webhookPattern.MatchString) }

// denials returns the texts that may start with a denial: the message, and the causes that name no
// field. The CRD's errors quote the value of a field, but never at the start of a text.
func denials(err error) []string {
	status, ok := statusOf(err)
	if !ok {
		return nil
	}
	texts := []string{forbidden.ReplaceAllLiteralString(status.Message, "")}
	if status.Details != nil {
		for _, cause := range status.Details.Causes {
			if cause.Type == "" && cause.Field == "" {
				texts = append(texts, cause.Message)
			}
		}
	}
	return texts
}

// isConflict reports whether another client has changed or created the object first.
func isConflict(err error) bool {
	return apierrors.IsConflict(err) && !apierrors.HasStatusCause(err, metav1.CauseTypeFieldManagerConflict) ||
		apierrors.IsAlreadyExists(err)
}

// isResourceMissing reports whether the API server does not serve the resource: client-go notes
// that the 404 has no Status of the API server, or did not find the resource in discovery.
func isResourceMissing(err error) bool {
	return meta.IsNoMatchError(err) || apierrors.IsNotFound(err) && apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse)
}

// isServerError reports whether the API server responded with 500, with a reason or without.
func isServerError(err error) bool {
	status, ok := statusOf(err)
	return ok && (status.Code == http.StatusInternalServerError || status.Reason == metav1.StatusReasonInternalError)
}

func contains(err error, text string) bool {
	status, _ := statusOf(err)
	return strings.Contains(status.Message, text)
}

func statusOf(err error) (metav1.Status, bool) {
	var api apierrors.APIStatus
	if !errors.As(err, &api) {
		return metav1.Status{}, false
	}
	return api.Status(), true
}
