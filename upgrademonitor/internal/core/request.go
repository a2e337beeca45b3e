package core

import (
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// Verb is the kind of a request: the API verb and, for a patch, the part of the object to patch.
type Verb string

// The verbs.
const (
	Get         Verb = "Get"
	Create      Verb = "Create" // without a status, which the API server would drop
	PatchSpec   Verb = "PatchSpec"
	PatchStatus Verb = "PatchStatus"
	// Wait means that another process must write the object first. The caller makes no request, and
	// passes the outcome Denied to Done.
	Wait Verb = "Wait"
)

// Request is a request to the API server.
type Request struct {
	Verb Verb
	// Base is the object before a patch. The patch has the resourceVersion of Base.
	Base Object
	// Next is the state of the object after the patch.
	Next plan.State
	// Node is the Node from which the request is computed.
	Node plan.Node

	completes *Entry // the entry that is settled if this request succeeds, or nil
}

// Result is the result of a request.
type Result struct {
	Outcome apierr.Outcome
	// Object is the object that was read or created. After a patch, only the metadata is set.
	Object Object
	Err    error
}

// Verdict says how to continue after a request.
type Verdict string

// The verdicts.
const (
	// Continue means that the caller makes the next request at once.
	Continue Verdict = ""
	// Pause means that another client has changed or deleted the object. The caller waits for a moment
	// before the next request.
	Pause Verdict = "Pause"
	// SkipSpec means that the write of the spec failed. The caller passes false to Next until it
	// retries the spec, so that the status is written now.
	SkipSpec Verdict = "SkipSpec"
	// GiveUp means that the attempt has failed. The caller makes no more requests until it retries.
	GiveUp Verdict = "GiveUp"
)
