package components

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/openshift/upgrademonitor/conditions"
)

// Limits of texts. A message is measured as it is sent: in bytes of JSON.
const (
	maxMessage   = 1 << 10 // bytes of JSON
	maxLastError = 256     // bytes of JSON of the sentence about the last error
	maxKey       = 64      // bytes of JSON
	maxBlank     = 2       // times the length of a line, that a text may have of what is omitted from it
)

// oneLine returns a text for a message: on one line, without unprintable characters, and at most limit
// bytes as JSON. It is truncated at a character boundary, with a mark: one, also where it was truncated before.
// A long text is read only as far as the line goes.
func oneLine(text string, limit int) string {
	text, truncated := strings.CutSuffix(text, conditions.TruncationMark)
	var line strings.Builder
	line.Grow(min(len(text), limit))
	size, room := 0, 0 // bytes of JSON, and those of the line that leave room for the mark
	blank, invalid := false, false
	for at, r := range text {
		if at >= maxBlank*limit {
			truncated = true
			break
		}
		again := invalid
		if invalid = isInvalid(text[at:], r); invalid && again {
			continue // one mark for all invalid bytes in a row
		}
		if isBlank(r) {
			blank = line.Len() > 0
			continue
		}
		if blank {
			line.WriteByte(' ')
			size++
			blank = false
		}
		if size += jsonSize(r); size > limit {
			truncated = true
			break
		}
		line.WriteRune(r)
		if size <= limit-len(conditions.TruncationMark) {
			room = line.Len()
		}
	}
	if truncated {
		return line.String()[:room] + conditions.TruncationMark
	}
	return line.String()
}

// jsonLen is how many bytes a line has in JSON, without its quotes.
func jsonLen(line string) int {
	size := 0
	for _, r := range line {
		size += jsonSize(r)
	}
	return size
}

// isInvalid reports whether a text begins with a byte that is not UTF-8, which range returns as r.
func isInvalid(text string, r rune) bool {
	if r != utf8.RuneError {
		return false
	}
	_, width := utf8.DecodeRuneInString(text)
	return width == 1
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
