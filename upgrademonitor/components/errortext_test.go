package components

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestAnErrorIsKeptInPart that is as much as is ever published of it.
func TestAnErrorIsKeptInPart(t *testing.T) {
	assert.Empty(t, errorText(nil))
	for name, text := range hostile {
		kept := errorText(errors.New(text))
		assert.LessOrEqual(t, len(kept), maxRaw, name)
		assert.Equal(t, oneLine(text, maxMessage), oneLine(kept, maxMessage), name)
	}
}
