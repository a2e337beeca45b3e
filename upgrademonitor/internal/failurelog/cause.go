package failurelog

import (
	"context"
	"errors"
	"io"
	"regexp"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilnet "k8s.io/apimachinery/pkg/util/net"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
)

// maxCause is the length of the prefix of a message by which causes are compared.
const maxCause = 512

// variable is a word that differs from one attempt to the next: it has a digit, as resource
// versions, ports, durations, times and the ids of requests do.
var variable = regexp.MustCompile(`[[:alpha:].-]*[0-9][[:alnum:].-]*`)

// causeOf returns what is the same for all errors of one cause: the outcome, the reason, and the
// message without its variable words. An API server that does not respond is one cause, whether
// it refuses connections, drops them or is slow.
func causeOf(err error) string {
	if isUnreachable(err) {
		return "unreachable"
	}
	message := err.Error()
	if status := apierrors.APIStatus(nil); errors.As(err, &status) {
		message = status.Status().Message // whichever request it is about
	}
	message = variable.ReplaceAllLiteralString(message, "#")
	if len(message) > maxCause {
		message = message[:maxCause]
	}
	return string(apierr.Classify(err)) + " " + string(apierrors.ReasonForError(err)) + " " + message
}

// isUnreachable reports whether an error is of the connection, or of a deadline that ended
// before there was a response.
func isUnreachable(err error) bool {
	if status := apierrors.APIStatus(nil); errors.As(err, &status) {
		return false
	}
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		utilnet.IsConnectionRefused(err) || utilnet.IsConnectionReset(err) || utilnet.IsTimeout(err) || utilnet.IsProbableEOF(err) ||
		utilnet.IsHTTP2ConnectionLost(err)
}
