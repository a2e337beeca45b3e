package truncate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/openshift/upgrademonitor/internal/truncate"
)

const (
	limit = 4096
	mark  = "… [truncated]"
)

func TestTruncateCutsBetweenCharactersAndMarksIt(t *testing.T) {
	marked := func(char string) string {
		room := limit - len(mark)
		return strings.Repeat(char, room-room/2) + mark + strings.Repeat(char, room/2)
	}
	for name, tc := range map[string]struct{ message, want string }{
		"empty":                                   {"", ""},
		"short":                                   {"drained", "drained"},
		"one byte below the limit":                {strings.Repeat("a", limit-1), strings.Repeat("a", limit-1)},
		"at the limit":                            {strings.Repeat("a", limit), strings.Repeat("a", limit)},
		"one byte over the limit":                 {strings.Repeat("a", limit+1), marked("a")},
		"far over the limit":                      {strings.Repeat("a", 3*limit), marked("a")},
		"already truncated":                       {marked("a"), marked("a")},
		"characters of two bytes, at the limit":   {strings.Repeat("é", limit/2), strings.Repeat("é", limit/2)},
		"characters of two bytes, over the limit": {strings.Repeat("é", limit/2+1), strings.Repeat("é", 1020) + mark + strings.Repeat("é", 1020)},
		"a character of two bytes at the cut":     {strings.Repeat("é", limit/2) + "a", strings.Repeat("é", 1020) + mark + strings.Repeat("é", 1019) + "a"},
		"invalid UTF-8":                           {"a\xffb", "a\uFFFDb"},
		"half a character":                        {"é"[:1], "\uFFFD"},
		"invalid UTF-8 that is too long after its replacement": {strings.Repeat("a", limit-3) + "\xff", strings.Repeat("a", limit-3) + "\uFFFD"},
		"the end of a long message is kept":                    {strings.Repeat("a", limit) + ": disk full", strings.TrimSuffix(marked("a"), strings.Repeat("a", 11)) + ": disk full"},
	} {
		t.Run(name, func(t *testing.T) {
			got := truncate.To(tc.message, 4096)

			assert.Equal(t, tc.want, got)
			assert.Equal(t, got, truncate.To(got, 4096), "a truncated message is not truncated again")
		})
	}
}
