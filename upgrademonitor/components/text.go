package components

import (
	"encoding/json"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
)

// Limits of texts, in bytes of JSON: every write is sent to every node.
const (
	maxMessage     = 512
	maxLastError   = 256
	maxNodeMessage = 80
)

// shorten returns at most a few kB of a text, in constant time: its beginning and its end.
func shorten(text string) string {
	const half = 2 * maxMessage
	if len(text) <= 2*half {
		return text
	}
	return text[:half] + conditions.TruncationMark + text[len(text)-half:]
}

// oneLine returns a text as a message: on one line, in valid UTF-8, without unprintable characters, and
// with at most limit bytes of JSON. A longer one keeps its beginning and its end.
func oneLine(text string, limit int) string {
	text = strings.ToValidUTF8(shorten(text), string(utf8.RuneError))
	text = strings.Join(strings.FieldsFunc(text, isBlank), " ")
	line := text
	for characters := limit; jsonLen(line) > limit; {
		line = conditions.TruncateTo(text, characters)
		characters -= max((jsonLen(line)-limit)/6, 1) // a character has at most 6 bytes
	}
	return line
}

func isBlank(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }

// jsonLen returns the size of a line in JSON, without its quotes.
func jsonLen(line string) int {
	data, _ := json.Marshal(line) // of a string it never fails
	return len(data) - len(`""`)
}

// seconds returns a time with the precision of the API.
func seconds(t time.Time) metav1.Time { return metav1.NewTime(t.UTC().Truncate(time.Second)) }
