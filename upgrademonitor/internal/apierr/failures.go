package apierr

import (
	"sync"

	"k8s.io/klog/v2"
)

// Failures remembers the last cause of each failure, so that a failure is logged when it starts, when its
// cause changes, and when it is over, and not with each retry. The zero value is ready to use. It is safe
// for concurrent use.
type Failures struct {
	causes sync.Map // by key
}

// Log logs the error of a key with a message, if its cause has changed. A nil error is a success.
func (f *Failures) Log(logger klog.Logger, key, message string, err error) {
	if f.Changed(key, Cause(err)) {
		LogChange(logger, message, err)
	}
}

// Changed stores the cause of the failure of a key, or "" for a success. It reports whether the cause has
// changed. Before the first call, there is no failure.
func (f *Failures) Changed(key, cause string) bool {
	if cause == "" {
		_, failed := f.causes.LoadAndDelete(key)
		return failed
	}
	last, _ := f.causes.Swap(key, cause)
	return last != cause
}

// LogChange logs the new error of a failure. If err is nil, it logs that the failure is over.
func LogChange(logger klog.Logger, message string, err error) {
	if err != nil {
		logger.Error(err, message)
	} else {
		logger.Info("This works again", "failure", message)
	}
}
