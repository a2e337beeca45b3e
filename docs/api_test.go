package docs_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/build"
	"go/doc"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/openshift/upgrademonitor"

var update = flag.Bool("update", false, "write docs/api")

// TestAPIFilesAreUpToDate compares docs/api, one file for each public package, with the
// exported declarations. A change of the public surface is therefore part of every diff.
func TestAPIFilesAreUpToDate(t *testing.T) {
	want := map[string]bool{}
	for _, dir := range publicPackages(t) {
		file := path.Join("api", path.Base(dir)+".txt")
		require.False(t, want[file], "two packages are named %s", path.Base(dir))
		want[file] = true
		api := exported(t, dir)
		if *update {
			require.NoError(t, os.MkdirAll("api", 0o755))
			require.NoError(t, os.WriteFile(file, []byte(api), 0o644))
		}
		if current, _ := os.ReadFile(file); string(current) != api {
			t.Errorf("docs/%s is out of date: run make api, and review its diff", file)
		}
	}
	files, err := filepath.Glob("api/*")
	require.NoError(t, err)
	for _, file := range files {
		assert.True(t, want[filepath.ToSlash(file)], "%s: no such package", file)
	}
}

// publicPackages returns the directories of the packages that another module can import,
// apart from those of the examples.
func publicPackages(t *testing.T) []string {
	t.Helper()
	var dirs []string
	require.NoError(t, fs.WalkDir(os.DirFS(".."), ".", func(name string, entry fs.DirEntry, err error) error {
		switch base := path.Base(name); {
		case err != nil || !entry.IsDir():
			return err
		case name != "." && (strings.HasPrefix(base, ".") || slices.Contains([]string{"internal", "testdata", "examples", "docs", "test", "cmd"}, base)):
			return fs.SkipDir
		}
		files, err := filepath.Glob(filepath.Join("..", name, "*.go"))
		if slices.ContainsFunc(files, func(file string) bool { return !strings.HasSuffix(file, "_test.go") }) {
			dirs = append(dirs, name)
		}
		return err
	}))
	require.NotEmpty(t, dirs)
	return dirs
}

// exported returns the exported declarations of a package, without comments.
func exported(t *testing.T, dir string) string {
	t.Helper()
	dir = filepath.Join("..", dir)
	pkg, err := build.ImportDir(dir, 0)
	require.NoError(t, err)
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range pkg.GoFiles {
		file, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		files = append(files, file)
	}
	importPath := path.Join(module, strings.TrimPrefix(filepath.ToSlash(dir), "../"))
	d, err := doc.NewFromFiles(fset, files, importPath)
	require.NoError(t, err)

	var out bytes.Buffer
	fmt.Fprintf(&out, "package %s // import %q\n", d.Name, importPath)
	write := func(decl ast.Decl) {
		out.WriteString("\n")
		require.NoError(t, format.Node(&out, fset, decl))
		out.WriteString("\n")
	}
	values := func(list []*doc.Value) {
		for _, v := range list {
			write(v.Decl)
		}
	}
	funcs := func(list []*doc.Func) {
		for _, f := range list {
			write(f.Decl)
		}
	}
	values(slices.Concat(d.Consts, d.Vars))
	funcs(d.Funcs)
	for _, typ := range d.Types {
		write(typ.Decl)
		values(slices.Concat(typ.Consts, typ.Vars))
		funcs(slices.Concat(typ.Funcs, typ.Methods))
	}
	compact := bytes.ReplaceAll(out.Bytes(), []byte("\n\n\t"), []byte("\n\t"))
	aligned, err := format.Source(compact)
	require.NoError(t, err)
	return string(aligned)
}
