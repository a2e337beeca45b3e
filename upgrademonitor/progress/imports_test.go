package progress_test

import (
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The package is pure: it depends on no client, no I/O and no log.
func TestImports(t *testing.T) {
	allowed := map[string]bool{
		"cmp":           true,
		"encoding/json": true,
		"maps":          true,
		"math":          true,
		"slices":        true,
		"strings":       true,
		"time":          true,
		"github.com/openshift/api/machineconfiguration/v1": true,
		"github.com/openshift/upgrademonitor/conditions":   true,
		"github.com/openshift/upgrademonitor/phases":       true,
		"k8s.io/apimachinery/pkg/apis/meta/v1":             true,
		"k8s.io/apimachinery/pkg/util/intstr":              true,
	}
	entries, err := os.ReadDir(".")
	require.NoError(t, err)

	read := 0
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), e.Name(), nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, spec := range file.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			require.NoError(t, err)
			assert.True(t, allowed[path], "%s imports %s", e.Name(), path)
		}
		read++
	}
	assert.NotZero(t, read, "no source files were read")
}
