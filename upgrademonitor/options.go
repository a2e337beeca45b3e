package upgrademonitor

import "github.com/openshift/upgrademonitor/conditions"

// ReportOption is an option of a report: CompletesParent, ParentMessage or Reason.
type ReportOption interface{ applyToReport(*reportOptions) }

// TrackOption is an option of Track: those of a report, or DoneMessage.
type TrackOption interface{ applyToTrack(*reportOptions) }

// Option is an option of a report and of Track.
type Option interface {
	ReportOption
	TrackOption
}

type reportOptions struct {
	completesParent bool
	parentMessage   string
	reason          string
	doneMessage     string
}

type option func(*reportOptions)

func (o option) applyToReport(options *reportOptions) { o(options) }
func (o option) applyToTrack(options *reportOptions)  { o(options) }

type trackOption func(*reportOptions)

func (o trackOption) applyToTrack(options *reportOptions) { o(options) }

// CompletesParent completes the parent of the phase together with the phase: both turn True
// in one write. While another child of the parent is Unknown, the parent stays Unknown: the
// report of that child is to complete it then. It is valid with status True, for a phase that
// has a parent; with Track, it applies to its True, and with NotRequired if the phase has started.
func CompletesParent() Option {
	return option(func(o *reportOptions) { o.completesParent = true })
}

// ParentMessage is the message of the parent of the phase, by default the message of the phase. It
// is valid for a phase that has a parent, and is written when something else changes.
func ParentMessage(message string) Option {
	return option(func(o *reportOptions) { o.parentMessage = conditions.Truncate(message) })
}

// Reason is the reason of Report, NotRequired and Track. By default it is the conventional one: the
// phase, behind its parent if it has one (UpdateExecutedDrained). GenerateAndApplyMachineConfigNode
// has it as an argument, and rejects the option.
func Reason(reason string) Option {
	return option(func(o *reportOptions) { o.reason = reason })
}

// DoneMessage is the message of Track's True. By default it is the message of the call.
func DoneMessage(message string) TrackOption {
	return trackOption(func(o *reportOptions) { o.doneMessage = message })
}

// reportOptionsOf applies the options; nil ones are skipped.
func reportOptionsOf(opts []ReportOption) reportOptions {
	if len(opts) == 0 {
		return reportOptions{} // without an allocation
	}
	var o reportOptions
	for _, opt := range opts {
		if opt != nil {
			opt.applyToReport(&o)
		}
	}
	return o
}

func trackOptionsOf(opts []TrackOption) reportOptions {
	var o reportOptions
	for _, opt := range opts {
		if opt != nil {
			opt.applyToTrack(&o)
		}
	}
	return o
}
