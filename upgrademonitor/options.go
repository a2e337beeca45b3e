package upgrademonitor

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openshift/upgrademonitor/conditions"
)

// ReportOption adds to a report.
type ReportOption func(*reportOptions)

type reportOptions struct {
	completesParent bool
	parentMessage   string
	reason          string
	doneMessage     string
}

// CompletesParent completes the parent of the phase together with the phase: both turn True
// in one write. While another child of the parent is Unknown, the parent stays Unknown: the
// report of that child is to complete it then. It is valid with status True, for a phase that
// has a parent; with Track, it applies to its True.
func CompletesParent() ReportOption {
	return func(o *reportOptions) { o.completesParent = true }
}

// ParentMessage is the message of the phase's parent, where that is not the message of the phase
// itself. It is valid for a phase that has a parent, and is written when something changes: a
// report that repeats what its phase shows makes no write for the parent's text alone.
func ParentMessage(message string) ReportOption {
	return func(o *reportOptions) { o.parentMessage = conditions.Truncate(message) }
}

// Reason is the reason of Report and Track. By default it is the conventional one: the phase,
// behind its parent where it has one (UpdateExecutedDrained).
func Reason(reason string) ReportOption {
	return func(o *reportOptions) { o.reason = reason }
}

// DoneMessage is the message of Track's True. By default it is the message of the call.
func DoneMessage(message string) ReportOption {
	return func(o *reportOptions) { o.doneMessage = message }
}

// optionsOf applies the options; nil ones are skipped.
func optionsOf(opts []ReportOption) reportOptions {
	if len(opts) == 0 {
		return reportOptions{} // without an allocation
	}
	var o reportOptions
	for _, opt := range opts {
		if opt != nil {
			opt(&o)
		}
	}
	return o
}

// validate refuses options of Report and Track in a call that names its reason and message.
func (o reportOptions) validate() error {
	switch {
	case o.reason != "":
		return field.Forbidden(optsPath.Key("Reason"), "valid for Report and Track only: pass the reason as the argument")
	case o.doneMessage != "":
		return field.Forbidden(optsPath.Key("DoneMessage"), "valid for Track only")
	}
	return nil
}
