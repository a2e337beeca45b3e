package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRun(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(t.Context(), "", &out))
	for line := range strings.Lines(out.String()) {
		assert.LessOrEqual(t, len(line), len("\n")+100, line)
	}
	assert.Contains(t, out.String(), " NodeDegraded             True    Node worker-0 upgrade failure. pod web-0 cannot be evicted\n")
	assert.Contains(t, out.String(), " Drained                  True    No pods to evict\n")
}
