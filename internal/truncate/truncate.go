// Package truncate shortens messages. Both the daemons and the controllers of pools need it, so it imports no other
// package of this module.
package truncate

import (
	"strings"
	"unicode/utf8"
)

const mark = "… [truncated]"

// To returns the message as valid UTF-8 with at most limit bytes. In a longer message,
// a mark replaces the middle. The end stays, because it usually names the cause of an error.
func To(message string, limit int) string {
	message = strings.ToValidUTF8(message, string(utf8.RuneError))
	if len(message) <= limit {
		return message
	}
	room := max(0, limit-len(mark))
	head, tail := message[:room-room/2], message[len(message)-room/2:]
	return strings.ToValidUTF8(head, "") + mark + strings.ToValidUTF8(tail, "")
}
