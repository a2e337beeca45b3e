package apierr_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
)

var (
	resource = schema.GroupResource{Group: "machineconfiguration.openshift.io", Resource: "machineconfignodes"}
	kind     = schema.GroupKind{Group: "machineconfiguration.openshift.io", Kind: "MachineConfigNode"}
)

const denial = "ValidatingAdmissionPolicy 'mcn-guards' with binding 'mcn-guards-binding' denied request: "

// status is an error of the API server.
func status(code int32, reason metav1.StatusReason, message string, causes ...metav1.StatusCause) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: code, Reason: reason, Message: message,
		Details: &metav1.StatusDetails{Group: resource.Group, Kind: resource.Resource, Name: "worker-0", Causes: causes},
	}}
}

// invalid is a rejection by the CRD. It quotes the rejected value.
func invalid(value string) error {
	return apierrors.NewInvalid(kind, "worker-0", field.ErrorList{field.Invalid(field.NewPath("status", "conditions").Index(0).Child("reason"), value, "must match")})
}

// byPolicy is a denial by a policy. The API server repeats the text in the causes.
func byPolicy(code int32, reason metav1.StatusReason, text string) error {
	return status(code, reason, `machineconfignodes.machineconfiguration.openshift.io "worker-0" is forbidden: `+denial+text,
		metav1.StatusCause{Message: denial + text})
}

// otherPolicy is a denial by a policy of an administrator.
var otherPolicy = status(403, metav1.StatusReasonForbidden, `machineconfignodes.machineconfiguration.openshift.io "worker-0" is forbidden: `+
	`ValidatingAdmissionPolicy 'change-freeze' with binding 'change-freeze-prod' denied request: no changes before Monday`)

var errorsOf = map[string]struct {
	err    error
	want   apierr.Outcome
	policy string // the name of the policy that denies the request, or ""
}{
	"changed by another client":                  {apierrors.NewConflict(resource, "worker-0", errors.New("the object has been modified")), apierr.Conflict, ""},
	"a conflict from a list":                     {apierrors.NewGenericServerResponse(http.StatusConflict, "patch", resource, "worker-0", "", 0, true), apierr.Conflict, ""},
	"created by another client":                  {apierrors.NewAlreadyExists(resource, "worker-0"), apierr.Conflict, ""},
	"deleted by another client":                  {apierrors.NewNotFound(resource, "worker-0"), apierr.NotFound, ""},
	"invalid":                                    {invalid("a b"), apierr.Terminal, ""},
	"invalid, and the value quotes a policy":     {invalid(denial), apierr.Terminal, ""},
	"invalid, and the value quotes a webhook":    {invalid(`admission webhook "x" denied the request`), apierr.Terminal, ""},
	"invalid, and the value quotes a size limit": {invalid("request is too large"), apierr.Terminal, ""},
	"too large for the server":                   {apierrors.NewRequestEntityTooLargeError("limit is 3145728"), apierr.Terminal, ""},
	"too large for etcd":                         {status(500, "", "etcdserver: request is too large"), apierr.Terminal, ""},
	"too large, with a reason":                   {apierrors.NewInternalError(errors.New("etcdserver: request is too large")), apierr.Terminal, ""},
	"too large for gRPC": {status(500, "", "rpc error: code = ResourceExhausted desc = trying to send message larger than max (2228540 vs. 2097152)"),
		apierr.Terminal, ""},
	"RBAC": {apierrors.NewForbidden(resource, "worker-0", errors.New(`user "x" cannot patch resource "machineconfignodes/status"`)),
		apierr.Denied, ""},
	"a policy, 403":  {byPolicy(403, metav1.StatusReasonForbidden, "not this node"), apierr.Denied, "mcn-guards"},
	"another policy": {otherPolicy, apierr.Denied, "change-freeze"},
	"a policy, 422":  {byPolicy(422, metav1.StatusReasonInvalid, "expression 'x' resulted in error"), apierr.Denied, "mcn-guards"},
	"a policy, 422, without causes": {status(422, metav1.StatusReasonInvalid, denial+"frozen"),
		apierr.Denied, "mcn-guards"},
	"a policy, 413": {byPolicy(413, metav1.StatusReasonRequestEntityTooLarge, "too many conditions"), apierr.Denied, "mcn-guards"},
	"a webhook, 403": {status(403, metav1.StatusReasonForbidden, `admission webhook "x.example.com" denied the request: no`),
		apierr.Denied, ""},
	"a webhook, 400": {status(400, "", `admission webhook "x.example.com" denied the request without explanation`), apierr.Denied, ""},
	"a webhook, 422": {status(422, metav1.StatusReasonInvalid, `admission webhook "x.example.com" denied the request: no`), apierr.Denied, ""},
	"an undeclared field that we do not write": {status(500, "", "… .status.irreconcilableChanges: field not declared in schema"), apierr.Retry, ""},
	"no such resource": {apierrors.NewGenericServerResponse(http.StatusNotFound, "get", resource, "worker-0", "404 page not found", 0, true),
		apierr.Denied, ""},
	"no such kind":      {&meta.NoKindMatchError{GroupKind: kind, SearchedVersions: []string{"v1"}}, apierr.Denied, ""},
	"no such mapping":   {&meta.NoResourceMatchError{PartialResource: resource.WithVersion("v1")}, apierr.Denied, ""},
	"unauthorized":      {apierrors.NewUnauthorized("who are you?"), apierr.Retry, ""},
	"unavailable":       {apierrors.NewServiceUnavailable("down"), apierr.Retry, ""},
	"an internal error": {apierrors.NewInternalError(errors.New("etcdserver: leader changed")), apierr.Retry, ""},
	"too many requests": {apierrors.NewTooManyRequestsError("later"), apierr.Retry, ""},
	"a timeout":         {apierrors.NewTimeoutError("slow", 1), apierr.Retry, ""},
	"a bad request":     {apierrors.NewBadRequest("what?"), apierr.Retry, ""},
	"a deadline":        {context.DeadlineExceeded, apierr.Retry, ""},
	"an error that is not from an API server": {errors.New("etcdserver: request is too large"), apierr.Retry, ""},
	"a lost connection":                       {io.ErrUnexpectedEOF, apierr.Retry, ""},
}

