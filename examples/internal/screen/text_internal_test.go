package screen

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"":                                "",
		"plain ~text~":                    "plain ~text~",
		"two\r\n\tlines\n":                "two lines",
		"\x1b[2J\x07\x7f":                 `\x1b[2J\x07\x7f`,
		"\u009b2J":                        `\u009b2J`,
		"\xff\xfe":                        `\xff\xfe`,
		"\uFFFD":                          `\ufffd`,
		"caf\u00e9 \u202e \u4e16":         `caf\u00e9 \u202e \u4e16`,
		"\U0001f600":                      `\U0001f600`,
		"\u201cso\u201d \u2026 it\u2019s": `"so" ... it's`,
		"  led by spaces":                 "led by spaces",
	} {
		assert.Equal(t, strings.ReplaceAll(want, `\u009b`, `\u009b`), clean(in), "%q", in)
	}
}

func TestCut(t *testing.T) {
	assert.Equal(t, "abcdef", Cut("abcdef", 0))
	assert.Equal(t, "abcdef", Cut("abcdef", 6))
	assert.Equal(t, "ab...", Cut("abcdef", 5))
	assert.Equal(t, "abc", Cut("abcdef", 3))
	assert.Equal(t, "a...", Cut("a bcdef", 5), "no space before the mark")
}

func TestShort(t *testing.T) {
	assert.Equal(t, "worker-0", short("worker-0", 8))
	assert.Equal(t, "ip-10-0-129-60", short("ip-10-0-129-60.us-east-2.compute.internal", 20))
	assert.Equal(t, "ci-ln-8k..us1-abcde", short("ci-ln-8kd2f-worker-centralus1-abcde", 19))
	assert.Equal(t, "work", short("worker-0", 4))
}

func TestWrap(t *testing.T) {
	assert.Equal(t, []string{"a bc", "  de", "  f"}, wrap("a bc de f", 4, 2, 0))
	assert.Equal(t, []string{"abcd", "efgh", "i"}, wrap("abcdefghi", 4, 0, 0), "a word that is too long")
	assert.Equal(t, []string{"a b", "c..."}, wrap("a b cdefg hij", 4, 0, 2))
	assert.Equal(t, []string{"a b c"}, wrap("a b c", 0, 2, 1))
	assert.Equal(t, []string{""}, wrap("", 5, 0, 0))
	for width := 1; width < 30; width++ {
		for indent := 0; indent < 10; indent++ {
			for _, line := range wrap("some words  and averyveryverylongone, of  all sorts", width, indent, 0) {
				assert.LessOrEqual(t, len(line), width)
			}
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000", -100: "-100"} {
		assert.Equal(t, want, count(n))
	}
}

func TestClockTime(t *testing.T) {
	now := time.Date(2026, 3, 4, 14, 16, 5, 0, time.UTC)
	assert.Equal(t, "13:00:00", clockTime(now.Truncate(time.Hour).Add(-time.Hour), now))
	assert.Equal(t, "Mar 3 14:16:05", clockTime(now.Add(-24*time.Hour), now))
	assert.Equal(t, "Mar 4 14:16:05", clockTime(now.AddDate(-1, 0, 0), now))
}

func TestTarget(t *testing.T) {
	assert.Equal(t, "7de7db73", Target("worker", "rendered-worker-7de7db7349148346f2cfd55ca51582cc"))
	assert.Equal(t, "2", Target("worker", "rendered-worker-2"))
	assert.Equal(t, "my-confi", Target("worker", "my-config"))
	assert.Empty(t, Target("worker", ""))
}
