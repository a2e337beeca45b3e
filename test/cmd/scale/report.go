package main

import (
	"fmt"
	"io"
)

// writeReport writes the tables of the measurements that were made.
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
			t.add(append(row, count(p.Conflicts), count(p.Failed), megabytes(p.Up), megabytes(p.Down))...)
		}
	}
	t.write(w)
	fmt.Fprintln(w)
}

// costs are those that should be proportional to the number of nodes.
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

const notes = `- 12 reports are those that every update needs. 17 are those recorded on a cluster: with NodeDegraded,
  pinned image sets, a repeat, and a new daemon process after the reboot. One spec call is added, and with
  controllers four patches of the Node: desiredConfig, cordon, uncordon, currentConfig.
- Bytes are those of each party's TCP connection, with TLS and HTTP/2; MB are millions of bytes.
- Server CPU is the user and system time of kube-apiserver, for all clients.
- The lag is from the response to the last node's Updated=True until a watcher observes the pool Updated.
- The heap is that of the controllers' process after a garbage collection.
- A restart is that of the controllers when all nodes are Updated: the time and the bytes until their informers
  have synced, and the requests that the controllers themselves make then.
- Nodes send no heartbeats and run no Pods, and all daemons share one connection.
`