func TestClassifyAlsoReadsWrappedErrors(t *testing.T) {
	assert.Empty(t, apierr.Classify(nil))
	for name, tc := range errorsOf {
		t.Run(name, func(t *testing.T) {
			wrapped := fmt.Errorf("write: %w", errors.Join(errors.New("x"), tc.err))
			for _, err := range []error{tc.err, wrapped} {
				assert.Equal(t, tc.want, apierr.Classify(err))
				assert.Equal(t, tc.policy, apierr.Policy(err))
			}
		})
	}
}

// Errors with different texts have the same cause if only ports, versions or the kind of a connection error differ.
func TestRetriesOfAFailureHaveTheSameCause(t *testing.T) {
	dial := func(port string, err error) error {
		return &url.Error{Op: "Patch", URL: "https://127.0.0.1:" + port, Err: &net.OpError{Op: "dial", Net: "tcp", Err: err}}
	}
	for name, tc := range map[string]struct {
		a, b error
		same bool
	}{
		"two versions": {errors.New("cannot 17 at 1234"), errors.New("cannot 18 at 9"), true},
		"a connection that is refused and one that is reset": {dial("1", syscall.ECONNREFUSED), dial("2", syscall.ECONNRESET), true},
		"a timeout and a lost connection":                    {fmt.Errorf("write: %w", context.DeadlineExceeded), fmt.Errorf("read: %w", io.ErrUnexpectedEOF), true},
		"two reasons":                                        {apierrors.NewTooManyRequestsError("x"), apierrors.NewTimeoutError("x", 1), false},
		"two outcomes":                                       {apierrors.NewInternalError(errors.New("x")), apierrors.NewForbidden(schema.GroupResource{}, "a", nil), false},
		"two policies":                                       {byPolicy(403, metav1.StatusReasonForbidden, "a"), otherPolicy, false},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.same, apierr.Cause(tc.a) == apierr.Cause(tc.b))
		})
	}
}
