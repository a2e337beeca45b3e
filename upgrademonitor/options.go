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

// CompletesParent turns the parent of the phase True in the same write as the phase. While another
// child of the parent is Unknown, the parent stays Unknown, so use the option for that child, too.
// It is valid with status True, for a phase that has a parent. With Track, it applies when Track
// reports True. With NotRequired, it applies only if the phase has started.
func CompletesParent() Option {
	return func(o *options) { o.completesParent = true }
}

// ParentMessage is the message of the phase's parent, by default the message of the phase. It is
// valid for a phase that has a parent. A report that changes only this message is not written.
func ParentMessage(message string) Option {
	return func(o *options) { o.parentMessage = conditions.Truncate(message) }
}

// Reason sets the reason of the condition that Report, NotRequired and Track write. The default is
// the name of the phase's parent, followed by the name of the phase: UpdateExecutedDrained.
func Reason(reason string) Option {
	return func(o *options) { o.reason = reason }
}

// DoneMessage is the message of Track's report of True. The default is Track's message.
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
