package components

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// remember records the error of a published Degraded condition. It outlasts a time without data.
func (j *judgement) remember(published *metav1.Condition) {
	if published == nil {
		return
	}
	if fault, ok := faultOf("", *published); ok {
		j.last = &fault
	}
}

// lastError is the message of a judgement that the component is not degraded, and has none of its own:
// the error that was published last, "" if there was none.
func (j *judgement) lastError() string {
	switch {
	case j.last == nil:
		return ""
	case j.last.Resolved:
		return resolvedMessage(j.last.State, j.last.Message, j.last.Since.Time)
	default:
		return resolvedMessage(j.last.State, j.last.Message, j.since)
	}
}
