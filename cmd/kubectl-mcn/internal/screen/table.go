package screen

import "strings"

// column is a column of a table. A cell that is too wide for it makes it wider.
type column struct {
	title string
	gap   int // spaces before it
	width int // at least
	right bool
	cells []string
}

// layout lays columns out, the titles first, behind an indent. A line is cut at width; 0 is no
// limit.
func layout(columns []column, indent, width int) []string {
	rows := 0
	for i, c := range columns {
		columns[i].width = max(c.width, Width(c.title))
		for _, cell := range c.cells {
			columns[i].width = max(columns[i].width, Width(cell))
		}
		rows = max(rows, len(c.cells))
	}
	lines := make([]string, 0, rows+1)
	for row := -1; row < rows; row++ {
		var b strings.Builder
		b.WriteString(strings.Repeat(" ", indent))
		for i, c := range columns {
			cell := c.title
			if row >= 0 {
				cell = c.cells[row]
			}
			b.WriteString(strings.Repeat(" ", c.gap))
			if c.right {
				b.WriteString(strings.Repeat(" ", c.width-Width(cell)))
			}
			b.WriteString(cell)
			if !c.right && i < len(columns)-1 { // the last one may have a long message
				b.WriteString(strings.Repeat(" ", c.width-Width(cell)))
			}
		}
		lines = append(lines, Cut(strings.TrimRight(b.String(), " "), width))
	}
	return lines
}

// breadth returns how wide a table is without its last column's cells.
func breadth(columns []column, indent int) int {
	total := indent
	for _, c := range columns {
		w := max(c.width, Width(c.title))
		for _, cell := range c.cells {
			w = max(w, Width(cell))
		}
		total += c.gap + w
	}
	return total
}
