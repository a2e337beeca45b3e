package docs_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// block is a fenced block of a page.
type block struct {
	page string
	line int // of its first line of text
	text string
}

// pages returns the names of all pages, relative to the root of the module.
func pages(t *testing.T) []string {
	t.Helper()
	list, err := filepath.Glob("*.md")
	require.NoError(t, err)
	for i, name := range list {
		list[i] = path.Join("docs", name)
	}
	return append(list, "README.md", "CONTRIBUTING.md")
}

// blocks returns the blocks of a language of all pages.
func blocks(t *testing.T, language string) []block {
	t.Helper()
	var list []block
	for _, page := range pages(t) {
		var current *block
		for i, line := range strings.Split(read(t, page), "\n") {
			switch {
			case current == nil && strings.HasPrefix(line, "```"):
				current = &block{page: page, line: i + 2}
				if line != "```"+language {
					current.page = ""
				}
			case current != nil && line == "```":
				if current.page != "" {
					list = append(list, *current)
				}
				current = nil
			case current != nil:
				current.text += line + "\n"
			}
		}
		require.Nil(t, current, "%s: a block has no end", page)
	}
	require.NotEmpty(t, list)
	return list
}

func TestRelativeLinksExist(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)
	for _, page := range pages(t) {
		for _, match := range link.FindAllStringSubmatch(read(t, page), -1) {
			_, err := os.Stat(filepath.Join("..", path.Dir(page), match[1]))
			assert.NoError(t, err, "%s links to %s", page, match[1])
		}
	}
}

func TestReadmeListsThePackages(t *testing.T) {
	readme := read(t, "README.md")
	for _, dir := range publicPackages(t) {
		assert.Contains(t, readme, "| ["+dir+"]("+dir+") | ")
	}
}

func TestReadmeIsShortBeforeTheLinks(t *testing.T) {
	before, _, found := strings.Cut(read(t, "README.md"), "## Documentation")
	require.True(t, found)
	assert.LessOrEqual(t, strings.Count(before, "\n"), 80, "two screens")
}
