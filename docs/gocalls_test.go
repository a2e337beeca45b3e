package docs_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// call is a call of the go command.
type call struct {
	dir  string // relative to the root of the module
	args string // of the shell
}

// recorder is a go command that records its calls, and calls the real one for go env only.
const recorder = `#!/bin/sh
if [ "$1" = env ]; then exec '%s' "$@"; fi
for arg; do line="$line '$arg'"; done
echo "$PWD:$line" >> '%s'
`

// callsOfMake returns the calls of the go command that a command of make makes.
func callsOfMake(t *testing.T, root, command string) []call {
	t.Helper()
	realGo, err := exec.LookPath("go")
	require.NoError(t, err)
	bin, record := t.TempDir(), filepath.Join(t.TempDir(), "calls")
	require.NoError(t, os.WriteFile(filepath.Join(bin, "go"), fmt.Appendf(nil, recorder, realGo, record), 0o755))
	out, err := runIn(t, root, command+" GOLANGCI_LINT=true", "PATH="+bin+":"+os.Getenv("PATH"))
	require.NoError(t, err, "%s: %s", command, out)
	data, err := os.ReadFile(record)
	require.NoError(t, err, command)
	var calls []call
	for line := range strings.Lines(string(data)) {
		dir, args, _ := strings.Cut(strings.TrimSpace(line), ": ")
		dir, err := filepath.Rel(root, dir)
		require.NoError(t, err)
		calls = append(calls, call{dir: dir, args: args})
	}
	return calls
}

// checkCall checks that a program has the flags with which it is called, or that the packages of a
// test have the flags, and functions that the pattern matches.
func checkCall(t *testing.T, c call) {
	t.Helper()
	dir := filepath.Join("..", c.dir)
	verb, args, _ := strings.Cut(strings.ReplaceAll(c.args, "'", ""), " ")
	switch verb {
	case "run":
		out, err := runIn(t, dir, "go "+c.args+" --help")
		assert.NoError(t, err, "%s", out)
	case "test":
		matches, pattern := 0, regexp.MustCompile(c.pattern())
		for _, arg := range strings.Fields(args) {
			if strings.HasPrefix(arg, "./") {
				for _, name := range testFunctions(t, filepath.Join(dir, arg)) {
					if pattern.MatchString(name) {
						matches++
					}
				}
			}
		}
		assert.NotZero(t, matches, "go %s: no test matches", c.args)
		if c.dir == "." && !strings.Contains(c.args, "-fuzz") { // elsewhere it would start servers, with -fuzz rebuild all
			out, err := runIn(t, dir, "go "+c.args+" -list '^$'")
			assert.NoError(t, err, "%s", out)
		}
	default:
		assert.Fail(t, "unknown verb of the go command", c.args)
	}
}

// pattern returns the pattern of the functions that go test runs, "" for all.
func (c call) pattern() string {
	for _, flag := range []string{"-fuzz", "-bench", "-run"} {
		if found := regexp.MustCompile(`'?` + flag + `'? '?([^ ']+)`).FindStringSubmatch(c.args); found != nil {
			return found[1]
		}
	}
	return ""
}

// testFunctions returns the tests, fuzz targets and benchmarks of a folder.
func testFunctions(t *testing.T, dir string) []string {
	t.Helper()
	isTest := regexp.MustCompile(`^(Test|Fuzz|Benchmark)[A-Z]`)
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	require.NoError(t, err)
	var names []string
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, declaration := range file.Decls {
			if f, ok := declaration.(*ast.FuncDecl); ok && f.Recv == nil && isTest.MatchString(f.Name.Name) {
				names = append(names, f.Name.Name)
			}
		}
	}
	return names
}
