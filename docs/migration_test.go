package docs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCallsAreReplaced: migration/calls.go replaces each shape of a call, and removes only a log line behind it.
func TestCallsAreReplaced(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "calls.go")
	require.NoError(t, os.WriteFile(file, []byte(read(t, "docs/testdata/calls/before.go.txt")), 0o600))
	out, err := exec.CommandContext(t.Context(), "go", "run", "migration/calls.go", "dn.monitor", file).CombinedOutput()
	require.NoError(t, err, string(out))
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, read(t, "docs/testdata/calls/after.go.txt"), string(got))
}
