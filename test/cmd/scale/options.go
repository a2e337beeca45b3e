package main

import (
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// options selects what to measure.
type options struct {
	nodes   []int // one row for each
	atATime int

	compare        int // nodes of each client; 0: no comparison
	compareAtATime int
	clients        []string

	markdown string
}

func parse(args []string, stderr io.Writer) (options, error) {
	o := options{}
	flags := flag.NewFlagSet("scale", flag.ContinueOnError)
	flags.SetOutput(stderr)
	nodes := flags.String("nodes", "500 1000 2500 5000", "numbers of nodes, one row of the table for each")
	flags.IntVar(&o.atATime, "at-a-time", 100, "how many nodes are updated at a time")
	flags.IntVar(&o.compare, "compare", 500, "how many nodes each client updates in the comparison (0: no comparison)")
	flags.IntVar(&o.compareAtATime, "compare-at-a-time", 50, "how many nodes are updated at a time in the comparison")
	clients := flags.String("client", clientToday+" "+clientOurs, "the clients that are compared")
	flags.StringVar(&o.markdown, "markdown", "", "write the tables to this file, too")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q: only flags are known, see --help", flags.Arg(0))
	}
	if o.atATime < 1 || o.compareAtATime < 1 {
		return o, fmt.Errorf("--at-a-time and --compare-at-a-time must be positive")
	}
	for _, word := range strings.Fields(*nodes) {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 {
			return o, fmt.Errorf("--nodes has %q: it takes positive numbers, separated by spaces", word)
		}
		o.nodes = append(o.nodes, n)
	}
	for _, client := range strings.Fields(*clients) {
		if _, ok := daemonsBy[client]; !ok {
			return o, fmt.Errorf("--client has %q: it takes %s and %s, separated by a space", client, clientToday, clientOurs)
		}
		o.clients = append(o.clients, client)
	}
	return o, nil
}
