package components

import (
	"cmp"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The sentence about the last error: the message of Degraded=False after it, and the end of that of
// Degraded=Unknown, which is also about an error that may not be over.
//
//	Last error, resolved 2026-05-22T12:37:24Z, in OperatorSyncMCD: timed out
//	No MachineConfigNode found. Last error, since 2026-05-22T12:37:24Z, in SyncMCD: 1 node is degraded: a: disk full
const (
	lastErrorPrefix   = "Last error, "
	lastErrorResolved = "resolved "
	lastErrorSince    = "since "
	lastErrorState    = ", in "
	lastErrorText     = ": "

	sentenceEnd = ". "
)

func lastErrorSentence(f Fault) string {
	when := lastErrorSince
	if f.Resolved {
		when = lastErrorResolved
	}
	text := lastErrorPrefix + when + f.Since.UTC().Format(time.RFC3339) + lastErrorState + string(f.State) + lastErrorText + f.Message
	return oneLine(text, maxLastError)
}

func parseLastError(sentence string) (Fault, bool) {
	rest, ok := strings.CutPrefix(sentence, lastErrorPrefix)
	if !ok {
		return Fault{}, false
	}
	rest, resolved := strings.CutPrefix(rest, lastErrorResolved)
	if !resolved {
		if rest, ok = strings.CutPrefix(rest, lastErrorSince); !ok {
			return Fault{}, false
		}
	}
	at, rest, ok := strings.Cut(rest, lastErrorState)
	if !ok {
		return Fault{}, false
	}
	when, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return Fault{}, false
	}
	state, text, ok := strings.Cut(rest, lastErrorText)
	if !ok || !isState(State(state)) {
		return Fault{}, false
	}
	return Fault{State: State(state), Message: text, Since: metav1.NewTime(when), Resolved: resolved}, true
}

// cutLastError splits a message before its sentence about the last error, "" if it has none.
func cutLastError(message string) (before, sentence string) {
	at := strings.Index(message, lastErrorPrefix)
	if at < 0 {
		return message, ""
	}
	return strings.TrimSuffix(message[:at], sentenceEnd), message[at:]
}

// remember records the error of a published Degraded condition. It outlasts a time without data.
func (j *judgement) remember(published *metav1.Condition) {
	if published == nil {
		return
	}
	if fault, ok := faultOf("", *published); ok {
		j.last = &fault
	}
}

// withLastError returns the message of a judgement that the component is not degraded, or that this is
// unknown, with the error that was published last. A message of Degraded=False has none if it is not empty.
func (j *judgement) withLastError(c metav1.Condition) string {
	if j.last == nil || c.Status == metav1.ConditionTrue {
		return c.Message
	}
	last := *j.last
	if c.Status == metav1.ConditionFalse {
		if !last.Resolved {
			last.Resolved, last.Since = true, metav1.NewTime(j.since)
		}
		return cmp.Or(c.Message, lastErrorSentence(last))
	}
	sentence := lastErrorSentence(last)
	before, _ := cutLastError(c.Message)
	if before == "" {
		return sentence
	}
	return oneLine(before, maxMessage-jsonLen(sentenceEnd+sentence)) + sentenceEnd + sentence
}
