package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestTableIsAligned(t *testing.T) {
	table := table{header: []string{"who", "n"}}
	table.add("a", "1")
	table.add("bücher", "1,000")
	var out bytes.Buffer
	table.write(&out)
	assert.Equal(t, strings.Join([]string{
		"| who    |     n |",
		"|--------|------:|",
		"| a      |     1 |",
		"| bücher | 1,000 |",
		"",
	}, "\n"), out.String())
}

func TestFigures(t *testing.T) {
	for n, text := range map[int]string{0: "0", 999: "999", 1000: "1,000", 13000: "13,000", 1234567: "1,234,567", -999: "-999", -1000: "-1,000"} {
		assert.Equal(t, text, count(n))
	}
	assert.Equal(t, "79.8", megabytes(79_800_000))
	assert.Equal(t, "46.0", seconds(46*time.Second))
	assert.Equal(t, "92", eachNode(46*time.Second, 500))
	assert.Equal(t, "0.65", ratio(8500, 13000))
	assert.Equal(t, "-", ratio(1, 0))
}

func sample(client string, nodes int, down int64) result {
	return result{
		Client: client, Nodes: nodes, AtATime: 50, CPU: time.Duration(nodes) * 90 * time.Millisecond, Lag: 250 * time.Millisecond,
		Parties: []partyTally{
			{daemonsParty, tally{Requests: map[string]int{"get": nodes, "apply": 15 * nodes}, Conflicts: 7, Up: 1e6, Down: down}},
			{"pool", tally{Requests: map[string]int{"patch": 40}, Down: 1e6}},
		},
	}
}

func TestComparisonPutsClientsSideBySide(t *testing.T) {
	var out bytes.Buffer
	writeReport(&out, [][]result{{sample("today", 500, 80e6), sample("ours", 250, 40e6)}}, nil)
	assert.Contains(t, out.String(), "| today        |    8,000 | 500 | 7,500 |     0 |   7 |   1.0 |    80.0 |         45.0 |            90 |")
	assert.Contains(t, out.String(), "| ours / today |     0.50 |     |       |       |     |  1.00 |    0.50 |         0.50 |               |")
	assert.NotContains(t, out.String(), "by number of nodes")
}

func TestGrowthHasOneRowForEachNumberOfNodes(t *testing.T) {
	var out bytes.Buffer
	writeReport(&out, nil, []result{sample("ours", 500, 50e6), sample("ours", 5000, 1000e6)})
	text := out.String()
	assert.NotContains(t, text, "by client")
	assert.Contains(t, text, "| 5,000 |            80,000 |   1.0 |  1000.0 |       80,040 |")
	assert.Contains(t, text, "| 500 pool      |     0 |    0 |     0 |      0 |      0 |    40 |")
	assert.Contains(t, text, "| daemons' requests   |             1.00 |")
	assert.Contains(t, text, "| daemons' bytes down |             2.00 |")

	out.Reset()
	writeReport(&out, nil, []result{sample("ours", 500, 50e6)})
	assert.NotContains(t, out.String(), "highest / lowest", "one row has nothing to compare")
}
