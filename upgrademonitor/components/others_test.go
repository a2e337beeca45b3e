package components

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestOthers(t *testing.T) {
	for name, text := range hostile {
		for _, n := range []int{0, 1, 2, 64, maxFailed} {
			message := withOthers(text, n)
			assert.LessOrEqual(t, sizeOf(t, message), maxMessage, name)
			line, others := cutOthers(message)
			assert.Equal(t, n, others, name)
			assert.Equal(t, message, withOthers(line, others), name)
		}
	}
	for _, message := range []string{"", "x", "x; and 0 more errors", "x; and -1 more errors", "x; and 1025 more errors", "x; and many more errors", "x; and 2 more", "; and " + strings.Repeat("9", 100) + " more errors"} {
		line, others := cutOthers(message)
		assert.Equal(t, message, line)
		assert.Zero(t, others)
	}
}
