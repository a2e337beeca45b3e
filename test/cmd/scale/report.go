package main

import (
	"fmt"
	"io"
)

// writeReport writes the tables of both measurements, as far as they were made.
func writeReport(w io.Writer, compared [][]result, grown []result) {
	for _, results := range compared {
		writeComparison(w, results)
	}
	if len(grown) > 0 {
		writeGrowth(w, grown)
		writeControllers(w, grown)
		writeParties(w, grown)
		writeSpread(w, grown)
	}
	fmt.Fprint(w, notes)
}

func writeComparison(w io.Writer, results []result) {
	first := results[0]
	fmt.Fprintf(w, "### The daemons, by client: %s nodes, %d reports each, %d at a time, no controllers\n\n",
		count(first.Nodes), first.Calls, first.AtATime)
	t := table{header: []string{"client", "requests", "get", "apply", "patch", "409", "MB up", "MB down", "server CPU s", "CPU ms a node"}}
	for _, r := range results {
		d := r.daemons()
		t.add(r.Client, count(d.total()), count(d.Requests["get"]), count(d.Requests["apply"]), count(d.Requests["patch"]),
			count(d.Conflicts), megabytes(d.Up), megabytes(d.Down), seconds(r.CPU), eachNode(r.CPU, r.Nodes))
	}
	for _, r := range results[1:] {
		d, base := r.daemons(), first.daemons()
		t.add(r.Client+" / "+first.Client, ratio(float64(d.total()), float64(base.total())), "", "", "", "",
			ratio(float64(d.Up), float64(base.Up)), ratio(float64(d.Down), float64(base.Down)), ratio(r.CPU.Seconds(), first.CPU.Seconds()), "")
	}
	t.write(w)
	fmt.Fprintln(w)
}

func writeGrowth(w io.Writer, results []result) {
	fmt.Fprintf(w, "### All parties, by number of nodes: %d reports each, %d at a time\n\n", results[0].Calls, results[0].AtATime)
	t := table{header: []string{"nodes", "daemons' requests", "MB up", "MB down", "all requests", "all MB up", "all MB down",
		"server CPU s", "CPU ms a node", "wall s"}}
	for _, r := range results {
		d, all := r.daemons(), r.all()
		t.add(count(r.Nodes), count(d.total()), megabytes(d.Up), megabytes(d.Down), count(all.total()), megabytes(all.Up), megabytes(all.Down),
			seconds(r.CPU), eachNode(r.CPU, r.Nodes), seconds(r.Wall))
	}
	t.write(w)
	fmt.Fprintln(w)
}

func writeControllers(w io.Writer, results []result) {
	fmt.Fprint(w, "### The controllers\n\n")
	t := table{header: []string{"nodes", "pool lag s", "heap MB", "peak RSS MB", "restart s", "restart MB down", "restart requests"}}
	for _, r := range results {
		t.add(count(r.Nodes), fmt.Sprintf("%.2f", r.Lag.Seconds()), megabytes(r.Memory.Heap), megabytes(r.Memory.Peak),
			seconds(r.Restart.Wall), megabytes(r.Restart.Down), count(r.Restart.Requests))
	}
	t.write(w)
	fmt.Fprintln(w)
}

func writeParties(w io.Writer, results []result) {
	fmt.Fprint(w, "### Requests and bytes, by party\n\n")
	t := table{header: append(append([]string{"nodes, party"}, verbs...), "409", "other errors", "MB up", "MB down")}
	for _, r := range results {
		for _, p := range r.Parties {
			row := []string{count(r.Nodes) + " " + p.Name}
			for _, verb := range verbs {
				row = append(row, count(p.Requests[verb]))
			}
			t.add(append(row, count(p.Conflicts), count(p.Refused), megabytes(p.Up), megabytes(p.Down))...)
		}
	}
	t.write(w)
	fmt.Fprintln(w)
}

// costs are what has to grow as the number of nodes does.
var costs = []struct {
	name string
	of   func(result) float64
}{
	{"daemons' requests", func(r result) float64 { return float64(r.daemons().total()) }},
	{"daemons' bytes down", func(r result) float64 { return float64(r.daemons().Down) }},
	{"all requests", func(r result) float64 { return float64(r.all().total()) }},
	{"all bytes down", func(r result) float64 { return float64(r.all().Down) }},
	{"server CPU", func(r result) float64 { return r.CPU.Seconds() }},
}

func writeSpread(w io.Writer, results []result) {
	if len(results) < 2 {
		return
	}
	fmt.Fprint(w, "### Cost of a node in the row where it is highest, over that where it is lowest\n\n")
	t := table{header: []string{"cost", "highest / lowest"}}
	for _, cost := range costs {
		var points []point
		for _, r := range results {
			points = append(points, point{r.Nodes, cost.of(r)})
		}
		t.add(cost.name, fmt.Sprintf("%.2f", spread(points)))
	}
	t.write(w)
	fmt.Fprintln(w)
}

const notes = `- 12 reports are those that every update takes. 17 are what was recorded on a cluster: with NodeDegraded,
  pinned image sets, a repeat, and a daemon that is another process after the reboot. One call for the spec
  comes on top. With controllers, four patches of the Node do too: desiredConfig, cordon, uncordon, currentConfig.
- Bytes are those of the TCP connection of each party, TLS and HTTP/2 included; MB are millions of bytes.
- Server CPU is the user and system time of kube-apiserver, whoever caused it.
- The lag is from the answer to the last node's Updated=True until a watcher sees the pool Updated.
- The heap of the controllers' process is what a garbage collection leaves of it.
- A restart is one of the controllers when all nodes are Updated: the time and the bytes until their informers
  know all objects, and the requests that the controllers themselves make then.
- Nodes send no heartbeats and run no Pods, and all daemons share one connection.
`
