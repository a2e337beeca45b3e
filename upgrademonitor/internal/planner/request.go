package planner

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/internal/transitions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
)

// Verb is the kind of a request: the API verb and, for a patch, the part of the object to patch.
type Verb string

// The verbs.
const (
	Get         Verb = "Get"
	Create      Verb = "Create" // without a status, which the API server would drop
	PatchSpec   Verb = "PatchSpec"
	PatchStatus Verb = "PatchStatus"
)

// Request is a request to the API server. A patch changes the version Base of the object to the state
// Next.
type Request struct {
	Verb Verb
	Base Object
	Next State
	Node Node // the Node from which the request is computed

	isLast bool // after this write, nothing of the head's change is left to write
}

// IsKeptIn reports whether the object in the response shows what the request has written: the spec and the owner
// references, or the statuses and the image sets. It does not if, for example, a mutating webhook has reverted them. A
// webhook may change texts, unless another write follows that is planned from nothing but these texts. A CRD without
// the field configImage drops the image.
func (r Request) IsKeptIn(o Object) bool {
	if r.Verb == PatchSpec {
		shown := o.State
		if shown.Spec.ConfigImage.DesiredImage == "" {
			shown.Spec.ConfigImage = r.Next.Spec.ConfigImage
		}
		return shown.HasSpecOf(r.Node)
	}
	next, shown := r.Next.Status.Conditions, o.Status.Conditions
	isKept := !slices.ContainsFunc(next, func(c metav1.Condition) bool {
		return conditions.StatusOf(shown, phases.Phase(c.Type)) != c.Status
	})
	if !r.isLast && equalStatuses(r.Base.State, r.Next) {
		isKept = transitions.Equal(next, shown)
	}
	return r.Verb != PatchStatus || isKept && slices.Equal(r.Next.Status.PinnedImageSets, o.Status.PinnedImageSets)
}

func equalStatuses(a, b State) bool {
	return slices.EqualFunc(a.Status.Conditions, b.Status.Conditions, func(a, b metav1.Condition) bool {
		return a.Type == b.Type && a.Status == b.Status
	})
}

// Result is the result of a request, with the object in the response.
type Result struct {
	Outcome apierr.Outcome
	Object  Object
	Err     error
}

// Verdict says how to continue after a request.
type Verdict string

// The verdicts.
const (
	Continue Verdict = ""       // make the next request at once
	Pause    Verdict = "Pause"  // another client has changed or deleted the object: wait for a moment
	GiveUp   Verdict = "GiveUp" // the attempt has failed: make no more requests until a retry
)
