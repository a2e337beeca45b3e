package screen

import "strings"

// table lays rows out behind an indent, the titles first, with two spaces between columns. A column is at least as
// wide as its title, and aligned right if the title starts with ">". The last column has no width: it may have long messages.
func table(rows [][]string, indent int) []string {
	widths := columnWidths(rows)
	lines := make([]string, len(rows))
	for r, row := range rows {
		b := strings.Repeat(" ", indent)
		for i, cell := range row {
			title, isRight := strings.CutPrefix(rows[0][i], ">")
			if r == 0 {
				cell = strings.TrimLeft(title, " ")
			}
			gap := strings.Repeat(" ", max(0, widths[i]-Width(cell)))
			switch {
			case isRight:
				b += gap + cell
			case i < len(row)-1:
				b += cell + gap
			default:
				b += cell
			}
			b += "  "
		}
		lines[r] = strings.TrimRight(b, " ")
	}
	return lines
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

// breadth returns how wide a table is.
func breadth(rows [][]string, indent int) int {
	total := indent
	for i, w := range columnWidths(rows) {
		total += w + 2*min(i, 1)
	}
	return total
}

// tableLines returns a table as lines of at most width columns.
func tableLines(rows [][]string, indent, width int) []Line {
	var ls []Line
	for i, row := range table(rows, indent) {
		tone := Plain
		if i == 0 {
			tone = Header
		}
		ls = append(ls, Line{Text: Cut(row, width), Tone: tone})
	}
	return ls
}
