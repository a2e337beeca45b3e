package apierr

import (
	"errors"
	"regexp"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Outcome classifies the error of a request.
type Outcome string

const (
	// OK means that there is no error.
	OK Outcome = ""
	// Retry means that the error may be transient. The request may or may not have taken effect.
	Retry Outcome = "Retry"
	// Conflict means that another client has changed or created the object since the last read. Read
	// the object, and compute the write again after a short pause.
	Conflict Outcome = "Conflict"
	// NotFound means that the object does not exist, or was deleted.
	NotFound Outcome = "NotFound"
	// Terminal means that no retry can succeed, because the object is invalid or too large.
	Terminal Outcome = "Terminal"
	// Denied means that RBAC or admission denies the request, or that the CRD is not installed. The
	// request may succeed after an administrator has changed a permission or a policy, or installed the CRD.
	Denied Outcome = "Denied"
)

// Classify returns the outcome of an error, or OK if the error is nil.
//
//  1. A denial by an admission policy or webhook is Denied, whatever its status code. If a policy
//     sets no reason, the API server responds with 422, as for an invalid object.
//  2. A 404 for the resource is Denied. A 404 for the object is NotFound.
//  3. An error that fits no other Outcome is Retry.
func Classify(err error) Outcome {
	switch {
	case err == nil:
		return OK
	case isDenied(err), isResourceMissing(err):
		return Denied
	case apierrors.IsInvalid(err), isTooLarge(err):
		return Terminal
	case apierrors.IsNotFound(err):
		return NotFound
	case apierrors.IsAlreadyExists(err), apierrors.IsConflict(err):
		return Conflict
	default:
		return Retry
	}
}

// Cause returns a text that identifies the cause of an error, so that a repeated failure is logged
// only once. All errors that do not come from the API server have the same cause. Without an error, it
// is "".
func Cause(err error) string {
	if err == nil {
		return ""
	}
	return string(Classify(err)) + " " + string(apierrors.ReasonForError(err)) + " " + Policy(err)
}

// isTooLarge reports whether the API server or etcd rejects an object as too large.
func isTooLarge(err error) bool {
	message := messageOf(err)
	return apierrors.IsRequestEntityTooLargeError(err) ||
		strings.Contains(message, "request is too large") ||
		strings.Contains(message, "trying to send message larger than max")
}

// The patterns match the beginning of a message, because the end may quote a value that looks like a denial.
var (
	policyPattern  = regexp.MustCompile(`^(?:\S+ "[^"]*" is forbidden: )?ValidatingAdmissionPolicy '([^']*)'`)
	webhookPattern = regexp.MustCompile(`^admission webhook "[^"]*" denied the request`)
)

// Policy returns the name of the ValidatingAdmissionPolicy that has denied the request, or "".
func Policy(err error) string {
	if match := policyPattern.FindStringSubmatch(messageOf(err)); match != nil {
		return match[1]
	}
	return ""
}

func isDenied(err error) bool {
	return apierrors.IsForbidden(err) || Policy(err) != "" || webhookPattern.MatchString(messageOf(err))
}

// isResourceMissing reports whether the API server does not serve the resource. Then it responds with
// a 404 that has no Status, and client-go adds the cause UnexpectedServerResponse.
func isResourceMissing(err error) bool {
	isUnexpected := apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse)
	return meta.IsNoMatchError(err) || apierrors.IsNotFound(err) && isUnexpected
}

// messageOf returns the message of the API server, or "" if the error is not from the API server.
func messageOf(err error) string {
	var api apierrors.APIStatus
	if !errors.As(err, &api) {
		return ""
	}
	return api.Status().Message
}
