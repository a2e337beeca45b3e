package progress

import (
	"slices"
	"strings"
	"unicode"
)

// failureWords are the words of errors.
var failureWords = []string{
	"cannot", "could not", "denied", "error", "errors", "fail", "failed", "failing", "fails", "failure", "failures",
	"refused", "timed out", "timeout", "unable", "violate", "violated", "violates", "violation",
}

// isFailure reports whether a message about a node contains an error: by its words, or because it is
// the previous message with an error appended, as Track does. Names are not words: neither the
// node's, nor others with hyphens or dots.
func isFailure(node, before, message string) bool {
	if before != "" && strings.HasPrefix(message, before+": ") {
		return true
	}
	previous := ""
	for word := range strings.FieldsFuncSeq(strings.ToLower(message), isBetweenWords) {
		word = strings.Trim(word, "-.")
		if word == strings.ToLower(node) {
			word = ""
		}
		if slices.Contains(failureWords, word) || slices.Contains(failureWords, previous+" "+word) {
			return true
		}
		previous = word
	}
	return false
}

func isBetweenWords(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-._", r)
}
