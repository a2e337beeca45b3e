package screen

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// If no set is named, the sets that the daemon pulls are not known.
func TestTheEntryOfPinnedImageSetsNamesThem(t *testing.T) {
	for want, p := range map[string]Problem{
		"the daemon checks the pinned image sets since 14:00:00": {What: " since 14:00:00", Sets: []string{""}, Tone: Warn},
		"a pinned image set has failed":                          {Sets: []string{""}, Tone: Alarm},
		"pinned image set a is being pulled":                     {Sets: []string{"a"}, Tone: Warn},
		"pinned image sets a, b have failed":                     {Sets: []string{"a", "b"}, Tone: Alarm},
	} {
		assert.Equal(t, want, ofSets(p))
	}
}
