package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

func writeComparison(w io.Writer, calls int, results []result) {
	nodes := count(results[0].nodes)
	fmt.Fprintf(w, "### The daemons, by client: %s nodes, %d reports each, no controllers\n\n", nodes, calls)
	writeHeader(w, "client", "requests", "get", "apply", "patch", "409", "MB up", "MB down",
		"server CPU s", "CPU ms a node")
	for _, r := range results {
		d := r.daemons
		writeRow(w, r.name, count(d.all()), count(d.requests["get"]), count(d.requests["apply"]), count(d.requests["patch"]),
			count(d.conflicts), megabytes(d.up), megabytes(d.down), seconds(r.cpu), eachNode(r.cpu, r.nodes))
	}
	base, ours := results[0], results[1]
	writeRow(w, "this library / MCO", ratio(ours.daemons.all(), base.daemons.all()), "", "", "", "",
		ratio(ours.daemons.up, base.daemons.up), ratio(ours.daemons.down, base.daemons.down), ratio(ours.cpu, base.cpu), "")
	fmt.Fprintln(w)
}

func writeGrowth(w io.Writer, results []result) {
	if len(results) == 0 {
		return
	}
	fmt.Fprintf(w, "### With both controllers, by number of nodes: %d reports each\n\n", len(shortUpdate))
	writeHeader(w, "nodes", "daemons' requests", "MB up", "MB down", "all requests", "all MB up", "all MB down",
		"server CPU s", "CPU ms a node", "wall s", "pool lag s", "heap MB")
	for _, r := range results {
		writeRow(w, r.name, count(r.daemons.all()), megabytes(r.daemons.up), megabytes(r.daemons.down),
			count(r.all.all()), megabytes(r.all.up), megabytes(r.all.down),
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

func ratio[T int | time.Duration](a, b T) string { return fmt.Sprintf("%.2f", float64(a)/float64(b)) }
