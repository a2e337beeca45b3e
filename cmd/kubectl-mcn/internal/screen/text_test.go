package screen

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A long message is cut in the middle, because the cause is at its end.
func TestALongMessageKeepsItsEnd(t *testing.T) {
	short := strings.Repeat("x", 40) + strings.Repeat("y", 160)
	assert.Equal(t, short, cutMiddle(short, 0))
	assert.Equal(t, strings.Repeat("é", 200), cutMiddle(strings.Repeat("é", 200), 0), "columns count, not bytes")
	assert.Equal(t, strings.Repeat("x", 35)+" ... "+strings.Repeat("y", 160), cutMiddle("x"+short, 0))
}
