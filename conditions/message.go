package conditions

import (
	"strings"
	"unicode/utf8"
)

const (
	// TruncationMark replaces the text that Truncate removes from a message.
	TruncationMark = "… [truncated]"

	// maxMessage is the maximum length of a message in bytes. The limit keeps the object small.
	maxMessage = 4096

	prefixStart = "Action during update to "
	prefixEnd   = ": "
)

// Truncate returns the message as valid UTF-8 with at most 4,096 bytes. In a longer message,
// TruncationMark replaces the middle. The end stays, because it usually names the cause of an error.
func Truncate(message string) string {
	return TruncateTo(message, maxMessage)
}

// TruncateTo is like Truncate, but limit is the maximum length in bytes. limit must exceed
// len(TruncationMark).
func TruncateTo(message string, limit int) string {
	message = strings.ToValidUTF8(message, string(utf8.RuneError))
	if len(message) <= limit {
		return message
	}
	room := max(0, limit-len(TruncationMark))
	head, tail := message[:room-room/2], message[len(message)-room/2:]
	return strings.ToValidUTF8(head, "") + TruncationMark + strings.ToValidUTF8(tail, "")
}

// withUpdatePrefix returns the message with the prefix "Action during update to <update>: ". A
// message that already has the prefix of an update gets no second prefix.
func withUpdatePrefix(message, update string) string {
	if HasUpdatePrefix(message) {
		return Truncate(message)
	}
	return Truncate(prefixStart + update + prefixEnd + message)
}

// keepUpdatePrefix is like withUpdatePrefix, but returns the old message if only the name of the
// update would change. The name is the image or the config of the update. After the update, the object
// no longer shows which of the two was the name, so the old message is kept.
func keepUpdatePrefix(old, message, update string) string {
	if HasUpdatePrefix(old) && strings.HasSuffix(old, prefixEnd+message) {
		return old
	}
	return withUpdatePrefix(message, update)
}

// HasUpdatePrefix reports whether a message starts with "Action during update to ". The messages of
// steps get this prefix when an update ends.
func HasUpdatePrefix(message string) bool { return strings.HasPrefix(message, prefixStart) }

// TrimUpdatePrefix returns the message without the prefix "Action during update to <update>: ", if
// it has one.
func TrimUpdatePrefix(message string) string {
	if _, text, ok := strings.Cut(message, prefixEnd); ok && HasUpdatePrefix(message) {
		return text
	}
	return message
}
