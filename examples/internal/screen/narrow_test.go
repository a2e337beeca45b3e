package screen_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/openshift/upgrademonitor/examples/internal/screen"
)

// TestNarrowPools has pools with long names: these give way to the figures.
func TestNarrowPools(t *testing.T) {
	pools := stuck()
	pools[1].Name = "worker-with-a-long-name"
	for width, want := range map[int][]string{
		40: {"POOL                DONE  STUCK     LEFT", "master               3/3      0     done", "worke..-name         3/6      1     ~12m"},
		35: {"POOL           DONE  STUCK     LEFT", "master          3/3      0     done", "wo..ame         3/6      1     ~12m"},
		20: {"POOL            DONE", "master           3/3", "worker..ng-name  3/6"},
		9:  {"POOL DONE", "mast  3/3", "work  3/6"},
	} {
		table := strings.Split(screen.Text(screen.Snapshot(pools, screen.Options{Now: now, Width: width})), "\n\n")[1]
		assert.Equal(t, strings.Join(want, "\n"), table, "%d columns", width)
	}
}
