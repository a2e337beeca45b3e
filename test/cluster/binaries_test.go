package cluster

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// testBuilder builds a program named etcd that only prints a word, so that it takes no time.
func testBuilder(t *testing.T) (b builder, log *bytes.Buffer) {
	t.Helper()
	source := t.TempDir()
	// The version of the programs comes from the module list; any module does as k8s.io/kubernetes.
	write(t, filepath.Join(source, "kubernetes", "go.mod"), "module k8s.io/kubernetes\n\ngo 1.26.0\n")
	write(t, filepath.Join(source, "go.mod"), "module example.com/programs\n\ngo 1.26.0\n\n"+
		"require k8s.io/kubernetes v1.2.3\n\nreplace k8s.io/kubernetes => ./kubernetes\n")
	write(t, filepath.Join(source, "go.sum"), "")
	write(t, filepath.Join(source, "etcd", "main.go"), "package main\n\nfunc main() { print(\"one\") }\n")
	log = &bytes.Buffer{}
	return builder{source: source, cache: t.TempDir(), log: log}, log
}

func TestBinaryIsBuiltOnceForAll(t *testing.T) {
	b, log := testBuilder(t)
	var group sync.WaitGroup
	paths, errs := make([]string, 8), make([]error, 8)
	for i := range paths {
		group.Go(func() { paths[i], errs[i] = b.binary(t.Context(), "etcd") })
	}
	group.Wait()

	for i := range paths {
		require.NoError(t, errs[i])
		require.Equal(t, paths[0], paths[i])
	}
	require.Equal(t, "building etcd, about 20 seconds the first time\n", log.String())
	require.Equal(t, "one", runProgram(t, paths[0]))
}

func TestBinaryOfChangedSourcesIsAnotherOne(t *testing.T) {
	b, log := testBuilder(t)
	first, err := b.binary(t.Context(), "etcd")
	require.NoError(t, err)
	write(t, filepath.Join(b.source, "etcd", "main.go"), "package main\n\nfunc main() { print(\"two\") }\n")

	second, err := b.binary(t.Context(), "etcd")

	require.NoError(t, err)
	require.NotEqual(t, first, second)
	require.Equal(t, "one", runProgram(t, first))
	require.Equal(t, "two", runProgram(t, second))
	require.Equal(t, 2, strings.Count(log.String(), "\n"))
}

func TestBinaryThatDoesNotBuild(t *testing.T) {
	b, _ := testBuilder(t)
	write(t, filepath.Join(b.source, "etcd", "main.go"), "package main\n\nfunc main() { undefined() }\n")

	_, err := b.binary(t.Context(), "etcd")

	require.ErrorContains(t, err, "undefined: undefined", "the compiler's words")
	matches, globErr := filepath.Glob(filepath.Join(b.cache, "*", "etcd"))
	require.NoError(t, globErr)
	require.Empty(t, matches)

	write(t, filepath.Join(b.source, "etcd", "main.go"), "package main\n\nfunc main() { print(\"one\") }\n")
	path, err := b.binary(t.Context(), "etcd")
	require.NoError(t, err, "a failure holds nothing up")
	require.Equal(t, "one", runProgram(t, path))
}

func runProgram(t *testing.T, path string) string {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), path).CombinedOutput()
	require.NoError(t, err)
	return string(output)
}

func write(t *testing.T, path, content string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
}
