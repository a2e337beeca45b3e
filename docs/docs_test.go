// Package docs_test keeps README.md, CONTRIBUTING.md and the pages in docs true.
package docs_test

import (
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// page is a page, its text without the fenced blocks, and its blocks of Go.
type page struct {
	name, text, prose string
	code              []string
}

func pages(t *testing.T) []page {
	t.Helper()
	names, err := filepath.Glob("../docs/*.md")
	require.NoError(t, err)
	fenced := regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")
	var list []page
	for _, name := range append(names, "../README.md", "../CONTRIBUTING.md") {
		p := page{name: strings.TrimPrefix(name, "../")}
		p.text = read(t, p.name)
		p.prose = fenced.ReplaceAllString(p.text, "")
		assert.NotContains(t, p.prose, "```", "%s: a block without an end", p.name)
		for _, match := range fenced.FindAllStringSubmatch(p.text, -1) {
			if match[1] == "go" {
				p.code = append(p.code, match[2])
			}
		}
		list = append(list, p)
	}
	return list
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", name))
	require.NoError(t, err)
	return string(data)
}

// TestGoBlocks compiles, in another module that imports this one, the blocks of Go that are whole
// files, those of one page and package together, and runs their tests. Other blocks have to be
// valid Go; see TestNamesExist.
func TestGoBlocks(t *testing.T) {
	dir := t.TempDir()
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	write := func(name, text string) {
		name = filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	gomod := strings.Replace(read(t, "go.mod"), "module "+module, "module blocks", 1)
	write("go.mod", fmt.Sprintf("%s\nrequire %s v0.0.0\nreplace %[2]s => %s\n", gomod, module, root))
	write("go.sum", read(t, "go.sum"))
	clause := regexp.MustCompile(`(?m)^package (\w+)$`)
	for _, p := range pages(t) {
		for i, code := range p.code {
			formatted, err := format.Source([]byte(code))
			if assert.NoError(t, err, p.name) {
				assert.Equal(t, string(formatted), code, "%s: not formatted", p.name)
			}
			if match := clause.FindStringSubmatch(code); match != nil {
				kind := map[bool]string{true: "_test"}[strings.Contains(code, "*testing.T")]
				write(fmt.Sprintf("%s/%s/block%d%s.go", path.Base(p.name), match[1], i, kind), code)
			}
		}
	}
	for _, verb := range []string{"vet", "test"} {
		command := exec.CommandContext(t.Context(), "go", verb, "-mod=mod", "./...")
		command.Dir, command.Env = dir, append(os.Environ(), "GOWORK=off")
		out, err := command.CombinedOutput()
		require.NoError(t, err, string(out))
	}
}

// TestNamesExist checks the names of this module's packages in the prose, and in blocks of Go that
// are no whole files.
func TestNamesExist(t *testing.T) {
	declarations := map[string]string{}
	var names []string
	for _, dir := range publicPackages(t) {
		declarations[path.Base(dir)] = exported(t, dir)
		names = append(names, path.Base(dir))
	}
	name := regexp.MustCompile(`\b(` + strings.Join(names, "|") + `)\.([A-Z]\w*)`)
	inline := regexp.MustCompile("`[^`\n]+`")
	for _, p := range pages(t) {
		texts := inline.FindAllString(p.prose, -1)
		for _, code := range p.code {
			if !strings.Contains(code, "package ") {
				texts = append(texts, code)
			}
		}
		for _, match := range name.FindAllStringSubmatch(strings.Join(texts, "\n"), -1) {
			known := regexp.MustCompile(`\b` + match[2] + `\b`).MatchString(declarations[match[1]])
			assert.True(t, known, "%s names %s", p.name, match[0])
		}
	}
}

// TestCommandsExist checks the targets of make, and the files and programs that commands name.
func TestCommandsExist(t *testing.T) {
	makefile := read(t, "Makefile")
	target := regexp.MustCompile("(?m)(?:^\\$ |`)make ([a-z0-9-]+)")
	file := regexp.MustCompile(`(?:cd (\w+) && )?(?:go run|go test|-f) ((?:[\w.-]+/)+[\w.-]+)`)
	for _, p := range pages(t) {
		for _, match := range target.FindAllStringSubmatch(p.text, -1) {
			assert.Regexp(t, `(?m)^`+match[1]+`:`, makefile, p.name)
		}
		for _, match := range file.FindAllStringSubmatch(p.text, -1) {
			_, err := os.Stat(path.Join("..", match[1], match[2]))
			assert.NoError(t, err, "%s: %s", p.name, match[0])
		}
	}
}

func TestLinksExist(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^):]*)\)`)
	for _, p := range pages(t) {
		for _, match := range link.FindAllStringSubmatch(p.prose, -1) {
			_, err := os.Stat(path.Join("..", path.Dir(p.name), match[1]))
			assert.NoError(t, err, "%s links to %s", p.name, match[1])
		}
	}
}
