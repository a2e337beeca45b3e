package terminal

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/screen"
)

func TestAPipeHas80Columns(t *testing.T) {
	width, height := For(&bytes.Buffer{}).Size()
	assert.Equal(t, [2]int{80, 0}, [2]int{width, height})
}

func TestWarningsAreYellowAndAlarmsAreRed(t *testing.T) {
	lines := []screen.Line{{Text: "a", Tone: screen.Header}, {Text: "b", Tone: screen.Warn}, {Text: "c", Tone: screen.Alarm}, {Text: "d"}}
	assert.Equal(t, "\x1b[1ma\x1b[0m\n\x1b[33mb\x1b[0m\n\x1b[31mc\x1b[0m\nd\n", Terminal{Color: true}.Text(lines, "\n"))
	assert.Equal(t, "a\nb\nc\nd\n", Terminal{}.Text(lines, "\n"))
}

// A line is cut to the width of the terminal. A screen is drawn over all rows of the last screen, even if the user has
// made the terminal narrower in between.
func TestAScreenIsDrawnOverTheLastOne(t *testing.T) {
	for name, tc := range map[string]struct{ length, width, rows int }{
		"an empty line":                       {0, 80, 2},
		"a short line":                        {3, 80, 2},
		"a full line":                         {80, 80, 2},
		"a longer line":                       {100, 80, 2},
		"narrowed to half the width":          {80, 40, 3},
		"narrowed to two fifths of the width": {80, 32, 4},
		"the width is no longer known":        {80, 0, 86},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			width := 80
			p := &Painter{Out: &out, Terminal: Terminal{Size: func() (int, int) { return width, 24 }}}
			p.Close()
			assert.Empty(t, out.String(), "closing a painter that has drawn nothing writes nothing")
			require.NoError(t, p.Paint([]screen.Line{{Text: strings.Repeat("x", tc.length)}, {Text: "second"}}))
			assert.True(t, strings.HasPrefix(out.String(), hideCursor))
			assert.NotContains(t, out.String(), "x"+clearLine, "a full line would lose its last character")
			assert.Equal(t, tc.length > 80, strings.Contains(out.String(), "x..."))
			out.Reset()
			width = tc.width
			require.NoError(t, p.Paint([]screen.Line{{Text: "next"}}))
			assert.Equal(t, fmt.Sprintf("\x1b[%dA\r"+clearLine+"next\r\n"+clearLine+clearBelow, tc.rows), out.String())
			out.Reset()
			require.NoError(t, p.Paint([]screen.Line{{Text: "next"}}))
			assert.Empty(t, out.String(), "an equal screen is not drawn again")
			p.Close()
			assert.Equal(t, showCursor, out.String())
		})
	}
}
