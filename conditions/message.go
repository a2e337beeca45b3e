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
	message = strings.ToValidUTF8(message, string(utf8.RuneError))
	if len(message) <= MaxMessage || utf8.RuneCountInString(message) <= MaxMessage {
		return message
	}
	room := MaxMessage - utf8.RuneCountInString(CutMark)
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
	if strings.HasPrefix(message, prefixStart) {
		return Cut(message)
	}
	return Cut(prefixStart + update + prefixEnd + message)
}
