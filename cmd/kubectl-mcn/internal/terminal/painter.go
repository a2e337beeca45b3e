package terminal

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/screen"
)

// The sequences of a redraw. There is no alternate screen: the terminal keeps what was above,
// and the last screen.
const (
	hideCursor = "\x1b[?25l"
	showCursor = "\x1b[?25h"
	clearLine  = "\x1b[K"
	clearBelow = "\x1b[J"
)

// Painter redraws a screen on a terminal.
type Painter struct {
	Out      io.Writer
	Terminal Terminal

	last   []screen.Line
	hidden bool // the cursor
}

// Paint replaces the last screen.
func (p *Painter) Paint(lines []screen.Line) error {
	width, _ := p.Terminal.Size()
	for i := range lines {
		lines[i].Text = screen.Cut(lines[i].Text, width) // a line that the terminal breaks cannot be redrawn
	}
	if p.last != nil && slices.Equal(p.last, lines) {
		return nil
	}
	var b strings.Builder
	if !p.hidden {
		b.WriteString(hideCursor)
		p.hidden = true
	}
	if up := rows(p.last, width); up > 0 {
		fmt.Fprintf(&b, "\x1b[%dA\r", up)
	}
	b.WriteString(p.Terminal.Text(lines, clearLine+"\r\n"))
	b.WriteString(clearBelow)
	p.last = lines
	_, err := io.WriteString(p.Out, b.String())
	return err
}

// Close keeps the last screen, and shows the cursor below it.
func (p *Painter) Close() {
	if p.hidden {
		p.hidden = false
		_, _ = io.WriteString(p.Out, showCursor)
	}
}

// rows returns how many rows lines take on a terminal of this width, which breaks wider lines.
func rows(lines []screen.Line, width int) int {
	n := 0
	for _, l := range lines {
		n += 1 + max(0, screen.Width(l.Text)-1)/max(1, width)
	}
	return n
}
