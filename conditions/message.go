package conditions

import (
	"strings"
	"unicode/utf8"
)

const (
	// MaxMessage is the maximum number of characters of a message, as in the CRD.
	MaxMessage = 32768

	// TruncationMark replaces the omitted part of a message.
	TruncationMark = "… [truncated]"

	prefixStart = "Action during update to "
	prefixEnd   = ": "
)

// Truncate returns a message that the CRD accepts: valid UTF-8, and at most MaxMessage
// characters. A longer one keeps its beginning and its end, where the cause is, with
// TruncationMark in between.
func Truncate(message string) string {
	return TruncateTo(message, MaxMessage)
}

// TruncateTo is Truncate with another limit, which must exceed the length of TruncationMark.
func TruncateTo(message string, limit int) string {
	message = strings.ToValidUTF8(message, string(utf8.RuneError))
	if len(message) <= limit || utf8.RuneCountInString(message) <= limit {
		return message
	}
	characters := []rune(message)
	room := max(0, limit-utf8.RuneCountInString(TruncationMark))
	end := room / 2
	return string(characters[:room-end]) + TruncationMark + string(characters[len(characters)-end:])
}

// WithUpdatePrefix returns the message with the prefix "Action during update to <update>: ". A
// message that already has such a prefix is unchanged.
func WithUpdatePrefix(message, update string) string {
	if HasUpdatePrefix(message) {
		return Truncate(message)
	}
	return Truncate(prefixStart + update + prefixEnd + message)
}

// HasUpdatePrefix reports whether a message starts with the update in which its action happened.
func HasUpdatePrefix(message string) bool { return strings.HasPrefix(message, prefixStart) }
