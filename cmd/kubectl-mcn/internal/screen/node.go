package screen

import (
	"fmt"
	"strings"
	"time"

	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// Node returns all that is known of one node of a pool.
func Node(p progress.Pool, n progress.Node, o Options) []Line {
	ls := lines(Header, indented("", "  ", fmt.Sprintf("%s of pool %s: %s", clean(n.Name), clean(p.Name), strings.ToLower(string(n.State))), o.Width, 0)...)
	ls = append(ls, lines(Plain, Moment(o), "")...)
	field := func(name, value string) {
		if value != "" {
			ls = append(ls, lines(Plain, indented(pad(name, 10), strings.Repeat(" ", 10), value, o.Width, 0)...)...)
		}
	}
	moment := func(name string, t time.Time) {
		if !t.IsZero() {
			field(name, t.In(o.Now.Location()).Format("2006-01-02 15:04:05 MST")+", "+took(o.Now.Sub(t))+" ago")
		}
	}
	field("from", targetWhole(n.Current))
	field("to", targetWhole(n.Desired))
	if p.Target != n.Desired && p.Target.Config != "" {
		field("pool", targetWhole(p.Target)+", to which the node is not ordered yet")
	}
	moment("ordered", n.Ordered)
	moment("begun", n.Begun)
	moment("ended", n.Ended)
	if n.State == progress.Stuck {
		ls = append(ls, ofNode(n, Options{Now: o.Now, Width: o.Width, Whole: true}).draw(Options{Width: o.Width, Whole: true})...)
	} else if n.Slow {
		ls = append(ls, Line{})
		ls = append(ls, lines(Warn, headline("~ slow: "+Reason(n, o), o.Width)...)...)
	}
	ls = append(ls, Line{})
	ls = append(ls, stepRows(n, o)...)
	pins := pinnedImageSets(progress.Pool{Name: p.Name, Nodes: []progress.Node{n}}, Options{Now: o.Now, Width: o.Width, Whole: true})
	if len(pins) == 0 {
		pins = lines(Plain, "", "No pinned image set has failed or is pulled.")
	}
	ls = append(ls, pins...)
	if n.State != progress.Stuck {
		if next := Next(progress.Node{Name: n.Name}); next != "" {
			ls = append(ls, Line{}, Line{Text: "next: " + next})
		}
	}
	return ls
}

func targetWhole(t progress.Target) string {
	if t.Config == "" {
		return "not known"
	}
	if t.Image != "" {
		return t.Config + ", image " + t.Image
	}
	return t.Config
}

// stepRows returns a row for each step, with its message below where the screen is narrow.
func stepRows(n progress.Node, o Options) []Line {
	step := column{title: "STEP", width: 13}
	status := column{title: "STATUS", gap: 2}
	since := column{title: "SINCE", gap: 2}
	duration := column{title: "TOOK", gap: 2, right: true}
	message := column{title: "MESSAGE", gap: 2}
	for _, s := range n.Steps {
		state, from, lap := strings.ToLower(string(s.State)), "-", "-"
		switch {
		case s.State == progress.ToDo:
			state = "to come"
		case s.Phase == n.Step && n.InUpdate() && !n.NotBegun:
			lap = sinceNow(n.Since, o.Now)
			if !n.Since.IsZero() {
				from = clockTime(n.Since, o.Now)
			}
		case !s.End.IsZero():
			from, lap = clockTime(s.End.Add(-s.Duration), o.Now), took(s.Duration)
		}
		step.cells = append(step.cells, string(mark(s.State))+" "+stepName(s.Phase))
		status.cells = append(status.cells, state)
		since.cells = append(since.cells, from)
		duration.cells = append(duration.cells, lap)
		message.cells = append(message.cells, Clean(s.Message, 0))
	}
	all := []column{step, status, since, duration, message}
	rows := layout(all, 0, 0)
	var ls []Line
	at := breadth(all[:4], 0) + 2
	for i, row := range rows {
		tone := Plain
		if i == 0 {
			tone = Header
		}
		room := o.Width - at
		if i == 0 || o.Width <= 0 || message.cells[i-1] == "" {
			ls = append(ls, lines(tone, Cut(row, o.Width))...)
			continue
		}
		head := layout([]column{step, status, since, duration}, 0, 0)[i]
		if room < 20 {
			ls = append(ls, lines(tone, Cut(head, o.Width))...)
			ls = append(ls, lines(Plain, indented(margin, margin, message.cells[i-1], o.Width, 0)...)...)
			continue
		}
		ls = append(ls, lines(tone, indented(pad(head, at), strings.Repeat(" ", at), message.cells[i-1], o.Width, 0)...)...)
	}
	return ls
}
