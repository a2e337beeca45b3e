package screen

import (
	"fmt"

	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// mostLongest is how many nodes the table of steps names on a wide screen.
const mostLongest = 3

// leastLongest is the minimum width at which nodes are named.
const leastLongest = 20

// stepTable returns a row for each step that nodes are in, with the nodes that are longest in it.
func stepTable(pools []progress.Pool, flying []progress.Node, o Options) []string {
	byStep := map[string][]progress.Node{}
	var order []string
	for _, n := range flying {
		byStep[doing(n)] = append(byStep[doing(n)], n)
	}
	for _, s := range stepOrder {
		if len(byStep[s]) > 0 {
			order = append(order, s)
		}
	}
	typical := typicalLaps(pools)

	step := column{title: "STEP", width: 13}
	number := column{title: "NODES", gap: 2, right: true}
	usual := column{title: "TYPICAL", gap: 2, right: true}
	longest := column{title: "LONGEST", gap: 2}
	for _, s := range order {
		step.cells = append(step.cells, s)
		number.cells = append(number.cells, count(len(byStep[s])))
		usual.cells = append(usual.cells, orDash(typical[s]))
		most := 1
		if isWide(o.Width) {
			most = mostLongest
		}
		var names string
		for i, n := range byStep[s][:min(most, len(byStep[s]))] {
			if i > 0 {
				names += ", "
			}
			names += fmt.Sprintf("%s %s", short(clean(n.Name), longestNode), sinceNow(n.Since, o.Now))
		}
		longest.cells = append(longest.cells, names)
	}
	columns := []column{step, number, usual}
	if o.Width <= 0 || o.Width-breadth(columns, nodeIndent) >= leastLongest {
		columns = append(columns, longest)
	}
	return layout(columns, nodeIndent, o.Width)
}
