package screen

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// Node returns all that is known of one node of a pool.
func Node(p progress.Pool, n progress.Node, o Options) []Line {
	ls := wrapped(Header, "  ", fmt.Sprintf("%s of pool %s: %s", clean(n.Name), clean(p.Name), strings.ToLower(string(n.State))), o.Width)
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
	field("from", o.wholeTarget(n.Current))
	field("to", o.wholeTarget(n.Desired))
	if p.Target != n.Desired && p.Target.Config != "" {
		field("pool", o.wholeTarget(p.Target)+", to which the node is not ordered yet")
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
	pins := pinnedImageSets([]progress.Pool{{Name: p.Name, Nodes: []progress.Node{n}}}, Options{Now: o.Now, Width: o.Width, Whole: true})
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

func (o Options) wholeTarget(t progress.Target) string {
	text := clean(cmp.Or(t.Config, "not known"))
	if release := o.Releases[t.Config]; release != "" {
		text += ", OpenShift " + clean(release)
	}
	if t.Image != "" {
		text += ", image " + clean(t.Image)
	}
	return text
}

// stepRows returns a row for each step, with its message below where the screen is narrow.
func stepRows(n progress.Node, o Options) []Line {
	rows := [][]string{{"STEP         ", "STATUS", "SINCE", ">TOOK", "MESSAGE"}}
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
		rows = append(rows, []string{string(mark(s.State)) + " " + stepName(s.Phase), state, from, lap, ""})
	}
	at := breadth(rows, 0) - len("MESSAGE")
	ls := tableLines(rows, 0, o.Width)
	var all []Line
	for i, l := range ls {
		message := ""
		if i > 0 {
			message = clean(n.Steps[i-1].Message)
		}
		switch {
		case message == "":
			all = append(all, lines(l.Tone, l.Text)...)
		case o.Width > 0 && o.Width-at < 20:
			all = append(all, lines(l.Tone, append([]string{l.Text}, indented(margin, margin, message, o.Width, 0)...)...)...)
		default:
			all = append(all, lines(l.Tone, indented(pad(l.Text, at), strings.Repeat(" ", at), message, o.Width, 0)...)...)
		}
	}
	return all
}
