package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// needsServer matches the inline commands that package test/e2e runs, which has the same expression.
var needsServer = regexp.MustCompile("`(?:oc|kubectl) ((?:auth|get|label) [^`]+)`")

// TestInlineCommandsExist checks the commands in the prose of the pages, and those in the comments of
// the programs: a program must have the flags, a package the flags and tests. For make see
// TestMakeCommandsRun.
func TestInlineCommandsExist(t *testing.T) {
	checked := 0
	for _, c := range append(inlineCommands(t), commentedCommands(t)...) {
		dir := "."
		if strings.HasPrefix(c.page, "test/") {
			dir = "test"
		}
		text := strings.Replace(c.text, "kubectl mcn", "go run ./cmd/kubectl-mcn", 1)
		args, isGo := strings.CutPrefix(text, "go ")
		if !isGo || strings.HasPrefix(args, "install ") {
			continue
		}
		checked++
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			checkCall(t, call{dir: dir, args: args})
		})
	}
	assert.Greater(t, checked, 20)
}

// TestInlineCommandsAreKnown makes sure that each command is run or checked somewhere.
func TestInlineCommandsAreKnown(t *testing.T) {
	known := regexp.MustCompile(`^(make|kubectl mcn)( |$)|^go (run|test) `)
	for _, c := range inlineCommands(t) {
		if !needsServer.MatchString("`" + c.text + "`") {
			assert.Regexp(t, known, c.text, c.page)
		}
	}
	assert.Contains(t, read(t, "test/e2e/docs_test.go"), needsServer.String())
}

// command is a command of a page.
type command struct {
	page string
	text string
}

// consoleCommands returns the commands of the blocks, without comments.
func consoleCommands(t *testing.T) []command {
	t.Helper()
	var list []command
	for _, b := range blocks(t, "console") {
		for _, entry := range strings.Split("\n"+b.text, "\n$ ")[1:] {
			line, _, _ := strings.Cut(entry, "\n")
			list = append(list, command{b.page, withoutComment(line)})
		}
	}
	return list
}

// inlineCommands returns what is between backticks in the prose of the pages and starts with the
// name of a program.
func inlineCommands(t *testing.T) []command {
	t.Helper()
	fenced := regexp.MustCompile("(?ms)^```.*?^```$")
	inline := regexp.MustCompile("`((?:make|go|kubectl|oc|git)(?: [^`]*)?)`")
	var list []command
	for _, page := range pages(t) {
		for _, match := range inline.FindAllStringSubmatch(fenced.ReplaceAllString(read(t, page), ""), -1) {
			list = append(list, command{page, strings.Join(strings.Fields(match[1]), " ")})
		}
	}
	require.NotEmpty(t, list)
	return list
}

// commentedCommands returns the commands in the comments of the programs, up to a pipe.
func commentedCommands(t *testing.T) []command {
	t.Helper()
	indented := regexp.MustCompile(`(?m)^//\t((?:go run|kubectl mcn)\b[^|>\n]*)`)
	var list []command
	for _, pattern := range []string{"examples/*/*.go", "test/cmd/*/*.go"} {
		files, err := filepath.Glob(filepath.Join("..", pattern))
		require.NoError(t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, match := range indented.FindAllStringSubmatch(string(text), -1) {
				list = append(list, command{strings.TrimPrefix(filepath.ToSlash(file), "../"), withoutComment(match[1])})
			}
		}
	}
	return list
}

// withoutComment returns a line of a shell without its comment.
func withoutComment(line string) string {
	line, _, _ = strings.Cut(line, " # ")
	return strings.TrimSpace(line)
}
