package upgrademonitor

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openshift/upgrademonitor/conditions"
)

// Option changes a report. An option that does not fit the call is an error of that call. A nil
// Option is ignored.
type Option func(*options)

type options struct {
	completesParent bool
	parentMessage   string
	reason          string
	doneMessage     string
}

// CompletesParent completes the parent of the phase together with the phase: both turn True in one
// write. While another child of the parent is Unknown, the parent stays Unknown: the report that
// completes that child should have the option, too. It is valid with status True, for a phase that
// has a parent; with Track, it applies to its True, and with NotRequired if the phase has started.
func CompletesParent() Option {
	return func(o *options) { o.completesParent = true }
}

// ParentMessage is the message of the parent of the phase. The default is the message of the phase.
// It is valid for a phase that has a parent, and is written if something else changes.
func ParentMessage(message string) Option {
	return func(o *options) { o.parentMessage = conditions.Truncate(message) }
}

// Reason is the reason of Report, NotRequired and Track. The default is the conventional reason: the
// phase, after its parent if it has one (UpdateExecutedDrained). GenerateAndApplyMachineConfigNode
// takes the reason as an argument instead.
func Reason(reason string) Option {
	return func(o *options) { o.reason = reason }
}

// DoneMessage is the message of Track's True. The default is the message of the call.
func DoneMessage(message string) Option {
	return func(o *options) { o.doneMessage = message }
}

var optsPath = field.NewPath("opts")

func newOptions(opts []Option) options {
	if len(opts) == 0 {
		return options{} // without an allocation
	}
	var o options
	for _, opt := range opts {
		if opt != nil {
			opt(&o)
		}
	}
	return o
}
