package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// executeIn runs the command without a terminal, in so many columns.
func executeIn(t *testing.T, width int, stdin string, args ...string) execution {
	t.Helper()
	var stdout, stderr strings.Builder
	p := testProgram(&stdout, &stderr)
	p.In = strings.NewReader(stdin)
	p.terminal.Size = func() (int, int) { return width, 0 }
	code := exit(t.Context(), p, args)
	return execution{code, stdout.String(), stderr.String()}
}

func TestAnEmptyTimelineIsWrapped(t *testing.T) {
	got := executeIn(t, 20, asList(t, newPool("worker", newConfig)), "timeline", "-f", "-")
	assert.Zero(t, got.code, got.stderr)
	assert.Equal(t, "No update of a node\nis known.\n", got.stdout)
}
