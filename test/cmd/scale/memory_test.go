package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParsePeak(t *testing.T) {
	peak, err := parsePeak("VmHWM:\t   36120 kB")
	require.NoError(t, err)
	assert.Equal(t, int64(36120*1024), peak)
	for _, line := range []string{"", "VmRSS:\t 1 kB", "VmHWM: x kB", "VmHWM: 1 MB"} {
		_, err := parsePeak(line)
		assert.Error(t, err, line)
	}
}
