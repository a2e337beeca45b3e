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

// page is a page, with its fenced blocks taken out.
type page struct {
	name   string // relative to the root of the module
	prose  string
	blocks []block
}

type block struct {
	language, text string
}

var (
	fenced = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")
	inline = regexp.MustCompile("`([^`\n]+)`")
)

func pages(t *testing.T) []page {
	t.Helper()
	names, err := filepath.Glob("*.md")
	require.NoError(t, err)
	names = append(names, "../README.md", "../CONTRIBUTING.md")
	var list []page
	for _, name := range names {
		p := page{name: path.Join("docs", name)}
		text := read(t, p.name)
		for _, match := range fenced.FindAllStringSubmatch(text, -1) {
			p.blocks = append(p.blocks, block{language: match[1], text: match[2]})
		}
		p.prose = fenced.ReplaceAllString(text, "")
		assert.NotContains(t, p.prose, "```", "%s: a block without an end", p.name)
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
		for i, b := range p.blocks {
			if b.language != "go" {
				continue
			}
			formatted, err := format.Source([]byte(b.text))
			if assert.NoError(t, err, p.name) {
				assert.Equal(t, string(formatted), b.text, "%s: not formatted", p.name)
			}
			if match := clause.FindStringSubmatch(b.text); match != nil {
				kind := map[bool]string{true: "_test"}[strings.Contains(b.text, "*testing.T")]
				write(fmt.Sprintf("%s/%s/block%d%s.go", path.Base(p.name), match[1], i, kind), b.text)
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
	for _, p := range pages(t) {
		texts := inline.FindAllString(p.prose, -1)
		for _, b := range p.blocks {
			if b.language == "go" && !strings.Contains(b.text, "package ") {
				texts = append(texts, b.text)
			}
		}
		for _, match := range name.FindAllStringSubmatch(strings.Join(texts, "\n"), -1) {
			known := regexp.MustCompile(`\b` + match[2] + `\b`).MatchString(declarations[match[1]])
			assert.True(t, known, "%s names %s", p.name, match[0])
		}
	}
}

// TestCommandsExist checks that the commands of the pages name targets of make and files that exist.
func TestCommandsExist(t *testing.T) {
	makefile := read(t, "Makefile")
	target := regexp.MustCompile(`^make ([a-z0-9-]+)`)
	program := regexp.MustCompile(`^(go (run|test)|kubectl) `)
	file := regexp.MustCompile(`^(\./)?[a-z][\w.-]*(/[\w.-]+)+$`)
	for _, p := range pages(t) {
		for _, command := range p.commands() {
			at := ".."
			for _, part := range regexp.MustCompile(` *(&&|\|) *`).Split(command, -1) {
				if dir, ok := strings.CutPrefix(part, "cd "); ok {
					at = path.Join(at, dir)
				}
				if match := target.FindStringSubmatch(part); match != nil {
					assert.Regexp(t, `(?m)^`+match[1]+`:`, makefile, "%s: %s", p.name, command)
				}
				for _, word := range strings.Fields(part) {
					if program.MatchString(part) && file.MatchString(word) {
						assertExists(t, path.Join(at, word), p.name+": "+command)
					}
				}
			}
		}
	}
}

// commands returns the lines of the blocks that begin with a prompt, and what is in backticks.
func (p page) commands() []string {
	var list []string
	for _, b := range p.blocks {
		for _, match := range regexp.MustCompile(`(?m)^\$ (.*?)( +# .*)?$`).FindAllStringSubmatch(b.text, -1) {
			list = append(list, match[1])
		}
	}
	for _, match := range inline.FindAllStringSubmatch(p.prose, -1) {
		list = append(list, match[1])
	}
	return list
}

func TestLinksExist(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]*)(?:#([^)]*))?\)`)
	for _, p := range pages(t) {
		for _, match := range link.FindAllStringSubmatch(p.prose, -1) {
			target := p.name
			if match[1] != "" {
				target = path.Join(path.Dir(p.name), match[1])
				assertExists(t, path.Join("..", target), p.name)
			}
			if match[2] != "" {
				assert.Contains(t, anchors(read(t, target)), match[2], "%s links to %s", p.name, target)
			}
		}
	}
}

// anchors returns the anchors of the headings of a page.
func anchors(text string) []string {
	var list []string
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(text, -1) {
		plain := regexp.MustCompile(`[^\w -]`).ReplaceAllString(strings.ToLower(heading[1]), "")
		list = append(list, strings.ReplaceAll(plain, " ", "-"))
	}
	return list
}

func assertExists(t *testing.T, name, where string) {
	t.Helper()
	_, err := os.Stat(name)
	assert.NoError(t, err, where)
}
