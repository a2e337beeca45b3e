package phases_test

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

// An importer of the names of the phases gets no client, no clock and no I/O with them.
func TestPackageImportsNothingImpure(t *testing.T) {
	allowed := map[string]bool{
		"fmt":    true,
		"slices": true,
		"github.com/openshift/api/machineconfiguration/v1": true,
		"k8s.io/apimachinery/pkg/apis/meta/v1":             true,
		"k8s.io/apimachinery/pkg/util/validation/field":    true,
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
