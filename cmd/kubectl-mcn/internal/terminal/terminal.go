// Package terminal writes the lines of package screen. On a terminal, lines are colored and can be
// redrawn. In a pipe or a file, they are plain text.
package terminal

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/moby/term"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/screen"
)

// plainWidth is the width if the output is not a terminal.
const plainWidth = 80

// Terminal describes an output: a terminal, a pipe or a file.
type Terminal struct {
	IsTerminal bool
	Color      bool
	Size       func() (width, height int) // a height of 0 means no limit
}

// For returns the Terminal that describes a writer. IsTerminal is not set for a dumb terminal, which
// cannot redraw.
func For(out io.Writer) Terminal {
	fd, isTerminal := term.GetFdInfo(out)
	if !isTerminal || os.Getenv("TERM") == "dumb" {
		return Terminal{Size: plainSize}
	}
	return Terminal{
		IsTerminal: true,
		Color:      os.Getenv("NO_COLOR") == "",
		Size: func() (int, int) {
			size, err := term.GetWinsize(fd)
			if err != nil || size.Width == 0 {
				return plainSize()
			}
			return int(size.Width), int(size.Height)
		},
	}
}

func plainSize() (int, int) { return plainWidth, 0 }

// Print writes lines to out.
func (t Terminal) Print(out io.Writer, lines []screen.Line) error {
	_, err := io.WriteString(out, t.Text(lines, "\n"))
	return err
}

var colors = map[screen.Tone]string{
	screen.Header: "\x1b[1m",
	screen.Warn:   "\x1b[33m",
	screen.Alarm:  "\x1b[31m",
}

// Text joins lines, and adds ending to each line. The lines are colored if t.Color is set.
func (t Terminal) Text(lines []screen.Line, ending string) string {
	var b strings.Builder
	for _, l := range lines {
		if color := colors[l.Tone]; color != "" && t.Color {
			b.WriteString(color + l.Text + "\x1b[0m")
		} else {
			b.WriteString(l.Text)
		}
		b.WriteString(ending)
	}
	return b.String()
}

// The escape sequences of a redraw. Painter does not use the alternate screen, so that the terminal
// keeps its earlier output and the last screen.
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

	last []screen.Line // the drawn lines; nil before the first Paint, which hides the cursor
}

// Paint draws lines over the last screen.
func (p *Painter) Paint(lines []screen.Line) error {
	width, _ := p.Terminal.Size()
	for i := range lines {
		lines[i].Text = screen.Cut(lines[i].Text, width) // the terminal must not wrap a line
	}
	if slices.Equal(p.last, lines) {
		return nil
	}
	var b strings.Builder
	if p.last == nil {
		b.WriteString(hideCursor)
	}
	if up := rows(p.last, width); up > 0 {
		fmt.Fprintf(&b, "\x1b[%dA\r", up)
	}
	// Each line is cleared before its text: after a full line, clearLine would clear the last character.
	b.WriteString(clearLine)
	b.WriteString(p.Terminal.Text(lines, "\r\n"+clearLine))
	b.WriteString(clearBelow)
	p.last = lines
	_, err := io.WriteString(p.Out, b.String())
	return err
}

// Close keeps the last screen, and shows the cursor below it.
func (p *Painter) Close() {
	if p.last != nil {
		_, _ = io.WriteString(p.Out, showCursor)
	}
}

// rows returns the number of rows of the lines on a terminal of this width. After the user has made
// the terminal narrower, a line may take several rows.
func rows(lines []screen.Line, width int) int {
	n := 0
	for _, l := range lines {
		n += 1 + max(0, screen.Width(l.Text)-1)/max(1, width)
	}
	return n
}
