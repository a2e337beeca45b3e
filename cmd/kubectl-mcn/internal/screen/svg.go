package screen

import (
	"encoding/xml"
	"fmt"
	"strings"
	"time"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// Measures of the drawing, in its own units.
const (
	svgWidth  = 960
	svgRow    = 18
	svgBar    = 12
	svgTotal  = 70 // for the duration of a node's update
	svgLetter = 7  // the approximate width of a letter
	svgMargin = 12
	svgTicks  = 8 // at most, about
)

const svgStyle = `text{font:12px system-ui,sans-serif;fill:#1f2328}.dim{fill:#656d76}.head{font-weight:600}.alarm{fill:#cf222e;font-weight:600}.grid{stroke:#d0d7de;stroke-width:1}.ground{fill:#ffffff}` +
	`@media(prefers-color-scheme:dark){text{fill:#e6edf3}.dim{fill:#8d96a0}.alarm{fill:#ff7b72}.grid{stroke:#30363d}.ground{fill:#0d1117}}`

// SVG returns the timeline as a self-contained drawing. Its tooltips have the steps and their
// durations.
func SVG(pools []progress.Pool, spans []progress.Span, o TimelineOptions) string {
	all := charts(pools, spans, o)
	var body strings.Builder
	y := svgMargin
	seen := map[phases.Phase]bool{}
	for _, c := range all {
		y = c.svg(&body, y, seen)
	}
	if len(all) == 0 {
		y += svgRow
		fmt.Fprintf(&body, `<text x="%d" y="%d">No update of a node is known.</text>`+"\n", svgMargin, y)
	} else {
		y = svgLegend(&body, y, seen)
	}
	y += svgMargin
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" aria-label="Timeline of a rollout">`+"\n", svgWidth, y, svgWidth, y) +
		"<style>" + svgStyle + "</style>\n" + `<rect class="ground" width="100%" height="100%"/>` + "\n" + body.String() + "</svg>\n"
}

// svg draws the chart of a pool, and returns where it ends.
func (c chart) svg(b *strings.Builder, y int, seen map[phases.Phase]bool) int {
	names, name := c.names(longestNode)
	left := svgMargin + name*svgLetter + svgMargin
	right := svgWidth - svgMargin - svgTotal
	tick, start := axis(c.from, c.to, svgTicks*tickColumns)
	x := func(t time.Time) float64 {
		return float64(left) + float64(right-left)*float64(t.Sub(start))/float64(max(1, c.to.Sub(start)))
	}

	y += svgRow
	fmt.Fprintf(b, `<text class="head" x="%d" y="%d">%s</text><text class="dim" x="%d" y="%d">%s, %d of %d nodes done</text>`+"\n",
		svgMargin, y, escape(c.pool.Name), left, y, escape(TargetText(c.pool.Name, c.pool.Target)+", "+start.Format("2006-01-02 MST")), c.pool.Done, c.pool.Total())
	y += svgRow
	bottom := y + 6 + len(c.rows)*svgRow
	for t := start; !t.After(c.to); t = t.Add(tick) {
		fmt.Fprintf(b, `<line class="grid" x1="%.1f" x2="%.1f" y1="%d" y2="%d"/>`, x(t), x(t), y-8, bottom)
		fmt.Fprintf(b, `<text class="dim" x="%.1f" y="%d">%s</text>`+"\n", x(t)+3, y, t.Format(axisFormat(tick)))
	}
	y += 6
	for i, r := range c.rows {
		middle := y + svgBar
		class, total := "", took(r.total())
		if r.node.State == progress.Stuck {
			class, total = ` class="alarm"`, total+" stuck"
		}
		fmt.Fprintf(b, `<text%s x="%d" y="%d">%s</text>`, class, svgMargin, middle-1, escape(names[i]))
		for _, s := range r.bars {
			seen[s.phase] = true
			fmt.Fprintf(b, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"><title>%s %s, %s to %s%s</title></rect>`,
				x(s.from), y+1, max(0.5, x(s.to)-x(s.from)), svgBar, stepOf(s.phase).color, escape(stepName(s.phase)), took(s.to.Sub(s.from)),
				s.from.Format(time.TimeOnly), s.to.Format(time.TimeOnly), escape(causeOf(r.node, s)))
		}
		fmt.Fprintf(b, `<text%s x="%d" y="%d">%s</text>`+"\n", class, right+6, middle-1, total)
		y += svgRow
	}
	return y
}

// causeOf returns why a node is stuck, for the bar that has not finished.
func causeOf(n progress.Node, b bar) string {
	if n.State != progress.Stuck || !b.running || n.Message == "" {
		return ""
	}
	return ": " + Clean(n.Message, mostMessage)
}

// svgLegend draws the legend of the colours that are used.
func svgLegend(b *strings.Builder, y int, seen map[phases.Phase]bool) int {
	y += svgRow + svgMargin/2
	x := svgMargin
	for _, s := range steps {
		if !seen[s.phase] {
			continue
		}
		room := svgBar + 4 + len(s.doing)*svgLetter + svgMargin
		if x+room > svgWidth-svgMargin {
			x, y = svgMargin, y+svgRow
		}
		fmt.Fprintf(b, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/><text x="%d" y="%d">%s</text>`+"\n",
			x, y-svgBar+2, svgBar, svgBar, s.color, x+svgBar+4, y, s.doing)
		x += room
	}
	return y
}

// escape returns clean text for XML.
func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(clean(s))) // a Builder returns no error
	return b.String()
}
