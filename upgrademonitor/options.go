package upgrademonitor

// Option configures a report. A nil Option is ignored.
type Option func(*options)

type options struct {
	completesParent bool
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

// Reason sets the reason of the condition that Report, NotRequired or Track writes. The default is the
// name of the parent followed by the name of the phase, for example UpdateExecutedDrained.
func Reason(reason string) Option {
	return func(o *options) { o.reason = reason }
}

// DoneMessage sets the message with which Track reports True. The default is the argument message of
// Track. Other calls ignore the option.
func DoneMessage(message string) Option {
	return func(o *options) { o.doneMessage = message }
}

func newOptions(opts []Option) (o options) {
	for _, opt := range opts {
		if opt != nil {
			opt(&o)
		}
	}
	return o
}
