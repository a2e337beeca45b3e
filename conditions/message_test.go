package conditions_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/openshift/upgrademonitor/conditions"
)

const limit = 4096

func TestTruncateCutsBetweenCharactersAndMarksIt(t *testing.T) {
	marked := func(char string) string {
		room := limit - len(conditions.TruncationMark)
		return strings.Repeat(char, room-room/2) + conditions.TruncationMark + strings.Repeat(char, room/2)
	}
	for name, tc := range map[string]struct{ message, want string }{
		"empty":                 {"", ""},
		"short":                 {"drained", "drained"},
		"one below the limit":   {strings.Repeat("a", limit-1), strings.Repeat("a", limit-1)},
		"at the limit":          {strings.Repeat("a", limit), strings.Repeat("a", limit)},
		"one over":              {strings.Repeat("a", limit+1), marked("a")},
		"far over":              {strings.Repeat("a", 3*limit), marked("a")},
		"already truncated":     {marked("a"), marked("a")},
		"two bytes, at limit":   {strings.Repeat("é", limit/2), strings.Repeat("é", limit/2)},
		"two bytes, over":       {strings.Repeat("é", limit/2+1), strings.Repeat("é", 1020) + conditions.TruncationMark + strings.Repeat("é", 1020)},
		"two bytes, and one":    {strings.Repeat("é", limit/2) + "a", strings.Repeat("é", 1020) + conditions.TruncationMark + strings.Repeat("é", 1019) + "a"},
		"invalid UTF-8":         {"a\xffb", "a\uFFFDb"},
		"half a character":      {"é"[:1], "\uFFFD"},
		"invalid, at the limit": {strings.Repeat("a", limit-3) + "\xff", strings.Repeat("a", limit-3) + "\uFFFD"},
		"the cause at the end":  {strings.Repeat("a", limit) + ": disk full", strings.TrimSuffix(marked("a"), strings.Repeat("a", 11)) + ": disk full"},
	} {
		t.Run(name, func(t *testing.T) {
			got := conditions.TruncateTo(tc.message, 4096)

			assert.Equal(t, tc.want, got)
			assert.Equal(t, got, conditions.TruncateTo(got, 4096), "truncated again")
		})
	}
}

func TestEndAddsOnePrefix(t *testing.T) {
	fits := strings.Repeat("a", limit-len(prefix+"b: "))
	for name, tc := range map[string]struct{ message, update, want string }{
		"plain":             {"drained", "b", "Action during update to b: drained"},
		"empty":             {"", "b", "Action during update to b: "},
		"image mode off":    {"drained", "disable image mode", "Action during update to disable image mode: drained"},
		"prefixed":          {"Action during update to a: drained", "b", "Action during update to a: drained"},
		"prefixed the same": {"Action during update to b: drained", "b", "Action during update to b: drained"},
		"at the limit":      {fits, "b", prefix + "b: " + fits},
		"over the limit":    {fits + "a", "b", conditions.TruncateTo(prefix+"b: "+fits+"a", 4096)},
		"prefixed, over":    {prefix + "a: " + fits + "a", "b", conditions.TruncateTo(prefix+"a: "+fits+"a", 4096)},
		"later in the text": {"see Action during update to a", "b", "Action during update to b: see Action during update to a"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.want, prefixed(tc.message, tc.update))
		})
	}
}
