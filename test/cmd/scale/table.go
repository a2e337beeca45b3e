package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

func writeGrowth(w io.Writer, results []result) {
	if len(results) == 0 {
		return
	}
	fmt.Fprintf(w, "### With both controllers, by number of nodes: %d reports each\n\n", len(rebootUpdate))
	writeHeader(w, "nodes", "daemons' requests", "MB up", "MB down", "all requests", "all MB up", "all MB down",
		"server CPU s", "CPU ms a node", "wall s", "pool lag s", "heap MB")
	for _, r := range results {
		writeRow(w, count(r.nodes), count(r.daemons.requests), megabytes(r.daemons.up), megabytes(r.daemons.down),
			count(r.all.requests), megabytes(r.all.up), megabytes(r.all.down),
			seconds(r.cpu), eachNode(r.cpu, r.nodes), seconds(r.wall), fmt.Sprintf("%.2f", r.lag.Seconds()),
			megabytes(int(r.heap)))
	}
	fmt.Fprintln(w)
}

// writeHeader writes the header of a Markdown table. The first column has text, and the other
// columns have numbers.
func writeHeader(w io.Writer, cells ...string) {
	writeRow(w, cells...)
	fmt.Fprintln(w, "|---|"+strings.Repeat("---:|", len(cells)-1))
}

func writeRow(w io.Writer, cells ...string) {
	fmt.Fprintln(w, "| "+strings.Join(cells, " | ")+" |")
}

// count formats a number with thousands separators, for example 13,000.
func count(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

func megabytes(n int) string         { return fmt.Sprintf("%.1f", float64(n)/1e6) }
func seconds(d time.Duration) string { return fmt.Sprintf("%.1f", d.Seconds()) }

// eachNode formats d divided by the number of nodes, in milliseconds.
func eachNode(d time.Duration, nodes int) string {
	return fmt.Sprintf("%.0f", float64(d.Microseconds())/1e3/float64(nodes))
}
