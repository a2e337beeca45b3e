package upgrademonitor

import "k8s.io/apimachinery/pkg/util/validation/field"

// Option configures a report. A report with an invalid Option is rejected. A nil Option is ignored.
type Option func(*options)

type options struct {
	completesParent bool
	parentMessage   string
	reason          string
	doneMessage     string
}

// CompletesParent sets the parent of the phase to True in the same write as the phase. If another
// child of the parent is still Unknown, the parent stays Unknown. So pass the option for each child
// that may complete last. The option is valid only for a Child phase with status True. With Track, it
// applies to the report of True. With NotRequired, the parent becomes True even if no child has run.
func CompletesParent() Option {
	return func(o *options) { o.completesParent = true }
}

// ParentMessage sets the message of the phase's parent. The default is the message of the phase.
// The option is valid only for a Child phase. If nothing but the parent's message changes, there is no
// write.
func ParentMessage(message string) Option {
	return func(o *options) { o.parentMessage = message }
}

// Reason sets the reason of the condition that Report, NotRequired or Track writes. The default is the
// name of the parent followed by the name of the phase, for example UpdateExecutedDrained.
func Reason(reason string) Option {
	return func(o *options) { o.reason = reason }
}

// DoneMessage sets the message with which Track reports True. The default is the argument message of
// Track. The option is valid only with Track.
func DoneMessage(message string) Option {
	return func(o *options) { o.doneMessage = message }
}

var optsPath, reasonPath = field.NewPath("opts"), field.NewPath("reason")

func newOptions(opts []Option) options {
	if len(opts) == 0 {
		return options{} // avoids the allocation of o
	}
	var o options
	for _, opt := range opts {
		if opt != nil {
			opt(&o)
		}
	}
	return o
}
