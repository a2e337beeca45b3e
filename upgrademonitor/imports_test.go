package upgrademonitor_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLightDependencies: a daemon that imports the library inherits client-go and what that needs. The
// arrows between the packages are checked by the linter.
func TestLightDependencies(t *testing.T) {
	const module = "github.com/openshift/upgrademonitor/"
	out, err := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", module+"upgrademonitor/...", module+"scope/...").Output()
	require.NoError(t, err)
	for _, dep := range strings.Fields(string(out)) {
		assert.True(t, strings.HasPrefix(dep, module) || expected(dep), "%s comes along", dep)
	}
}

// TestADaemonVendorsFewPackages: at most 10 of this module, and not the policies.
func TestADaemonVendorsFewPackages(t *testing.T) {
	const module = "github.com/openshift/upgrademonitor/"
	out, err := exec.Command("go", "list", "-deps", module+"upgrademonitor").Output()
	require.NoError(t, err)
	own := slices.DeleteFunc(strings.Fields(string(out)), func(dep string) bool { return !strings.HasPrefix(dep, module) })
	assert.LessOrEqual(t, len(own), 10, "%v", own)
	assert.NotContains(t, own, module+"scope/guard")
}

// expected reports whether a package is of the modules that the library depends on, or of those
// that client-go itself depends on.
func expected(pkg string) bool {
	for _, module := range []string{
		"github.com/openshift/api/", "github.com/openshift/client-go/machineconfiguration/", "github.com/openshift/client-go/operator/",
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
