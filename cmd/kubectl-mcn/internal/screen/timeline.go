package screen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

const (
	tickColumns  = 8   // of a chart, from one time on the axis to the next
	totalColumns = 7   // for the duration of a node's update, right of the chart
	chartWidth   = 120 // without a limit of the width
	longestRow   = 24  // the width to which the name of a node is cut
	day          = 24 * time.Hour
	minutes      = "15:04"
)

// ticks are the intervals that an axis may have; of more than the last, multiples of it.
var ticks = []time.Duration{
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, day,
}

// chartRow is the update of a node on the chart. A step that has not finished ends now.
type chartRow struct {
	node     progress.Node
	steps    []progress.Span
	from, to time.Time
}

// Timeline returns a chart of the update of each pool to its present target, the nodes by their begin. In each column is
// the letter of the step that took the most of its time. All charts have the same axis, and a pool without a step has none.
func Timeline(pools []progress.Pool, spans []progress.Span, o Options) []Line {
	charts := make([][]chartRow, len(pools))
	var from, to time.Time
	for i, p := range pools {
		charts[i] = chartRows(p, spans, o)
		for _, r := range charts[i] {
			if from.IsZero() || r.from.Before(from) {
				from = r.from
			}
			if r.to.After(to) {
				to = r.to
			}
		}
	}
	var ls []Line
	for i, p := range pools {
		if len(charts[i]) == 0 {
			continue
		}
		ls = append(ls, drawChart(p, charts[i], from, to, o)...)
		ls = append(ls, Line{})
	}
	if len(ls) == 0 {
		return wrapped(Plain, "", "No update of a node to the present targets is known.", o.Width)
	}
	return append(ls, letters(o.Width)...)
}

// letters explains the letters of a chart.
func letters(width int) []Line {
	var known []string
	for _, s := range steps {
		if text := fmt.Sprintf("%c:%s", s.letter, s.doing); !slices.ContainsFunc(known, func(k string) bool { return k[0] == s.letter }) {
			known = append(known, text)
		}
	}
	return wrapped(Plain, "  ", strings.Join(append(known, "!:stuck"), "  "), width)
}

// chartRows returns the nodes of a pool with the steps that are drawn.
func chartRows(p progress.Pool, spans []progress.Span, o Options) []chartRow {
	byNode := map[string]*chartRow{}
	for _, s := range spans {
		if s.To.IsZero() {
			s.To = o.Now
		}
		isCurrent := p.Target.Config == "" || s.Target == p.Target
		if !isCurrent || !s.To.After(s.From) || s.From.IsZero() {
			continue
		}
		s.From, s.To = s.From.In(o.Now.Location()), s.To.In(o.Now.Location())
		r := byNode[s.Node]
		if r == nil {
			r = &chartRow{from: s.From, to: s.To}
			byNode[s.Node] = r
		}
		r.steps = append(r.steps, s)
		if s.From.Before(r.from) {
			r.from = s.From
		}
		if s.To.After(r.to) {
			r.to = s.To
		}
	}
	var rows []chartRow
	for _, n := range p.Nodes {
		if r := byNode[n.Name]; r != nil && (o.Show == nil || o.Show(n)) {
			r.node = n
			rows = append(rows, *r)
		}
	}
	slices.SortStableFunc(rows, func(a, b chartRow) int { return cmp.Or(a.from.Compare(b.from), cmp.Compare(a.node.Name, b.node.Name)) })
	return rows
}

func drawChart(p progress.Pool, rows []chartRow, from, to time.Time, o Options) []Line {
	width := cmp.Or(max(o.Width, 0), chartWidth)
	var names []string
	for _, r := range rows {
		names = append(names, clean(r.node.Name))
	}
	names = shortAll(names, min(longestRow, max(1, width/3)))
	name := 0
	for _, n := range names {
		name = max(name, Width(n))
	}
	tick, start := axis(from, to, max(1, width-name-1-totalColumns))
	column := tick / tickColumns
	columns := int((to.Sub(start) + column - 1) / column)

	end := minutes
	if start.Format(time.DateOnly) != to.Format(time.DateOnly) {
		end = "2006-01-02 15:04"
	}
	head := fmt.Sprintf("%s, %s to %s, one column is %s", strings.TrimRight(clean(p.Name)+" "+o.target(p), " "),
		start.Format("2006-01-02 15:04"), to.Format(end+" MST"), took(column))
	screen := wrapped(Plain, "  ", head, o.Width)
	screen = append(screen, lines(Header, Cut(strings.Repeat(" ", name+1)+scale(start, tick, columns), o.Width))...)
	for i, r := range rows {
		text, tone := pad(names[i], name)+" ", Plain
		for i := range columns {
			from := start.Add(time.Duration(i) * column)
			text += string(r.letter(from, from.Add(column)))
		}
		text += " " + took(r.to.Sub(r.from))
		if r.node.State == progress.Stuck {
			text, tone = text+"!", Alarm
		}
		screen = append(screen, lines(tone, Cut(text, o.Width))...)
	}
	return screen
}

// letter returns that of the step that takes the most of a time.
func (r chartRow) letter(from, to time.Time) rune {
	letter, most := ' ', time.Duration(0)
	for _, s := range r.steps {
		part := min(s.To.Sub(from), to.Sub(from)) - max(s.From.Sub(from), 0)
		if part > most {
			letter, most = rune(stepOf(s.Phase).letter), part
		}
	}
	return letter
}

// axis returns the interval of the times on an axis of this width, and the first of them.
func axis(from, to time.Time, columns int) (time.Duration, time.Time) {
	tick := ticks[0]
	for i := 0; ; i++ {
		if i < len(ticks) {
			tick = ticks[i]
		} else {
			tick *= 2
		}
		start := from.Truncate(tick)
		if to.Sub(start) <= time.Duration(columns)*(tick/tickColumns) || tick > 1000*day {
			return tick, start
		}
	}
}

// scale formats the times of an axis.
func scale(start time.Time, tick time.Duration, columns int) string {
	format := minutes
	switch {
	case tick < time.Minute:
		format = "04:05"
	case tick >= day:
		format = "Jan 2"
	}
	text := ""
	for i := 0; i < columns; i += tickColumns {
		text += pad("|"+start.Add(time.Duration(i/tickColumns)*tick).Format(format), tickColumns)
	}
	return text
}
