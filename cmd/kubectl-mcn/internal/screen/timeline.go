package screen

import (
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
)

// ticks are the intervals that an axis may have; of more than the last, multiples of it.
var ticks = []time.Duration{
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, day,
}

const day = 24 * time.Hour

// Timeline returns a chart of the update of each pool: a row for each node, in each column the
// letter of the step that took the most of its time. See Legend.
func Timeline(pools []progress.Pool, spans []progress.Span, o TimelineOptions) []Line {
	var screen []Line
	for i, c := range charts(pools, spans, o) {
		if i > 0 {
			screen = append(screen, Line{})
		}
		screen = append(screen, c.draw(o.Options)...)
	}
	return fit(screen, o.Options)
}

// Legend returns the letters of a timeline.
func Legend(width int) []Line {
	var known []string
	for _, s := range steps {
		if text := fmt.Sprintf("%c:%s", s.letter, s.doing); !slices.ContainsFunc(known, func(k string) bool { return k[0] == s.letter }) {
			known = append(known, text)
		}
	}
	return wrapped(Plain, "  ", strings.Join(append(known, "!:stuck"), "  "), width)
}

func (c chart) draw(o Options) []Line {
	width := o.Width
	if width <= 0 {
		width = chartWidth
	}
	names, name := c.names(min(longestRow, max(1, width/3)))
	room := max(1, width-name-1-totalColumns)
	tick, start := axis(c.from, c.to, room)
	column := tick / tickColumns
	columns := int((c.to.Sub(start) + column - 1) / column)

	end := minutes
	if start.YearDay() != c.to.YearDay() || start.Year() != c.to.Year() {
		end = "2006-01-02 15:04"
	}
	head := fmt.Sprintf("%s, %s to %s, one column is %s", strings.TrimRight(clean(c.pool.Name)+" "+TargetText(c.pool.Name, c.pool.Target), " "),
		start.Format("2006-01-02 15:04"), c.to.Format(end+" MST"), took(column))
	screen := wrapped(Plain, "  ", head, o.Width)
	screen = append(screen, lines(Header, Cut(strings.Repeat(" ", name+1)+scale(start, tick, columns), o.Width))...)
	for i, r := range c.rows {
		var b strings.Builder
		b.WriteString(pad(names[i], name) + " ")
		for i := range columns {
			from := start.Add(time.Duration(i) * column)
			b.WriteByte(r.letter(from, from.Add(column)))
		}
		b.WriteString(" " + took(r.total()))
		tone := Plain
		if r.node.State == progress.Stuck {
			b.WriteByte('!')
			tone = Alarm
		}
		screen = append(screen, lines(tone, Cut(b.String(), o.Width))...)
	}
	return screen
}

// letter returns that of the step that takes the most of a time.
func (r chartRow) letter(from, to time.Time) byte {
	letter, most := byte(' '), time.Duration(0)
	for _, b := range r.bars {
		begin, end := b.from, b.to
		if begin.Before(from) {
			begin = from
		}
		if end.After(to) {
			end = to
		}
		if part := end.Sub(begin); part > most {
			letter, most = stepOf(b.phase).letter, part
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

const minutes = "15:04"

// axisFormat returns the format of the times of an axis.
func axisFormat(tick time.Duration) string {
	switch {
	case tick < time.Minute:
		return "04:05"
	case tick >= day:
		return "Jan 2"
	}
	return minutes
}

// scale formats the times of an axis.
func scale(start time.Time, tick time.Duration, columns int) string {
	format := axisFormat(tick)
	var b strings.Builder
	for i := 0; i < columns; i += tickColumns {
		b.WriteString(pad("|"+start.Add(time.Duration(i/tickColumns)*tick).Format(format), tickColumns))
	}
	return b.String()
}
