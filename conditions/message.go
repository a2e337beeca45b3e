package conditions

import (
	"strings"
	"unicode/utf8"
)

const (
	// MaxMessage is how many characters a message may have: the limit of the CRD.
	MaxMessage = 32768

	// CutMark ends a message that was longer.
	CutMark = "… [cut]"

	prefixStart = "Action during update to "
	prefixEnd   = ": "
)

// Cut returns the message as it can be written: valid UTF-8, and no longer than
// MaxMessage characters, ending in CutMark where it was.
func Cut(message string) string {
	return CutTo(message, MaxMessage)
}

// CutTo is Cut with another limit, of more characters than CutMark has.
func CutTo(message string, limit int) string {
	message = strings.ToValidUTF8(message, string(utf8.RuneError))
	if len(message) <= limit || utf8.RuneCountInString(message) <= limit {
		return message
	}
	room := limit - utf8.RuneCountInString(CutMark)
	for at := range message {
		if room == 0 {
			return message[:at] + CutMark
		}
		room--
	}
	return message
}

// Prefixed returns a message that says in which update its action happened: it starts
// with "Action during update to <update>: ". A message that says so already keeps the
// update that it names.
func Prefixed(message, update string) string {
	if isPrefixed(message) {
		return Cut(message)
	}
	return Cut(prefixStart + update + prefixEnd + message)
}

func isPrefixed(message string) bool { return strings.HasPrefix(message, prefixStart) }
