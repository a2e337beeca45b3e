package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// table is a Markdown table with aligned columns, which is readable as plain text.
type table struct {
	header []string
	rows   [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// write writes the table. The first column is text, the others are numbers, right-aligned.
func (t *table) write(w io.Writer) {
	widths := make([]int, len(t.header))
	for _, row := range append([][]string{t.header}, t.rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell), 2)
		}
	}
	line := func(row []string) {
		for i, cell := range row {
			gap := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				fmt.Fprintf(w, "| %s%s |", cell, gap)
			} else {
				fmt.Fprintf(w, " %s%s |", gap, cell)
			}
		}
		fmt.Fprintln(w)
	}
	line(t.header)
	for i, width := range widths {
		if i == 0 {
			fmt.Fprintf(w, "|%s|", strings.Repeat("-", width+2))
		} else {
			fmt.Fprintf(w, "%s:|", strings.Repeat("-", width+1))
		}
	}
	fmt.Fprintln(w)
	for _, row := range t.rows {
		line(row)
	}
}
