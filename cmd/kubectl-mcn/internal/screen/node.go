package screen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// Node returns the screen of one node of a pool.
func Node(p cluster.Pool, n cluster.Node, o Options) []Line {
	o.Whole = true
	ls := wrapped(Header, "", "  ", fmt.Sprintf("%s of pool %s: %s", Clean(n.Name), Clean(p.Name), strings.ToLower(string(n.State))), o.Width)
	ls = append(append(ls, wrapped(Plain, "", "  ", moment(o), o.Width)...), Line{})
	field := func(name, value string) {
		if value != "" {
			ls = append(ls, wrapped(Plain, pad(name, 11), strings.Repeat(" ", 11), value, o.Width)...)
		}
	}
	addTime := func(name string, t time.Time) {
		if !t.IsZero() {
			field(name, t.In(o.Now.Location()).Format(dateAndTime)+", "+took(o.Now.Sub(t))+" ago")
		}
	}
	field("from", o.wholeTarget(n.Current))
	field("to", o.wholeTarget(n.Towards()))
	switch {
	case n.OffTarget:
		field("pool", o.wholeTarget(p.Target)+"; the node updates to another config")
	case p.Target.Config == "" || p.Target == n.Desired:
	case n.Desired.Config == "":
		field("pool", o.wholeTarget(p.Target))
	default:
		field("pool", o.wholeTarget(p.Target)+", which the node is not updated to yet"+whyWaiting(p, n, o))
	}
	switch {
	case !n.HasObject && n.UID != "":
		field("reported", "no, the MachineConfigNode has no conditions")
	case !n.HasObject:
		field("reported", "no, there is no MachineConfigNode")
	case n.InUpdate() && len(n.Steps) == 0:
		field("reported", "no, the MachineConfigNode does not show the update")
	}
	if n.Towards() == n.Desired { // or it is the time of the request to go back
		addTime("requested", n.Requested)
	}
	addTime("started", n.Started)
	ended := "completed"
	if n.IsNew {
		ended = "joined"
	}
	if !n.InUpdate() { // in an update, Completed is the end of the update before
		addTime(ended, n.Completed)
	}
	problems := ProblemsOf(p, n.Name, o)
	field("node", whyUnavailable(n, o))
	why := unready(n)
	isSaid := func(p Problem) bool { return strings.Contains(p.Message+strings.Join(p.Details, " "), why) }
	if !slices.ContainsFunc(problems, isSaid) {
		field("message", why)
	}
	for _, problem := range problems {
		problem.marks = ""
		ls = append(ls, problem.draw(o)...)
	}
	if len(n.Steps) > 0 {
		ls = append(ls, Line{})
		isSaid := func(p Problem) bool { return n.Message != "" && strings.Contains(p.Message, n.Message) }
		ls = append(ls, stepRows(n, slices.ContainsFunc(problems, isSaid), o)...)
	}
	return ls
}

// whyWaiting says why a waiting node waits, or returns "" if an entry of the screen already says
// so.
func whyWaiting(p cluster.Pool, n cluster.Node, o Options) string {
	isHeld := n.State == cluster.Waiting && len(n.Unavailable) == 0 && p.Taken >= p.MaxUnavailable
	if !isHeld || p.InvalidLimit != "" || p.Paused || p.IsBuilding() {
		return ""
	}
	why := Problem{What: fmt.Sprintf(": %d unavailable, maxUnavailable is %d", p.Unavailable, p.MaxUnavailable)}
	why.addUnavailable(p, o)
	return why.What
}

func (o Options) wholeTarget(t progress.Target) string {
	text := Clean(cmp.Or(t.Config, "not known"))
	if release := o.Configs[t.Config].Release; release != "" {
		text += ", OpenShift " + Clean(release)
	}
	if t.Image != "" {
		text += ", image " + Clean(t.Image)
	}
	return text
}

// stepRows returns a table with a row for each step of a node. The message of a step is below its
// row, unless an entry has said it.
func stepRows(n cluster.Node, isSaid bool, o Options) []Line {
	rows := [][]string{{"  STEP", "STATE", "STARTED", ">  TOOK"}}
	for _, s := range n.Steps {
		name, state, from, duration := verb(s.Phase), strings.ToLower(string(s.State)), "-", "-"
		switch {
		case s.State == mco.ToDo:
			state = "to come"
		case s.Phase == n.Step:
			if !n.Back.IsZero() {
				name, state = stepOf(n), "not reported"
			}
			if duration = sinceNow(n.Since, o.Now); !n.Since.IsZero() {
				from = clockTime(n.Since, o.Now)
			}
		case !s.End.IsZero():
			from, duration = clockTime(s.End.Add(-s.Duration), o.Now), took(s.Duration)
		}
		rows = append(rows, []string{signs[s.State] + " " + capital(name), state, from, duration})
	}
	var all []Line
	for i, l := range table(rows, 0, o.Width) {
		all = append(all, l)
		if i == 0 || isSaid && strings.Contains(n.Steps[i-1].Message, n.Message) {
			continue
		}
		if message := n.Steps[i-1].Message; message != "" {
			all = append(all, wrapped(Plain, margin, margin, message, o.Width)...)
		}
	}
	return all
}
