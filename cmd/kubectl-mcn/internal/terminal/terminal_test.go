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

// TestPaint: a line is cut to the width. A screen is drawn over all rows of the last screen, also after
// the user has made the terminal narrower.
func TestPaint(t *testing.T) {
	for name, tc := range map[string]struct{ length, width, rows int }{
		"an empty line":  {0, 80, 1},
		"a short line":   {3, 80, 1},
		"a full line":    {80, 80, 1},
		"a longer line":  {100, 80, 1},
		"half the width": {80, 40, 2},
		"two and a half": {80, 32, 3},
		"no width":       {80, 0, 80},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			width := 80
			p := &Painter{Out: &out, Terminal: Terminal{Size: func() (int, int) { return width, 24 }}}
			p.Close()
			assert.Empty(t, out.String(), "nothing is drawn, and the cursor is not hidden")
			require.NoError(t, p.Paint([]screen.Line{{Text: strings.Repeat("x", tc.length)}}))
			assert.NotContains(t, out.String(), "x"+clearLine, "a full line would lose its last character")
			out.Reset()
			width = tc.width
			require.NoError(t, p.Paint([]screen.Line{{Text: "next"}}))
			assert.Contains(t, out.String(), fmt.Sprintf("\x1b[%dA\r", tc.rows))
			out.Reset()
			require.NoError(t, p.Paint([]screen.Line{{Text: "next"}}))
			assert.Empty(t, out.String(), "an equal screen is not drawn again")
			p.Close()
			assert.Equal(t, showCursor, out.String())
		})
	}
}
