package screen_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/examples/internal/screen"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

var write = flag.Bool("update", false, "write the golden files")

// golden compares text with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *write {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}

func TestSnapshot(t *testing.T) {
	for name, pools := range map[string][]progress.Pool{
		"update": update(), "stuck": stuck(), "degraded": degraded(), "large": large(),
	} {
		for _, width := range []int{40, 80, 140} {
			t.Run(fmt.Sprintf("%s-%d", name, width), func(t *testing.T) {
				got := screen.Text(screen.Snapshot(pools, screen.Options{Now: now, Width: width}))
				golden(t, fmt.Sprintf("%s-%d.txt", name, width), got)
				for _, line := range strings.Split(got, "\n") {
					assert.LessOrEqual(t, len(line), width, line)
				}
			})
		}
	}
}
