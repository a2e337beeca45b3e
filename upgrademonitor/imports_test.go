package upgrademonitor_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/openshift/upgrademonitor/"

// TestArrowsPointOneWay checks which packages of this module each of them is built from,
// and that none brings modules into a daemon that it does not expect.
func TestArrowsPointOneWay(t *testing.T) {
	for name, own := range map[string][]string{
		"phases":                 {},
		"conditions":             {"phases"},
		"scope":                  {"phases"},
		"upgrademonitor":         {"conditions", "phases", "scope"},
		"upgrademonitor/pool":    {"conditions", "phases"},
		"upgrademonitor/rollout": {"conditions", "phases", "scope", "upgrademonitor", "upgrademonitor/pool"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, dep := range deps(t, module+name) {
				if inside, ok := strings.CutPrefix(dep, module); ok {
					if inside != name {
						assert.Contains(t, own, inside)
					}
					continue
				}
				assert.True(t, expected(dep), "%s comes along", dep)
			}
		})
	}
}

func deps(t *testing.T, pkg string) []string {
	t.Helper()
	out, err := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", pkg).Output()
	require.NoError(t, err)
	return strings.Fields(string(out))
}

// expected reports whether a package is of the modules that the library is built on, or of
// those that client-go itself brings along.
func expected(pkg string) bool {
	for _, module := range []string{
		"github.com/openshift/api/", "github.com/openshift/client-go/machineconfiguration/",
		"k8s.io/api/", "k8s.io/apimachinery/", "k8s.io/client-go/", "k8s.io/klog/v2", "k8s.io/utils/", "sigs.k8s.io/yaml",
		// of client-go
		"github.com/davecgh/go-spew/", "github.com/emicklei/go-restful/", "github.com/fxamacker/cbor/", "github.com/go-logr/logr",
		"github.com/go-openapi/", "github.com/google/gnostic-models/", "github.com/google/uuid", "github.com/json-iterator/go",
		"github.com/modern-go/", "github.com/munnerz/goautoneg", "github.com/pmezard/go-difflib/", "github.com/x448/float16", "go.yaml.in/yaml/",
		"golang.org/x/", "google.golang.org/protobuf/", "gopkg.in/evanphx/json-patch", "gopkg.in/inf.v0",
		"k8s.io/kube-openapi/", "sigs.k8s.io/json", "sigs.k8s.io/randfill", "sigs.k8s.io/structured-merge-diff/",
	} {
		if strings.HasPrefix(pkg, module) {
			return true
		}
	}
	return false
}
