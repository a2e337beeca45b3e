package screen

import "strings"

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

func lines(tone Tone, texts ...string) []Line {
	var ls []Line
	for _, t := range texts {
		ls = append(ls, Line{Text: strings.TrimRight(t, " "), Tone: tone})
	}
	return ls
}

// paragraph returns an empty line, and clean text with a margin from the second line on.
func (o Options) paragraph(tone Tone, text string) []Line {
	return append([]Line{{}}, wrapped(tone, margin, text, o.Width)...)
}

// wrapped returns clean text as lines of at most width columns; 0 means no limit. All lines after
// the first line have the indent.
func wrapped(tone Tone, indent, text string, width int) []Line {
	if width <= 0 || Width(text) <= width {
		return lines(tone, text)
	}
	return indented(tone, "", indent, text, width)
}
