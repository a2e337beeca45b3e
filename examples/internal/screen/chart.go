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
	node  string
	bars  []bar
	stuck bool
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

// chart is the update of a pool over time.
type chart struct {
	pool     progress.Pool
	rows     []chartRow
	from, to time.Time
}

// charts sorts spans by pool and node, the nodes by their begin. A pool without
// spans has no chart.
func charts(pools []progress.Pool, spans []progress.Span, o Options) []chart {
	byNode := map[string][]bar{}
	for _, s := range spans {
		b := bar{phase: s.Phase, from: s.From.In(o.Now.Location()), to: s.To.In(o.Now.Location()), running: s.To.IsZero()}
		if b.running {
			b.to = o.Now
		}
		if b.to.After(b.from) && !b.from.IsZero() {
			byNode[s.Node] = append(byNode[s.Node], b)
		}
	}
	var all []chart
	for _, p := range pools {
		c := chart{pool: p}
		stuck := map[string]bool{}
		for _, s := range p.Stuck {
			stuck[s.Node.Name] = true
		}
		for _, n := range p.Nodes {
			bars := byNode[n.Name]
			if len(bars) == 0 || o.Show != nil && !o.Show(n) {
				continue
			}
			slices.SortStableFunc(bars, func(a, b bar) int { return a.from.Compare(b.from) })
			c.rows = append(c.rows, chartRow{clean(n.Name), bars, stuck[n.Name]})
		}
		if len(c.rows) == 0 {
			continue
		}
		slices.SortStableFunc(c.rows, func(a, b chartRow) int {
			return cmp.Or(a.from().Compare(b.from()), cmp.Compare(a.node, b.node))
		})
		c.from, c.to = c.rows[0].from(), c.rows[0].from()
		for _, r := range c.rows {
			if end := r.from().Add(r.total()); end.After(c.to) {
				c.to = end
			}
		}
		all = append(all, c)
	}
	return all
}
