// Package inspect shows tests, those of other modules too, what a Monitor knows of its object.
//
// A Config.Client that is an Inspector is told each state that the Monitor reads, writes or plans
// on. No client outside of tests is one.
package inspect

import (
	"encoding/json"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
)

// Inspector is implemented by the Config.Client of a test. It is called from the goroutines that
// report, while the Monitor holds no lock.
type Inspector interface {
	Inspect(State)
}

// State is what a Monitor takes its object to be. What it points to never changes.
type State struct {
	// Object is the MachineConfigNode at its resource version. Of the lists of its status it has
	// what the Monitor owns, and it has no managed fields.
	Object *mcfgv1.MachineConfigNode
	// Conditions and ImageSets are those of other field managers, Verbatim the sets by name as the
	// API server encodes them. Exact means that the conditions are verbatim too.
	Conditions []json.RawMessage
	ImageSets  []mcfgv1.MachineConfigNodeStatusPinnedImageSet
	Verbatim   map[string]json.RawMessage
	Exact      bool
	// StatusLost means that the object has no status, and is to get that of Object.
	StatusLost bool
	// NoImageField means that the CRD has no configImage.
	NoImageField bool
	// UpdateTarget is the config of the update under way, where the Monitor observed its begin.
	UpdateTarget string
}
