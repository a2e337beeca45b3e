package core

import (
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// Kind is what a request does with the object.
type Kind string

// The kinds of requests.
const (
	Get         Kind = "Get"
	Create      Kind = "Create" // without a status, which the API server would drop
	PatchSpec   Kind = "PatchSpec"
	PatchStatus Kind = "PatchStatus"
)

// Request is what is to be done next.
type Request struct {
	Kind Kind
	// Base is what a patch is computed from. Its resource version is the precondition: no two
	// objects of a cluster have the same one.
	Base Object
	// Next is what a patch leads to.
	Next plan.State
	// Node is the view of the Node that the request is made for.
	Node plan.Node

	// Restores is set if the status is one that an object had before it was created again.
	Restores bool

	finishes *Entry // which Next makes true
}

// SendsImage reports whether a patch changes an image.
func (r Request) SendsImage() bool {
	return r.Kind == PatchSpec && r.Next.Spec.ConfigImage != r.Base.Spec.ConfigImage ||
		r.Kind == PatchStatus && r.Next.Status.ConfigImage != r.Base.Status.ConfigImage
}

// Result is the result of a request.
type Result struct {
	Outcome apierr.Outcome
	// Object is what was read or created. After a patch only its metadata count.
	Object Object
	// NoImages is set if the API server has dropped an image that was sent.
	NoImages bool
	Err      error
}
