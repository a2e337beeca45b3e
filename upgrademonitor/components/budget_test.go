package components

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestLimitHealthyMessages combines the messages of two components that were degraded, and of one that is available.
func TestLimitHealthyMessages(t *testing.T) {
	list := func(a, b, c string) []metav1.Condition {
		return []metav1.Condition{
			{Type: TypeOf(Operator, Degraded), Status: metav1.ConditionFalse, Message: oneLine(a, maxLastError)},
			{Type: TypeOf(Operator, Progressing), Status: metav1.ConditionTrue, Message: strings.Repeat("p", 1000)},
			{Type: TypeOf(Daemon, Available), Status: metav1.ConditionTrue, Message: oneLine(c, maxMessage)},
			{Type: TypeOf(Daemon, Degraded), Status: metav1.ConditionFalse, Message: oneLine(b, maxLastError)},
		}
	}
	for _, a := range hostile {
		for _, b := range hostile {
			for _, c := range hostile {
				got := list(a, b, c)
				limitHealthyMessages(got)
				size := 0
				for _, i := range []int{0, 2, 3} {
					size += sizeOf(t, got[i].Message)
				}
				assert.LessOrEqual(t, size, 256)
				assert.Len(t, got[1].Message, 1000, "it is not healthy")
				again := append([]metav1.Condition(nil), got...)
				limitHealthyMessages(again)
				assert.Equal(t, got, again, "again")
			}
		}
	}
	long := strings.Repeat("x", 1000)
	for name, tc := range map[string]struct {
		a, b, c string
		want    [3]int // the lengths of their messages
	}{
		"one":               {long, "", "", [3]int{256, 0, 0}},
		"both":              {long, long, long, [3]int{128, 128, 0}},
		"a short and one":   {"short", long, "", [3]int{5, 251, 0}},
		"no last error":     {"", "", long, [3]int{0, 0, 256}},
		"what they leave":   {strings.Repeat("x", 100), strings.Repeat("x", 100), long, [3]int{100, 100, 56}},
		"less than a mark":  {strings.Repeat("x", 125), strings.Repeat("x", 125), long, [3]int{125, 125, 0}},
		"nothing truncated": {"a", "b", "c", [3]int{1, 1, 1}},
	} {
		got := list(tc.a, tc.b, tc.c)
		limitHealthyMessages(got)
		assert.Equal(t, tc.want, [3]int{len(got[0].Message), len(got[3].Message), len(got[2].Message)}, name)
	}
}
