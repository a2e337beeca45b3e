package planner_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the output in the files of testdata")

// TestScripts runs each paragraph of the files in testdata as a sub-test. See usage.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			why, rules, _ := strings.Cut(string(text), "\n\n")
			require.True(t, strings.HasPrefix(why, "# Why: "), "a file begins with the reason of its rules")
			paragraphs := split(rules)
			for i, want := range paragraphs {
				t.Run(rule(want), func(t *testing.T) {
					got, err := replay(want)
					require.NoError(t, err)
					paragraphs[i] = got
					if !*update {
						assert.Equal(t, want, got, rule(want))
					}
				})
			}
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(why+"\n\n"+strings.Join(paragraphs, "\n")), 0o600))
			}
		})
	}
}

// split returns the paragraphs of a file. Each begins with a comment.
func split(file string) []string {
	paragraphs := strings.Split("\n"+file, "\n\n#")
	for i, p := range paragraphs {
		paragraphs[i] = "#" + strings.TrimLeft(p, "\n#") + "\n"
	}
	last := len(paragraphs) - 1
	paragraphs[last] = strings.TrimSuffix(paragraphs[last], "\n")
	return paragraphs
}

// rule returns the first sentence of the comment of a paragraph.
func rule(paragraph string) string {
	comment, _, _ := strings.Cut(paragraph, "\n\n")
	sentence, _, _ := strings.Cut(strings.ReplaceAll(strings.TrimPrefix(comment, "# "), "\n# ", " "), ". ")
	return strings.TrimSuffix(sentence, ".")
}

const dashes = "----"

// replay runs a paragraph, and returns it with the output of its commands.
func replay(paragraph string) (string, error) {
	s := &script{}
	var blocks []string
	for _, block := range strings.Split(strings.TrimSpace(paragraph), "\n\n") {
		input, _, _ := strings.Cut(block, "\n"+dashes)
		lines := strings.Split(strings.TrimSpace(input), "\n")
		s.out = &strings.Builder{}
		for _, line := range lines {
			if strings.HasPrefix(line, "#") {
				continue
			}
			c, err := parse(line)
			if err != nil {
				return "", err
			}
			if s.do(c); s.err != nil {
				return "", fmt.Errorf("%s: %w, after this output:\n%s", c.text, s.err, s.out)
			}
		}
		if s.out.Len() > 0 {
			lines = append(lines, dashes, strings.TrimSpace(s.out.String()))
		}
		blocks = append(blocks, strings.Join(lines, "\n"))
	}
	if err := s.check(); err != nil {
		return "", fmt.Errorf("at the end of the paragraph: %w", err)
	}
	return strings.Join(blocks, "\n\n") + "\n", nil
}

var errNoObject = errors.New("a paragraph begins with the command object")
