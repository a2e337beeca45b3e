package upgrademonitor_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/openshift/upgrademonitor/"

// TestArrowsPointOneWay checks which packages of this module each of them depends on, and that
// no unexpected module becomes a dependency of a daemon.
func TestArrowsPointOneWay(t *testing.T) {
	const internal = "upgrademonitor/internal/"
	shared := []string{internal + "apierr", internal + "failurelog", internal + "handlers", internal + "nodeannotation", internal + "nodeowner", "internal/validate"}
	pure := append([]string{"conditions", "phases", internal + "nodeannotation", internal + "nodeowner", "internal/validate"}, internal+"plan")
	core := append([]string{"scope", "internal/inspect", internal + "bounded", internal + "pending", internal + "writer"}, append(pure, shared...)...)
	for name, own := range map[string][]string{
		"phases":                    {},
		"conditions":                {"phases"},
		"scope":                     {"internal/validate", "phases"},
		internal + "nodeannotation": {},
		internal + "plan":           pure,
		internal + "pending":        pure,
		internal + "writer":         append([]string{"scope", internal + "apierr", internal + "bounded"}, pure...),
		"upgrademonitor":            core,
		"upgrademonitor/pool":       append([]string{"conditions", "phases", internal + "controller"}, shared...),
		"upgrademonitor/components": append([]string{"conditions", "phases", internal + "bounded"}, shared...),
		"upgrademonitor/progress":   {"conditions", "phases"},
		"upgrademonitor/rollout":    append([]string{"upgrademonitor", "upgrademonitor/pool", internal + "controller"}, core...),
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

// TestPurePackages checks what the packages without I/O, log, lock, context and clock import.
// The arrows between them are those of TestArrowsPointOneWay.
func TestPurePackages(t *testing.T) {
	pure := []string{
		"cmp", "encoding/json", "errors", "fmt", "maps", "math", "reflect", "regexp", "slices", "sort", "strings", "unicode", "unicode/utf8",
		"github.com/openshift/api/machineconfiguration/v1",
		"k8s.io/api/core/v1",
		"k8s.io/apimachinery/pkg/apis/meta/v1",
		"k8s.io/apimachinery/pkg/util/intstr",
		"k8s.io/apimachinery/pkg/util/validation",
		"k8s.io/apimachinery/pkg/util/validation/field",
	}
	for name, more := range map[string][]string{
		"phases":                            nil,
		"conditions":                        {"time", "k8s.io/client-go/applyconfigurations/meta/v1"},
		"upgrademonitor/internal/nodeowner": nil,
		"internal/validate":                 nil,
		"upgrademonitor/internal/plan":      nil,
		"upgrademonitor/internal/pending":   nil,
		"upgrademonitor/progress":           {"time", "k8s.io/apimachinery/pkg/types"},
	} {
		t.Run(name, func(t *testing.T) {
			allowed := append(more, pure...)
			for _, path := range goList(t, "-f", `{{join .Imports "\n"}}`, module+name) {
				if !strings.HasPrefix(path, module) {
					assert.Contains(t, allowed, path)
				}
			}
			for _, dep := range deps(t, module+name) {
				assert.NotContains(t, dep, "openshift/client-go", "of the packages that it imports")
			}
		})
	}
}

// TestAnnotationsHaveOneName checks that one package names the annotations of a Node.
func TestAnnotationsHaveOneName(t *testing.T) {
	var files []string
	require.NoError(t, filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), `"machineconfiguration.openshift.io/`) {
			files = append(files, filepath.ToSlash(path))
		}
		return err
	}))
	assert.Equal(t, []string{"internal/nodeannotation/nodeannotation.go"}, files)
}

func deps(t *testing.T, pkg string) []string {
	t.Helper()
	return goList(t, "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", pkg)
}

func goList(t *testing.T, args ...string) []string {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list"}, args...)...).Output()
	require.NoError(t, err)
	list := strings.Fields(string(out))
	require.NotEmpty(t, list)
	return list
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
