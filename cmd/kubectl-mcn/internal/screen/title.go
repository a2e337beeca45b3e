package screen

import (
	"slices"
	"strconv"
	"strings"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
)

// title returns the summary: the time, the number of nodes in each state, and what concerns the whole cluster.
func title(pools []cluster.Pool, o Options) []Line {
	sum := cluster.Pool{FromStatus: hasNoObjects(pools)}
	for _, p := range pools {
		sum.Done += p.Done
		sum.Updating += p.Updating
		sum.Stuck += p.Stuck
		sum.Waiting += p.Waiting
		sum.Idle += p.Idle
		sum.Unreported += p.Unreported
	}
	ls := []Line{{Text: moment(o) + "  " + counts(sum)}}
	if o.Width > 0 && Width(ls[0].Text) > o.Width {
		ls = append(wrapped(Plain, "", "  ", moment(o), o.Width), wrapped(Plain, "", "  ", counts(sum), o.Width)...)
	}
	add := func(tone Tone, is bool, text string) {
		if is {
			ls = append(ls, wrapped(tone, "", "  ", text, o.Width)...)
		}
	}
	versions := o.versions(pools)
	add(Plain, versions != "", "OpenShift "+versions)
	notYet := o.notYet(pools)
	add(Plain, notYet != "", notYet)
	add(Alarm, !o.LastContact.IsZero(), "no response from the server since "+clockTime(o.LastContact, o.Now)+", reconnecting")
	add(Alarm, o.Health != "", o.Health)
	return ls
}

// versions returns the old and the new OpenShift version of the update. If the pools differ, it
// lists the versions of each pool.
func (o Options) versions(pools []cluster.Pool) string {
	var named, distinct []string
	for _, p := range pools {
		text, from := o.Configs[p.Target.Config].Release, ""
		if text == "" {
			continue
		}
		for _, n := range p.Nodes {
			if release := o.Configs[n.Current.Config].Release; release != "" && release != text {
				from = release + " -> "
			}
		}
		text = from + text
		named = append(named, p.Name+" "+text)
		distinct = addOnce(distinct, text)
	}
	if len(distinct) > 1 {
		distinct = named
	}
	return Clean(strings.Join(distinct, ", "))
}

// counts returns the number of a pool's nodes, in total and in each state.
func counts(p cluster.Pool) string {
	return strings.TrimSuffix(nodes(p.Total())+": "+strings.Join(stateCounts(p), ", "), ": ")
}

func stateCounts(p cluster.Pool) (parts []string) {
	unreported := "unreported"
	if p.FromStatus {
		unreported = "not updated"
	}
	for _, s := range []struct {
		n    int
		name string
	}{{p.Done, "done"}, {p.Updating, "updating"}, {p.Stuck, "stuck"}, {p.Waiting, "waiting"}, {p.Idle, "idle"}, {p.Unreported, unreported}} {
		if s.n > 0 {
			parts = append(parts, strconv.Itoa(s.n)+" "+s.name)
		}
	}
	return parts
}

// notYet says that the cluster is still being updated, although all pools are done.
func (o Options) notYet(pools []cluster.Pool) string {
	isOpen := func(p cluster.Pool) bool { return !p.IsDone() }
	if !o.Version.IsUpdating || slices.ContainsFunc(pools, isOpen) {
		return ""
	}
	text := "done, but the cluster is on its way to " + Clean(o.Version.Desired) + sinceText(o.Version.Since, o.Now)
	if o.Version.Message != "" {
		text += ": " + Clean(o.Version.Message)
	}
	return text
}
