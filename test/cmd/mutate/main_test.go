package main

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each edit matches and leaves valid Go; make mutate checks that a test notices it.
func TestMutationsMatchTheCode(t *testing.T) {
	all, err := load(filepath.Join("..", "..", "mutations"))
	require.NoError(t, err)
	require.NotEmpty(t, all)
	names := map[string]bool{}
	for _, m := range all {
		t.Run(m.Name, func(t *testing.T) {
			assert.False(t, names[m.Name], "there are two of the name")
			names[m.Name] = true
			assert.NotEmpty(t, m.Test)
			edited, err := m.edit(filepath.Join("..", "..", ".."))
			require.NoError(t, err)
			_, err = parser.ParseFile(token.NewFileSet(), m.File, edited, parser.SkipObjectResolution)
			assert.NoError(t, err)
		})
	}
}

// repository is one with a package and a test that notices half of its bugs.
func repository(t *testing.T) *runner {
	t.Helper()
	root := t.TempDir()
	for name, content := range map[string]string{
		"go.mod":        "module example.com/m\n\ngo 1.26\n",
		"p/p.go":        "package p\n\nfunc Sum(a, b int) int { return a + b }\n\nfunc Zero() int { return 0 }\n",
		"p/p_test.go":   "package p\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) {\n\tif Sum(1, 2) != 3 {\n\t\tt.Fatal(Sum(1, 2))\n\t}\n}\n\nfunc TestRed(t *testing.T) { t.Fatal() }\n",
		"p/ignored.txt": "",
	} {
		file := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
	}
	return &runner{root: root, base: map[string]outcome{}}
}

func TestCheck(t *testing.T) {
	t.Setenv("GOFLAGS", "-mod=mod")
	t.Setenv("GOWORK", "off")
	r := repository(t)
	for name, tc := range map[string]struct {
		old, edited, test string
		want              string
	}{
		"noticed":               {"a + b", "a - b", "TestSum", ""},
		"not noticed":           {"return 0", "return 1", "TestSum", "SURVIVED"},
		"not found":             {"a * b", "a - b", "TestSum", "found 0 times"},
		"found twice":           {"return", "return 1 +", "TestSum", "found 2 times"},
		"does not compile":      {"a + b", "a + c", "TestSum", "does not compile"},
		"no such test":          {"a + b", "a - b", "TestNone", "no test"},
		"red without any edit":  {"a + b", "a - b", "TestRed", `is "red"`},
		"hangs, or panics: red": {"return a + b", "panic(a)", "TestSum", ""},
	} {
		t.Run(name, func(t *testing.T) {
			err := r.check(t.Context(), mutation{Name: name, File: "p/p.go", Old: tc.old, New: tc.edited, Test: tc.test, In: "p"})
			if tc.want == "" {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, tc.want)
		})
	}
	data, err := os.ReadFile(filepath.Join(r.root, "p", "p.go"))
	require.NoError(t, err)
	assert.Contains(t, string(data), "a + b", "no file is changed")
}
