package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRun(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(t.Context(), &out))
	before, after, _ := strings.Cut(out.String(), "\n\n")
	assert.Equal(t, `
current image: registry.example.com/os@sha256:aaaaaaaaaaaaaaaaa…
UpdatePrepared          True    Update Compatible
UpdateExecuted          True    Applied the image
Drained                 False   Drain not required
AppliedFiles            False   No files change
AppliedOSImage          True    Applied the image
ImagePulledFromRegistry True    Pulling the image
RebootedNode            Unknown Upgrade requires a reboot
Updated                 False   Node worker-0 needs an update`, before)
	assert.Equal(t, `current image: registry.example.com/os@sha256:bbbbbbbbbbbbbbbbb…
Updated                 True    Node worker-0 Updated
`, after)
}
