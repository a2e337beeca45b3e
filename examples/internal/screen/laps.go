package screen

import (
	"slices"
	"time"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// stepOrder is the order of the rows of the table of steps, in either mode.
var stepOrder = orderOfSteps()

func orderOfSteps() []string {
	order := []string{notBegun}
	for _, imageMode := range []bool{false, true} {
		at := 0
		for _, p := range phases.All(imageMode) {
			s, ok := steps[p]
			if !ok {
				continue
			}
			if i := slices.Index(order, s.doing); i >= 0 {
				at = i
				continue
			}
			if imageMode {
				at++
				order = slices.Insert(order, at, s.doing)
				continue
			}
			order = append(order, s.doing)
		}
	}
	return append(order, "-")
}

// typicalLaps returns the median duration of each step on the nodes that are being updated.
func typicalLaps(pools []progress.Pool) map[string]time.Duration {
	laps := map[string][]time.Duration{}
	for _, p := range pools {
		for _, n := range p.Nodes {
			if n.State != progress.Updating {
				continue
			}
			for _, s := range n.Steps {
				if s.Mark == progress.Finished && s.Took > 0 {
					laps[Doing(s.Phase)] = append(laps[Doing(s.Phase)], s.Took)
				}
			}
		}
	}
	medians := map[string]time.Duration{}
	for step, all := range laps {
		slices.Sort(all)
		medians[step] = (all[(len(all)-1)/2] + all[len(all)/2]) / 2
	}
	return medians
}
