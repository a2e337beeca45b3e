package command

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// TestReportsAreComplete: each case of reports.yaml has a dump that the command reads, and answers.
func TestReportsAreComplete(t *testing.T) {
	t.Parallel()
	type answers struct{ Says, Never []string }
	var reports []struct {
		File, Situation string
		At              time.Time
		Exit, Wait      int
		answers         `json:",inline"`
		Nodes           map[string]answers
	}
	text, err := os.ReadFile(filepath.Join(real, "reports.yaml"))
	require.NoError(t, err)
	require.NoError(t, yaml.UnmarshalStrict(text, &reports))
	require.Greater(t, len(reports), 25)
	for _, r := range reports {
		assert.NotEmpty(t, r.Situation, r.File)
		assert.NotEmpty(t, r.Says, r.File)
		got := execute(t, "", "-f", filepath.Join(real, r.File), "--at", r.At.Format(time.RFC3339))
		assert.NotContains(t, got.stderr, "cannot be read", r.File)
		assert.NotContains(t, got.stderr, "damaged", r.File)
		assert.NotContains(t, got.stderr, "no such file", r.File)
	}
}
