package components

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/openshift/upgrademonitor/conditions"
)

// Limits of texts. A message is measured as it is sent: in bytes of JSON.
const (
	maxMessage  = 1 << 10 // bytes of JSON
	maxResolved = 256     // characters of a message about an error that is over
	maxKey      = 64      // characters
)

// oneLine returns a text for a message: on one line, without unprintable characters, and at most limit
// bytes as JSON. It is truncated at a character boundary, with a mark.
func oneLine(text string, limit int) string {
	huge := len(text) > 8*limit
	if huge {
		text = text[:8*limit]
	}
	text = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, string(utf8.RuneError)), isBlank), " ")
	size, room := 0, 0
	for at, r := range text {
		if size += jsonSize(r); size > limit {
			return text[:room] + conditions.TruncationMark
		}
		if size <= limit-len(conditions.TruncationMark) {
			room = at + utf8.RuneLen(r)
		}
	}
	if huge {
		return text[:room] + conditions.TruncationMark
	}
	return text
}

// isBlank reports whether a character is omitted from a line: spaces, control characters, and those
// that change the direction of the text.
func isBlank(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }

// jsonSize is how many bytes a printable character has in a JSON string, as encoding/json writes it.
func jsonSize(r rune) int {
	switch r {
	case '"', '\\':
		return 2
	case '<', '>', '&':
		return 6
	default:
		return utf8.RuneLen(r)
	}
}
