// Package docs_test checks README.md, CHANGELOG.md, CONTRIBUTING.md, SECURITY.md and the pages in docs.
package docs_test

import (
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// page has the text of a page, its prose without fenced blocks, its Go blocks, and its blocks without a language.
type page struct {
	name, text, prose string
	code, output      []string
}

func pages(t *testing.T) []page {
	t.Helper()
	names, err := filepath.Glob("../docs/*.md")
	require.NoError(t, err)
	folders, err := filepath.Glob("../docs/*/*.md")
	require.NoError(t, err)
	names = append(names, folders...)
	fenced := regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")
	var list []page
	for _, name := range append(names, "../README.md", "../CHANGELOG.md", "../CONTRIBUTING.md", "../SECURITY.md") {
		p := page{name: strings.TrimPrefix(name, "../")}
		p.text = read(t, p.name)
		p.prose = fenced.ReplaceAllString(p.text, "")
		assert.NotContains(t, p.prose, "```", "%s: a block without an end", p.name)
		for _, match := range fenced.FindAllStringSubmatch(p.text, -1) {
			switch match[1] {
			case "go":
				p.code = append(p.code, match[2])
			case "":
				p.output = append(p.output, match[2])
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

// TestGoBlocksCompileAndTheirTestsPass compiles the Go blocks that are whole files, in a module that imports this one, and runs their
// tests and the tests in testdata/blocks. The blocks of a page with the same package form one package. Other
// blocks only have to be valid Go: see TestNamesExist.
func TestGoBlocksCompileAndTheirTestsPass(t *testing.T) {
	t.Parallel()
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
				write(fmt.Sprintf("%s/%s/block%d%s.go", p.name, match[1], i, kind), code)
			}
		}
	}
	require.NoError(t, os.CopyFS(dir, os.DirFS("testdata/blocks")))
	command := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-ldflags=-w", "-mod=mod", "./...")
	command.Dir, command.Env = dir, append(os.Environ(), "GOWORK=off")
	out, err := command.CombinedOutput()
	require.NoError(t, err, string(out))
}

// The packages export each name that the prose, or a Go block that is not a whole file, qualifies with
// a package of this module.
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

// The library contains each text of a log or an error that troubleshooting.md explains: the code in the first
// column of its tables.
func TestLogLinesExist(t *testing.T) {
	var source string
	for _, dir := range []string{"../upgrademonitor", "../phases", "../internal/transitions"} {
		require.NoError(t, filepath.WalkDir(dir, func(file string, _ fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_test.go") {
				source += read(t, strings.TrimPrefix(file, "../"))
			}
			return err
		}))
	}
	texts := 0
	for _, cell := range regexp.MustCompile(`(?m)^\| .*? \|`).FindAllString(read(t, "docs/troubleshooting.md"), -1) {
		for _, code := range regexp.MustCompile("`(.*?)`").FindAllStringSubmatch(cell, -1) {
			texts++
			assert.Contains(t, source, code[1])
		}
	}
	assert.Greater(t, texts, 10)
}

// The targets of make, and the files and programs in the commands of the pages, exist.
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

// The daemon in README.md is a copy of examples/daemon/daemon.go, which the example runs on a cluster.
func TestREADMEHasTheExample(t *testing.T) {
	example := strings.Replace(read(t, "examples/daemon/daemon.go"), "package main", "package daemon", 1)
	assert.Contains(t, read(t, "README.md"), "```go\n"+example+"```\n", "copy examples/daemon/daemon.go")
}

// The Go blocks of the guides are copies of code of the examples and their tests.
func TestBlocksOfTheGuidesAreCopiesOfTheExamples(t *testing.T) {
	lines := func(text string) string {
		return regexp.MustCompile(`(?m)^\s+`).ReplaceAllString(text, "")
	}
	var examples string
	for _, name := range []string{
		"examples/drain-controller/main.go", "examples/operator/main.go",
		"examples/operator/pools/nodecontroller_test.go",
	} {
		examples += lines(read(t, name))
	}
	for _, p := range pages(t) {
		for _, code := range p.code {
			isGuide := p.name == "docs/daemon.md" || p.name == "docs/operator.md"
			if isGuide && !strings.Contains(examples, lines(code)) {
				t.Errorf("%s: the block is not in an example: %s", p.name, code)
			}
		}
	}
}

// The programs that the pages show run without an error. The example daemon prints the first block of README.md
// without a language.
func TestCommandsRun(t *testing.T) {
	t.Parallel()
	command := regexp.MustCompile(`(?m)^\$ go run \./[^#\n]*[^#\s]`)
	var text, shown, printed string
	for _, p := range pages(t) {
		text += p.text
		if p.name == "README.md" {
			shown = p.output[0]
		}
	}
	commands := command.FindAllString(text, -1)
	slices.Sort(commands)
	for _, line := range slices.Compact(commands) {
		run := exec.CommandContext(t.Context(), "go", strings.Fields(line)[2:]...)
		run.Dir = ".."
		out, err := run.CombinedOutput()
		require.NoError(t, err, "%s: %s", line, out)
		printed += string(out)
	}
	assert.Contains(t, printed, shown)
}

// The versions and sizes that the pages state are correct.
func TestTheNumbersOfThePagesAreCorrect(t *testing.T) {
	find := func(name, pattern string) string {
		match := regexp.MustCompile(pattern).FindStringSubmatch(read(t, name))
		require.NotNil(t, match, "%s: %s", name, pattern)
		return match[1]
	}
	goVersion, client := find("go.mod", `\ngo (\d+\.\d+)`), find("go.mod", `k8s.io/client-go (\S+)`)
	newest, oldest := find("test/binaries/go.mod", `k8s.io/kubernetes v(\d+\.\d+)`), find("Makefile", `OLDEST := (\S+)`)
	for _, text := range []string{"need Go " + goVersion, "**Go** " + goVersion, "**Kubernetes** " + oldest + " and " + newest} {
		assert.Contains(t, read(t, "README.md"), text)
	}
	versions := "Go " + goVersion + "; k8s.io modules from " + client
	for _, name := range []string{"openshift/api", "openshift/client-go"} {
		commit, err := time.Parse("20060102", find("go.mod", name+` v0\.0\.0-(\d{8})`))
		require.NoError(t, err)
		versions += "; " + name + " from " + commit.Format("2 January 2006")
	}
	assert.Contains(t, read(t, "docs/daemon.md"), versions)

	for page, rows := range map[string]map[string]string{
		"docs/daemon.md":           {"": "../upgrademonitor"},
		"docs/migration/README.md": {"daemon": "../upgrademonitor", "rollout": "../upgrademonitor/rollout", "pool": "../upgrademonitor/pool"},
	} {
		for row, dir := range rows {
			packages, lines := vendored(t, dir)
			stated := regexp.MustCompile("(?m)" + row + `.*less than ([\d,]+) lines in (\d+) packages`).FindStringSubmatch(read(t, page))
			require.NotNil(t, stated, "%s %s", page, row)
			most, err := strconv.Atoi(strings.ReplaceAll(stated[1], ",", ""))
			require.NoError(t, err)
			assert.Equal(t, stated[2], strconv.Itoa(packages), "%s %s", page, row)
			assert.Less(t, lines, most, "%s %s: lines that are vendored", page, row)
			assert.Greater(t, lines, most*8/10, "%s %s: state fewer", page, row)
		}
	}
}

// vendored counts the packages and lines of this module that another module vendors to import a package.
func vendored(t *testing.T, dir string) (packages, lines int) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{$dir := .Dir}}{{range .GoFiles}}{{$.ImportPath}} {{$dir}}/{{.}}\n{{end}}", dir).Output()
	require.NoError(t, err)
	names := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		if name, file, _ := strings.Cut(strings.TrimSpace(line), " "); strings.HasPrefix(name, module) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			names[name] = true
			lines += strings.Count(string(text), "\n")
		}
	}
	return len(names), lines
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
