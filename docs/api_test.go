package docs_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/doc"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/openshift/upgrademonitor"

var update = flag.Bool("update", false, "write docs/api")

// TestAPIFilesAreUpToDate compares docs/api with the exported declarations of each public package, so
// that a diff shows each change of the public API.
func TestAPIFilesAreUpToDate(t *testing.T) {
	var want []string
	for _, dir := range publicPackages(t) {
		file := path.Join("api", path.Base(dir)+".txt")
		want = append(want, file)
		api := exported(t, dir)
		if *update {
			require.NoError(t, os.WriteFile(file, []byte(api), 0o644))
		}
		if current, _ := os.ReadFile(file); api != string(current) {
			t.Errorf("docs/%s is out of date: run make api, and review its diff", file)
		}
	}
	files, err := filepath.Glob("api/*")
	require.NoError(t, err)
	assert.ElementsMatch(t, want, files, "docs/api has one file for each public package")
}

// publicPackages returns the directories of the packages that another module can import,
// without the examples.
func publicPackages(t *testing.T) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-e", "../...").Output()
	require.NoError(t, err)
	private := regexp.MustCompile(`^/(docs|examples|cmd|test)\b|/internal\b`)
	var dirs []string
	for _, name := range strings.Fields(string(out)) {
		if dir := strings.TrimPrefix(name, module); !private.MatchString(dir) {
			dirs = append(dirs, strings.TrimPrefix(dir, "/"))
		}
	}
	return dirs
}

// exported returns the exported declarations of a package, without comments.
func exported(t *testing.T, dir string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("..", dir, "*.go"))
	require.NoError(t, err)
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if !strings.HasSuffix(name, "_test.go") {
			file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			files = append(files, file)
		}
	}
	d, err := doc.NewFromFiles(fset, files, path.Join(module, dir))
	require.NoError(t, err)

	var decls []ast.Decl
	add := func(values []*doc.Value, funcs []*doc.Func) {
		for _, v := range values {
			decls = append(decls, v.Decl)
		}
		for _, f := range funcs {
			decls = append(decls, f.Decl)
		}
	}
	add(slices.Concat(d.Consts, d.Vars), d.Funcs)
	for _, typ := range d.Types {
		decls = append(decls, typ.Decl)
		add(slices.Concat(typ.Consts, typ.Vars), slices.Concat(typ.Funcs, typ.Methods))
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "package %s // import %q\n", d.Name, d.ImportPath)
	for _, decl := range decls {
		out.WriteString("\n")
		require.NoError(t, format.Node(&out, fset, decl))
		out.WriteString("\n")
	}
	aligned, err := format.Source(bytes.ReplaceAll(out.Bytes(), []byte("\n\n\t"), []byte("\n\t")))
	require.NoError(t, err)
	return string(aligned)
}
