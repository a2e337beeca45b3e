package core

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// Object is one version of a MachineConfigNode. It is immutable.
type Object struct {
	UID             types.UID
	ResourceVersion string
	plan.State
	// Foreign has the conditions whose types are not phases. Other clients write them.
	Foreign []metav1.Condition
}

// Situation says what is known about the object. It decides which request is next.
type Situation string

// The situations: see the package comment.
const (
	Unread     Situation = ""           // the object was never read: read it
	Fresh      Situation = "Fresh"      // no other client is known to have written a newer version
	Stale      Situation = "Stale"      // another client may have written a newer version: read the object
	NoResponse Situation = "NoResponse" // the last write had no response: read the object
	Missing    Situation = "Missing"    // the object does not exist: create it
)
