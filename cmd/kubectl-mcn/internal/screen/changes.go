package screen

import (
	"strings"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
)

// changesAndPauses returns a line for each pool with a new target, and for each paused pool without an entry that says
// so. There is no line if the row of the pool says that it is paused, and nobody knows who paused it.
func changesAndPauses(pools []cluster.Pool, o Options) (ls []Line) {
	say := func(p cluster.Pool, text string) {
		if text != "" {
			ls = append(ls, wrapped(Plain, "", margin, Clean(p.Name)+": "+text, o.Width)...)
		}
	}
	for _, p := range pools {
		say(p, Changes(p, o))
		isSaid := p.PausedBy.By == "" && strings.Contains(leftText(p), "paused")
		if p.Paused && !isSaid && paused(p, o).What == "" {
			say(p, "paused"+writtenBy(p.PausedBy, o))
		}
	}
	if len(ls) > 0 {
		ls = append([]Line{{}}, ls...)
	}
	return ls
}

// Changes says how the MachineConfigs of a pool's target differ from those of its last target, for example
// "+99-worker-chrony (by oc at 13:20:05), -98-worker-old", or returns "" if that is not known.
func Changes(p cluster.Pool, o Options) string {
	all, text := p.Changes(o.Configs)
	if len(all) == 0 {
		return text
	}
	var texts []string
	for _, c := range all {
		text := c.Sign + c.Name
		switch who := strings.TrimSpace(writtenBy(c.Write, o)); {
		case who != "":
			text += " (" + who + ")"
		case !c.At.IsZero(): // without managedFields, only its creation is known
			text += " (created at " + clockTime(c.At, o.Now) + ")"
		}
		texts = append(texts, text)
	}
	return Clean(strings.Join(texts, ", "))
}
