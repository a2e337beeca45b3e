package components

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// hostile are texts that grow when they are encoded, or that look like what surrounds them.
var hostile = map[string]string{
	"short":              "timed out",
	"long":               strings.Repeat("timed out ", 800),
	"multi-byte":         strings.Repeat("世", 3000),
	"four bytes":         strings.Repeat("𝕏🙂", 1000),
	"quotes":             strings.Repeat(`"\`, 3000),
	"markup":             strings.Repeat("<&>", 3000),
	"control characters": strings.Repeat("\x00\x1b[31m\u202e\u2028\n", 1000),
	"invalid":            strings.Repeat("\xff\xfea", 3000),
	"a last error":       strings.Repeat("Last error, resolved 2026-05-22T12:00:00Z, in OperatorSync: ", 100),
	"truncated":          strings.Repeat("… [truncated]", 500),
}

func longestState() State {
	longest := OperatorSync
	for s := range parentOf {
		if len(s) > len(longest) {
			longest = s
		}
	}
	return longest
}

// TestTheLastErrorIsShort has at most 256 bytes, however long the error was, and stays as it is when it is read
// and written again.
func TestTheLastErrorIsShort(t *testing.T) {
	for name, text := range hostile {
		for _, resolved := range []bool{true, false} {
			sentence := lastErrorSentence(Fault{State: longestState(), Message: text, Since: metav1.NewTime(epoch), Resolved: resolved})
			assert.LessOrEqual(t, sizeOf(t, sentence), 256, name)
			if name == "long" {
				assert.GreaterOrEqual(t, sizeOf(t, sentence), 250, "no shorter than it has to be")
			}
			assert.Equal(t, sizeOf(t, sentence), jsonLen(sentence), name)
			fault, ok := parseLastError(sentence)
			assert.True(t, ok, name)
			assert.Equal(t, resolved, fault.Resolved, name)
			assert.Equal(t, sentence, lastErrorSentence(fault), "%s again", name)
		}
	}
	for _, text := range []string{"", "Last error, ", "Last error, long ago, in OperatorSync: x", "Last error, resolved yesterday, in OperatorSync: x",
		"Last error, resolved 2026-05-22T12:00:00Z", "Last error, since 2026-05-22T12:00:00Z, in Sync: x", "Last error, since 2026-05-22T12:00:00Z, in OperatorSync"} {
		_, ok := parseLastError(text)
		assert.False(t, ok, "%q", text)
	}
	for resolved, want := range map[bool]string{
		true:  "Last error, resolved 2026-05-22T12:00:00Z, in OperatorSyncMCD: short",
		false: "Last error, since 2026-05-22T12:00:00Z, in OperatorSyncMCD: short",
	} {
		assert.Equal(t, want, lastErrorSentence(Fault{State: OperatorSyncMCD, Message: "short", Since: metav1.NewTime(epoch), Resolved: resolved}))
	}
}

// TestTheLastErrorWithoutData is at the end of the message, once.
func TestTheLastErrorWithoutData(t *testing.T) {
	for name, text := range hostile {
		for _, before := range []string{"No MachineConfigNode found", "", "x", text} {
			if strings.Contains(before, lastErrorPrefix) {
				continue // it would be taken for the last error
			}
			j := judgement{last: &Fault{State: MCDSync, Message: text, Since: metav1.NewTime(epoch)}, since: epoch.Add(time.Hour)}
			c := metav1.Condition{Type: TypeOf(Daemon, Degraded), Status: metav1.ConditionUnknown, Message: oneLine(before, maxMessage)}
			c.Message = j.withLastError(c)
			assert.LessOrEqual(t, sizeOf(t, c.Message), maxMessage, name)
			assert.Equal(t, c.Message, j.withLastError(c), "%s again", name)
			restarted := judgement{}
			restarted.remember(&c)
			assert.Equal(t, c.Message, restarted.withLastError(c), "%s after a restart", name)
			c.Status, c.Message = metav1.ConditionFalse, ""
			assert.Contains(t, j.withLastError(c), "Last error, resolved 2026-05-22T13:00:00Z, in SyncMCD: ", name)
		}
	}
}

// TestReasons: each state has the reason <State>Failed, from which it is read again.
func TestReasons(t *testing.T) {
	for _, states := range statesByComponent {
		for _, s := range states {
			assert.Equal(t, string(s)+"Failed", failedReason(s))
			assert.Equal(t, s, stateOf(failedReason(s)))
		}
	}
}
