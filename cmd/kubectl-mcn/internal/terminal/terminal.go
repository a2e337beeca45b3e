// Package terminal writes the lines of package screen: colored and redrawn on a terminal, as
// plain text elsewhere.
package terminal

import (
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/moby/term"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/screen"
)

// defaultWidth is the width of lines without a terminal and without COLUMNS.
const defaultWidth = 80

// Terminal describes the output.
type Terminal struct {
	IsTerminal bool
	Color      bool
	Size       func() (width, height int) // a height of 0 is no limit
}

// For describes an output. A dumb terminal cannot be redrawn: it is none.
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
			if err != nil || size.Width == 0 || size.Height == 0 {
				return plainSize()
			}
			return int(size.Width), int(size.Height)
		},
	}
}

func plainSize() (int, int) {
	if columns, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && columns > 0 {
		return columns, 0
	}
	return defaultWidth, 0
}

// Print writes lines to an output.
func (t Terminal) Print(out io.Writer, lines []screen.Line) error {
	_, err := io.WriteString(out, t.Text(lines, "\n"))
	return err
}

// colors are the sequences of the tones.
var colors = map[screen.Tone]string{
	screen.Header: "\x1b[1m",
	screen.Warn:   "\x1b[33m",
	screen.Alarm:  "\x1b[31m",
}

// Text returns lines with an ending after each, colored if the terminal has colors.
func (t Terminal) Text(lines []screen.Line, ending string) string {
	var b strings.Builder
	for _, l := range lines {
		if color := colors[l.Tone]; color != "" && t.Color && l.Text != "" {
			b.WriteString(color + l.Text + "\x1b[0m")
		} else {
			b.WriteString(l.Text)
		}
		b.WriteString(ending)
	}
	return b.String()
}
