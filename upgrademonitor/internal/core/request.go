package core

import (
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// Kind is the kind of a request.
type Kind string

// The kinds of requests.
const (
	Get         Kind = "Get"
	Create      Kind = "Create" // without a status, which the API server would drop
	PatchSpec   Kind = "PatchSpec"
	PatchStatus Kind = "PatchStatus"
)

// Request is one request to the API server.
type Request struct {
	Kind Kind
	// Base is the object that a patch is computed from. Its resource version is the precondition.
	Base Object
	// Next is the state after the patch.
	Next plan.State
	// Node is the view of the Node that the request is made for.
	Node plan.Node

	completes *Entry // the change that is written once this request has succeeded
}

// Result is the result of a request.
type Result struct {
	Outcome apierr.Outcome
	// Object is the object that was read or created. After a patch only its metadata count.
	Object Object
	Err    error
}

// Verdict says how to go on after a request.
type Verdict string

// The verdicts.
const (
	// Continue: make the next request at once.
	Continue Verdict = ""
	// Pause: another client wrote first. Make the next request after a short pause.
	Pause Verdict = "Pause"
	// SkipSpec: the spec could not be written. Go on with the status, and write the spec later.
	SkipSpec Verdict = "SkipSpec"
	// GiveUp: make no more requests for now.
	GiveUp Verdict = "GiveUp"
)
