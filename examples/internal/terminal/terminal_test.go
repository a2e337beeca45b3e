package terminal_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/examples/internal/screen"
	"github.com/openshift/upgrademonitor/examples/internal/terminal"
)

func TestNoTerminal(t *testing.T) {
	for columns, want := range map[string]int{"": 80, "140": 140, "none": 80, "-1": 80} {
		t.Setenv("COLUMNS", columns)
		file, err := os.Create(t.TempDir() + "/out")
		require.NoError(t, err)
		for _, out := range []terminal.Terminal{terminal.Of(&strings.Builder{}), terminal.Of(file)} {
			width, height := out.Size()
			assert.Equal(t, want, width)
			assert.Zero(t, height)
			assert.False(t, out.IsTerminal)
			assert.Equal(t, "STEP\n", out.Text([]screen.Line{{Text: "STEP", Tone: screen.Header}}, "\n"))
		}
		require.NoError(t, file.Close())
	}
}

func TestPainter(t *testing.T) {
	var out strings.Builder
	p := &terminal.Painter{Out: &out, Terminal: terminal.Terminal{IsTerminal: true, Color: true, Size: func() (int, int) { return 4, 10 }}}
	paint := func(lines ...screen.Line) string {
		out.Reset()
		require.NoError(t, p.Paint(lines))
		return out.String()
	}
	assert.Equal(t, "\x1b[?25l\x1b[1mSTEP\x1b[0m\x1b[K\r\nworker\x1b[K\r\n\x1b[J", paint(screen.Line{Text: "STEP", Tone: screen.Header}, screen.Line{Text: "worker"}))
	assert.Empty(t, paint(screen.Line{Text: "STEP", Tone: screen.Header}, screen.Line{Text: "worker"}), "no change")
	assert.Equal(t, "\x1b[3A\r\x1b[31mdone\x1b[0m\x1b[K\r\n\x1b[J", paint(screen.Line{Text: "done", Tone: screen.Alarm}), "a line of two rows")
	out.Reset()
	p.Close()
	p.Close()
	assert.Equal(t, "\x1b[?25h", out.String())
}
