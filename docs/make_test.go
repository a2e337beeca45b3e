package docs_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// cheap are the commands of make that are really run.
var cheap = []string{"make", "make help", "make api"}

// TestMakeCommandsRun runs each command of make that the pages name, in a copy of the module. Those
// that are not cheap run with a go command that records its calls: each call is one that CI makes,
// too, or starts a program that has these flags, or tests that exist.
func TestMakeCommandsRun(t *testing.T) {
	root := copyOfModule(t)
	require.Contains(t, read(t, ".ci/run"), "\nmake verify\n")
	inCI := callsOfMake(t, root, "make verify")
	for command, pages := range makeCommands(t) {
		t.Run(command, func(t *testing.T) {
			if slices.Contains(cheap, command) {
				out, err := runIn(t, root, command)
				assert.NoError(t, err, "%s: %s", pages, out)
				return
			}
			calls := callsOfMake(t, root, command)
			require.NotEmpty(t, calls, pages)
			for _, call := range calls {
				if !slices.Contains(inCI, call) {
					checkCall(t, call)
				}
			}
		})
	}
}

func TestMakeListsTheTargetsOfThePages(t *testing.T) {
	out, err := runIn(t, "..", "make")
	require.NoError(t, err)
	for command, pages := range makeCommands(t) {
		if target := strings.Fields(command)[1:]; len(target) > 0 {
			assert.Regexp(t, `(?m)^  `+target[0]+` +\S`, out, pages)
		}
	}
}

// TestMakeFuzzRunsEachTarget compares the calls of make fuzz with the fuzz targets of the module.
func TestMakeFuzzRunsEachTarget(t *testing.T) {
	root := copyOfModule(t)
	var ran, want []string
	for _, call := range callsOfMake(t, root, "make fuzz") {
		ran = append(ran, call.pattern())
	}
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			for _, name := range testFunctions(t, path) {
				if strings.HasPrefix(name, "Fuzz") {
					want = append(want, "^"+name+"$")
				}
			}
		}
		return err
	}))
	assert.NotEmpty(t, want)
	assert.ElementsMatch(t, want, ran)
}

// makeCommands returns the commands of make, with the pages that name them.
func makeCommands(t *testing.T) map[string][]string {
	t.Helper()
	isMake := regexp.MustCompile(`^make( |$)`)
	commands := map[string][]string{}
	for _, c := range append(consoleCommands(t), inlineCommands(t)...) {
		if isMake.MatchString(c.text) {
			commands[c.text] = append(commands[c.text], c.page)
		}
	}
	return commands
}

// copyOfModule returns a copy of the module's files.
func copyOfModule(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	require.NoError(t, filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := filepath.Join(root, strings.TrimPrefix(path, ".."))
		switch {
		case entry.Name() == ".git" || entry.Name() == ".cache":
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir():
			return os.MkdirAll(target, 0o755)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, data, 0o644)
	}))
	return root
}

// runIn runs a command in a folder, and returns what it prints.
func runIn(t *testing.T, dir, command string, env ...string) (string, error) {
	t.Helper()
	shell := exec.CommandContext(t.Context(), "sh", "-c", command)
	shell.Dir = dir
	shell.Env = append(append(os.Environ(), "MAKEFLAGS=", "MAKELEVEL=", "COLUMNS=80"), env...)
	out, err := shell.CombinedOutput()
	return string(out), err
}
