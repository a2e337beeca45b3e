package screen

import (
	"math"
	"strings"
)

// table formats rows with an indent and with two spaces between columns. The first row has the
// titles. A column is at least as wide as its title, and right-aligned if the title starts with
// ">".
func table(rows [][]string, indent, width int) []Line {
	widths := columnWidths(rows)
	var ls []Line
	for r, row := range rows {
		b, tone := strings.Repeat(" ", indent), Plain
		if r == 0 {
			tone = Header
		}
		for i, cell := range row {
			title, isRight := strings.CutPrefix(rows[0][i], ">")
			if r == 0 {
				cell = strings.TrimLeft(title, " ")
			}
			gap := strings.Repeat(" ", max(0, widths[i]-Width(cell)))
			if isRight {
				cell, gap = gap, cell
			}
			b += cell + gap + "  "
		}
		ls = append(ls, Line{Text: Cut(strings.TrimRight(b, " "), width), Tone: tone})
	}
	return ls
}

func columnWidths(rows [][]string) []int {
	widths := make([]int, len(rows[0]))
	for r, row := range rows {
		for i, cell := range row {
			if r == 0 {
				cell = strings.TrimPrefix(cell, ">")
			}
			widths[i] = max(widths[i], Width(cell))
		}
	}
	return widths
}

func breadth(rows [][]string, indent int) int {
	total := indent
	for i, w := range columnWidths(rows) {
		total += w + 2*min(i, 1)
	}
	return total
}

// Tone is the kind of a line, which determines its color.
type Tone int

// The tones.
const (
	Plain  Tone = iota
	Header      // the titles of a table
	Warn        // for example a slow node, or an image that is being built
	Alarm       // for example a stuck node, a blocked pool, or an unreachable server
)

// Line is one line of a screen. Its text is printable, and has no line feed.
type Line struct {
	Text string
	Tone Tone
}

// paragraph returns an empty line, and text with a margin from the second line on.
func (o Options) paragraph(tone Tone, text string) []Line {
	return append([]Line{{}}, wrapped(tone, "", margin, text, o.Width)...)
}

// wrapped cleans text, and breaks it at spaces into lines of at most width columns; 0 means no limit. It
// also breaks a word that is wider than a line. The first line starts with first, and all other lines with
// rest.
func wrapped(tone Tone, first, rest, text string, width int) (ls []Line) {
	line, gap, most := first, "", max(width, Width(rest)+2) // a line has room for a wide character
	if width <= 0 {
		most = math.MaxInt
	}
	end := func(next string) {
		ls = append(ls, Line{Text: strings.TrimRight(line, " "), Tone: tone})
		line, gap = rest+next, ""
	}
	for _, word := range strings.Fields(Clean(text)) {
		if gap != "" && Width(line+gap+word) > most {
			end("")
		}
		for line += gap + word; Width(line) > most; {
			head := columns.Truncate(line, most, "")
			next := line[len(head):]
			line = head
			end(next)
		}
		gap = " "
	}
	end("")
	return ls
}
