package screen

import (
	"cmp"
	"slices"
	"time"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// bar is a step of a node on the chart. One that has not finished ends now.
type bar struct {
	phase    phases.Phase
	from, to time.Time
	running  bool
}

// chartRow is a node on the chart.
type chartRow struct {
	node progress.Node
	bars []bar
}

func (r chartRow) from() time.Time { return r.bars[0].from }

// total returns how long the update of the node has taken.
func (r chartRow) total() time.Duration {
	end := r.from()
	for _, b := range r.bars {
		if b.to.After(end) {
			end = b.to
		}
	}
	return end.Sub(r.from())
}

// chart is the update of a pool over time. All charts have the same axis.
type chart struct {
	pool     progress.Pool
	rows     []chartRow
	from, to time.Time
}

// names returns the names of the nodes in at most so many columns, and how wide they are.
func (c chart) names(most int) (names []string, width int) {
	for _, r := range c.rows {
		names = append(names, clean(r.node.Name))
	}
	names = shortAll(names, most)
	for _, name := range names {
		width = max(width, Width(name))
	}
	return names, width
}

// charts sorts spans by pool and node, the nodes by their begin: those of the present rollout, or with
// Since of that time. A pool without spans has no chart.
func charts(pools []progress.Pool, spans []progress.Span, o TimelineOptions) []chart {
	byNode := map[string][]progress.Span{}
	for _, s := range spans {
		byNode[s.Node] = append(byNode[s.Node], s)
	}
	var all []chart
	for _, p := range pools {
		c := chart{pool: p}
		for _, n := range p.Nodes {
			if bars := barsOf(p, byNode[n.Name], o); len(bars) > 0 && (o.Show == nil || o.Show(n)) {
				c.rows = append(c.rows, chartRow{node: n, bars: bars})
			}
		}
		if len(c.rows) == 0 {
			continue
		}
		slices.SortStableFunc(c.rows, func(a, b chartRow) int {
			return cmp.Or(a.from().Compare(b.from()), cmp.Compare(a.node.Name, b.node.Name))
		})
		all = append(all, c)
	}
	var from, to time.Time
	for _, c := range all {
		for _, r := range c.rows {
			if from.IsZero() || r.from().Before(from) {
				from = r.from()
			}
			if end := r.from().Add(r.total()); end.After(to) {
				to = end
			}
		}
	}
	for i := range all {
		all[i].from, all[i].to = from, to
	}
	return all
}

// barsOf returns the steps of a node that are to be drawn, in the order of time.
func barsOf(p progress.Pool, spans []progress.Span, o TimelineOptions) []bar {
	var bars []bar
	for _, s := range spans {
		b := bar{phase: s.Phase, from: s.From.In(o.Now.Location()), to: s.To.In(o.Now.Location()), running: s.To.IsZero()}
		if b.running {
			b.to = o.Now
		}
		isCurrent := p.Target.Config == "" || s.Target == p.Target
		if o.Since > 0 {
			isCurrent = b.to.After(o.Now.Add(-o.Since))
		}
		if isCurrent && b.to.After(b.from) && !b.from.IsZero() {
			bars = append(bars, b)
		}
	}
	slices.SortStableFunc(bars, func(a, b bar) int { return a.from.Compare(b.from) })
	return bars
}
