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
	// Wait is no request: another process must write the object first. Its outcome is Denied.
	Wait Verb = "Wait"
)

// Request is one request to the API server.
type Request struct {
	Verb Verb
	// Base is the object that a patch is computed from. The patch has the resourceVersion of Base.
	Base Object
	// Next is the state after the patch.
	Next plan.State
	// Node is the Node that the request is computed from.
	Node plan.Node

	completes *Entry // the entry that is settled if this request succeeds
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
	// Pause means that another client has changed or deleted the object. Wait before a new request.
	Pause Verdict = "Pause"
	// SkipSpec means that the write of the spec failed. Write the status now, and the spec later.
	SkipSpec Verdict = "SkipSpec"
	// GiveUp means that the caller makes no more requests for now.
	GiveUp Verdict = "GiveUp"
)
