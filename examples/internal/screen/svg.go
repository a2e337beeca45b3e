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

// colours are those of the steps, for readers with any color vision and on any background.
var colours = map[phases.Phase]string{
	phases.UpdatePrepared:           "#9ca3af",
	phases.Cordoned:                 "#6b7280",
	phases.Drained:                  "#e69f00",
	phases.AppliedFilesAndOS:        "#0072b2",
	phases.AppliedFiles:             "#56b4e9",
	phases.ImagePulledFromRegistry:  "#cc79a7",
	phases.AppliedOSImage:           "#0072b2",
	phases.UpdatePostActionComplete: "#f0e442",
	phases.RebootedNode:             "#009e73",
	phases.Resumed:                  "#94d3a2",
	phases.Uncordoned:               "#5fb98a",
	phases.Updated:                  "#c4c4c4",
}

// unknownColour is that of a time whose steps are not known.
const unknownColour = "#b8c4d6"

const svgStyle = `text{font:12px system-ui,sans-serif;fill:#1f2328}.dim{fill:#656d76}.head{font-weight:600}.alarm{fill:#cf222e;font-weight:600}.grid{stroke:#d0d7de;stroke-width:1}.ground{fill:#ffffff}` +
	`@media(prefers-color-scheme:dark){text{fill:#e6edf3}.dim{fill:#8d96a0}.alarm{fill:#ff7b72}.grid{stroke:#30363d}.ground{fill:#0d1117}}`

// SVG returns the timeline as a self-contained drawing. Its tooltips have the steps and their
// durations.
func SVG(pools []progress.Pool, spans []progress.Span, o Options) string {
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
	var out strings.Builder
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" aria-label="Timeline of a rollout">`+"\n", svgWidth, y, svgWidth, y)
	fmt.Fprintf(&out, "<style>%s</style>\n"+`<rect class="ground" width="100%%" height="100%%"/>`+"\n", svgStyle)
	return out.String() + body.String() + "</svg>\n"
}

// svg draws the chart of a pool, and returns where it ends.
func (c chart) svg(b *strings.Builder, y int, seen map[phases.Phase]bool) int {
	name := 0
	for _, r := range c.rows {
		name = max(name, len(short(r.node, longestNode)))
	}
	left := svgMargin + name*svgLetter + svgMargin
	right := svgWidth - svgMargin - svgTotal
	tick, start := axis(c.from, c.to, svgTicks*tickColumns)
	x := func(t time.Time) float64 {
		return float64(left) + float64(right-left)*float64(t.Sub(start))/float64(max(1, c.to.Sub(start)))
	}

	y += svgRow
	fmt.Fprintf(b, `<text class="head" x="%d" y="%d">%s</text><text class="dim" x="%d" y="%d">%s, %d of %d nodes done</text>`+"\n",
		svgMargin, y, escape(c.pool.Name), left, y, escape(c.pool.Target), c.pool.Done, Total(c.pool))
	y += svgRow
	bottom := y + 6 + len(c.rows)*svgRow
	for t := start; !t.After(c.to); t = t.Add(tick) {
		fmt.Fprintf(b, `<line class="grid" x1="%.1f" x2="%.1f" y1="%d" y2="%d"/>`, x(t), x(t), y-8, bottom)
		fmt.Fprintf(b, `<text class="dim" x="%.1f" y="%d">%s</text>`+"\n", x(t)+3, y, t.Format(axisFormat(tick)))
	}
	y += 6
	for _, r := range c.rows {
		middle := y + svgBar
		class := ""
		if r.stuck {
			class = ` class="alarm"`
		}
		fmt.Fprintf(b, `<text%s x="%d" y="%d">%s</text>`, class, svgMargin, middle-1, escape(short(r.node, longestNode)))
		for _, s := range r.bars {
			seen[s.phase] = true
			fmt.Fprintf(b, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"><title>%s %s, %s to %s</title></rect>`,
				x(s.from), y+1, max(0.5, x(s.to)-x(s.from)), svgBar, colourOf(s.phase), escape(stepName(s.phase)), took(s.to.Sub(s.from)),
				s.from.Format(time.TimeOnly), s.to.Format(time.TimeOnly))
		}
		total := took(r.total())
		if r.stuck {
			total += " stuck"
		}
		fmt.Fprintf(b, `<text%s x="%d" y="%d">%s</text>`+"\n", class, right+6, middle-1, total)
		y += svgRow
	}
	return y
}

// svgLegend draws the legend of the colours that are used.
func svgLegend(b *strings.Builder, y int, seen map[phases.Phase]bool) int {
	y += svgRow + svgMargin/2
	x := svgMargin
	entry := func(p phases.Phase) {
		label := stepName(p)
		if room := svgBar + 4 + len(label)*svgLetter + svgMargin; x+room > svgWidth-svgMargin {
			x, y = svgMargin, y+svgRow
		}
		fmt.Fprintf(b, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/><text x="%d" y="%d">%s</text>`+"\n",
			x, y-svgBar+2, svgBar, svgBar, colourOf(p), x+svgBar+4, y, escape(label))
		x += svgBar + 4 + len(label)*svgLetter + svgMargin
	}
	drawn := map[phases.Phase]bool{}
	for _, imageMode := range []bool{false, true} {
		for _, p := range phases.All(imageMode) {
			if seen[p] && !drawn[p] {
				drawn[p] = true
				entry(p)
			}
		}
	}
	if seen[""] {
		entry("")
	}
	return y
}

func colourOf(p phases.Phase) string {
	if c, ok := colours[p]; ok {
		return c
	}
	return unknownColour
}

func stepName(p phases.Phase) string {
	if p == "" {
		return "Steps not known"
	}
	return Doing(p)
}

// escape returns clean text for XML.
func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(clean(s))) // a Builder returns no error
	return b.String()
}
