package components

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

// TestAResolvedErrorIsShort has 256 characters, however long the error was, and stays as it is when it
// is read and written again.
func TestAResolvedErrorIsShort(t *testing.T) {
	for _, text := range []string{strings.Repeat("timed out ", 100), strings.Repeat("世", 300), strings.Repeat("<", 1000)} {
		message := resolvedMessage(OperatorSyncMCD, text, epoch)
		assert.LessOrEqual(t, utf8.RuneCountInString(message), maxResolved)
		assert.GreaterOrEqual(t, utf8.RuneCountInString(message), maxResolved-80, "no shorter than its bytes of JSON demand")
		fault, ok := parseResolved(message)
		assert.True(t, ok)
		assert.Equal(t, message, resolvedMessage(fault.State, fault.Message, fault.Since.Time), "again")
	}
	message := resolvedMessage(OperatorSyncMCD, strings.Repeat("x", 1000), epoch)
	assert.Equal(t, 256, utf8.RuneCountInString(message), "the limit that docs/components.md names")
	assert.Equal(t, "Last error, resolved 2026-05-22T12:00:00Z, in OperatorSyncMCD: short", resolvedMessage(OperatorSyncMCD, "short", epoch))
}
