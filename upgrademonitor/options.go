package upgrademonitor

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openshift/upgrademonitor/conditions"
)

// Option changes a report. An Option that is not valid for a call is an error. nil is ignored.
type Option func(*options)

type options struct {
	completesParent bool
	parentMessage   string
	reason          string
	doneMessage     string
}

// CompletesParent completes the parent of the phase together with the phase: both turn True in one
// write. While another child of the parent is Unknown, the parent stays Unknown, so use the option
// also for the report that completes that child. It is valid with status True, for a phase that has
// a parent. With Track, it applies to the report of True. With NotRequired, it applies if the phase
// has started.
func CompletesParent() Option {
	return func(o *options) { o.completesParent = true }
}

// ParentMessage is the message of the parent of the phase. The default is the message of the phase.
// It is valid for a phase that has a parent. A change of only this message is not written.
func ParentMessage(message string) Option {
	return func(o *options) { o.parentMessage = conditions.Truncate(message) }
}

// Reason sets the reason of Report, NotRequired and Track. By default, the reason is the name of
// the phase, after the name of its parent (UpdateExecutedDrained).
// GenerateAndApplyMachineConfigNode has an argument for the reason instead.
func Reason(reason string) Option {
	return func(o *options) { o.reason = reason }
}

// DoneMessage is the message of the True that Track reports. The default is its message argument.
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
