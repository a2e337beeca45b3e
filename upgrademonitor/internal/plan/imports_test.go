package plan_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	module   = "github.com/openshift/upgrademonitor/"
	internal = "upgrademonitor/internal/"
)

func listed(t *testing.T, args ...string) []string {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list"}, args...)...).Output()
	require.NoError(t, err)
	return strings.Fields(string(out))
}

// Planning and the queue are data and functions: whoever reads them finds no client, clock, log,
// lock or context.
func TestImportsArePure(t *testing.T) {
	pure := []string{
		"cmp", "errors", "fmt", "maps", "reflect", "slices", "sort", "strings", "unicode/utf8", "encoding/json",
		"github.com/openshift/api/machineconfiguration/v1", "k8s.io/apimachinery/pkg/apis/meta/v1",
	}
	for name, own := range map[string][]string{
		"plan":    {"conditions", "phases", internal + "nodeowner", internal + "validate"},
		"pending": {"conditions", "phases", internal + "nodeowner", internal + "plan", internal + "validate"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, pkg := range listed(t, "-f", `{{join .Imports "\n"}}`, module+internal+name) {
				if inside, ok := strings.CutPrefix(pkg, module); ok {
					assert.Contains(t, own, inside)
				} else {
					assert.Contains(t, pure, pkg)
				}
			}
			for _, pkg := range listed(t, "-deps", module+internal+name) {
				if inside, ok := strings.CutPrefix(pkg, module); ok && inside != internal+name {
					assert.Contains(t, own, inside, "what it is built from")
				}
				assert.NotContains(t, pkg, "openshift/client-go")
			}
		})
	}
}
