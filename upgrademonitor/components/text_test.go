package components

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/conditions"
)

func TestOneLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "",
		"timed out":                 "timed out",
		" a\n\tb\r\n c ":            "a b c",
		"\x1b[31mred\x1b[0m":        "[31mred [0m",
		"a\xffb":                    "a\uFFFDb",
		"a\xff\xfe \xffb\uFFFD\xff": "a\uFFFD \uFFFDb\uFFFD\uFFFD",
		"left \u202eright":          "left right",
		"\x00\u2028\u2029":          "",
		"Fehler: Gerät \"belegt\"":  "Fehler: Gerät \"belegt\"",
	} {
		assert.Equal(t, want, oneLine(text, maxMessage), "%q", text)
	}
	for _, long := range []string{strings.Repeat("a", 1<<20), strings.Repeat("<", 2000), strings.Repeat("世界", 2000), strings.Repeat("a\n", 2000)} {
		short := oneLine(long, maxMessage)
		assert.True(t, strings.HasSuffix(short, conditions.TruncationMark))
		assert.LessOrEqual(t, sizeOf(t, short), maxMessage)
		assert.GreaterOrEqual(t, sizeOf(t, short), maxMessage-8)
	}
}

func TestOneLineOfAHugeText(t *testing.T) {
	for _, huge := range []string{strings.Repeat("\xff", 1<<20), strings.Repeat("\n", 1<<20), strings.Repeat("\n", 8<<10-2) + strings.Repeat("a", 1<<20)} {
		short := oneLine(huge, maxMessage)
		assert.True(t, strings.HasSuffix(short, conditions.TruncationMark))
		assert.LessOrEqual(t, sizeOf(t, short), maxMessage)
	}
}

func FuzzOneLine(f *testing.F) {
	f.Add("", 100)
	f.Add("a\nb\xff<>&\"\\", 20)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		limit = len(conditions.TruncationMark) + max(limit%2000, 0)
		line := oneLine(text, limit)
		assert.True(t, utf8.ValidString(line))
		assert.False(t, strings.ContainsFunc(line, func(r rune) bool { return r != ' ' && isBlank(r) }))
		assert.LessOrEqual(t, sizeOf(t, line), limit)
		assert.Equal(t, line, oneLine(line, limit), "again")
	})
}

// sizeOf returns the size of a text as JSON, without the quotes.
func sizeOf(t *testing.T, text string) int {
	t.Helper()
	data, err := json.Marshal(text)
	require.NoError(t, err)
	return len(data) - 2
}

func TestShortKey(t *testing.T) {
	assert.Equal(t, "worker", shortKey("worker"))
	long := strings.Repeat("worker", 1<<10)
	assert.Less(t, len(shortKey(long)), 2*maxKey)
	assert.NotEqual(t, shortKey(long+"a"), shortKey(long+"b"))
	assert.NotEqual(t, shortKey("a\nb"), shortKey("a\n\nb"))
}

func TestOneLineReadsNoMoreThanTheLine(t *testing.T) {
	usual := strings.Repeat("some words ", 200)
	huge := strings.Repeat(usual, 1000)
	assert.Equal(t, oneLine(usual, maxMessage), oneLine(huge, maxMessage))
	assert.LessOrEqual(t, testing.AllocsPerRun(10, func() { oneLine(huge, maxMessage) }), 2.0, "the line, and the mark")
	assert.Zero(t, testing.AllocsPerRun(10, func() { oneLine("", maxMessage) }))
}
