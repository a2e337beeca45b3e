package planner_test

import (
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

// TestFiles runs the scripts in testdata: one file a rule. A file has blocks of commands, each followed by
// a line of dashes and the output. A line that starts with # is a comment.
func TestFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			got, err := replay(string(want))
			require.NoError(t, err)
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(got), 0o600))
				return
			}
			assert.Equal(t, string(want), got, "go test ./upgrademonitor/internal/planner -update writes it")
		})
	}
}

const dashes = "----"

// replay runs the commands of a file, and returns the file with their output. A blank line ends a block.
func replay(file string) (string, error) {
	lines := strings.Split(strings.TrimSpace(file), "\n")
	for at, line := range lines {
		lines[at] = strings.TrimSpace(line) // the path of a failed test is indented
	}
	var blocks []string
	s := &script{}
	for _, block := range strings.Split(strings.Join(lines, "\n"), "\n\n") {
		input, _, _ := strings.Cut(block, "\n"+dashes)
		lines := strings.Split(strings.TrimSpace(input), "\n")
		s.out = &strings.Builder{}
		for _, line := range lines {
			if line == "" || strings.HasPrefix(line, "#") {
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
	return strings.Join(blocks, "\n\n") + "\n", nil
}
