package screen

import (
	"slices"
	"strings"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
)

// OfOperator returns the problem of the ClusterOperator machine-config, if it has one. Its text is left out if it
// repeats what the entries of pools and nodes say.
func OfOperator(pools []cluster.Pool, o Options) []Problem {
	if len(o.Operator) == 0 {
		return nil
	}
	problem := Problem{Subject: "cluster operator machine-config", Next: []string{"oc describe clusteroperator machine-config"}, Tone: Warn}
	var states, messages []string
	for _, c := range o.Operator {
		state := "degraded" + sinceText(c.Since, o.Now)
		if c.Type == "Available" {
			problem.Tone, state = Alarm, "unavailable"+sinceText(c.Since, o.Now)
		}
		states = append(states, state)
		if problem.Since.IsZero() || c.Since.Before(problem.Since) {
			problem.Since = c.Since
		}
		isEmpty := len(o.Operator) > 1 && mco.OnlyUnavailable.MatchString(c.Message)
		if !isEmpty && !isEcho(c.Message, pools, o) {
			messages = addOnce(messages, c.Message)
		}
	}
	slices.Sort(states)
	slices.Reverse(states) // unavailable comes first
	problem.What, problem.Message = strings.Join(states, ", "), strings.Join(messages, "; ")
	return []Problem{problem}
}

// isEcho reports whether a text is about pools, and the screen has entries for all pools that it names.
func isEcho(text string, pools []cluster.Pool, o Options) bool {
	hasEntry, isKnown := map[string]bool{}, map[string]bool{}
	for _, p := range pools {
		isKnown[p.Name] = true
		if len(Problems(p, o)) > 0 {
			hasEntry[p.Name] = true
		}
	}
	matches := mco.OfPools.FindAllStringSubmatch(text, -1)
	for _, match := range matches {
		if name := match[1] + match[2]; isKnown[name] && !hasEntry[name] {
			return false
		}
	}
	return len(matches) > 0 && len(hasEntry) > 0
}

// facts returns a line for each pool with a new target, and for each pool that is paused and has no entry that
// says so.
func facts(pools []cluster.Pool, o Options) (ls []Line) {
	say := func(p cluster.Pool, text string) {
		if text != "" {
			ls = append(ls, wrapped(Plain, "", margin, Clean(p.Name)+": "+text, o.Width)...)
		}
	}
	for _, p := range pools {
		say(p, Changes(p, o))
		if p.Paused && p.PausedBy.By != "" && paused(p, o).What == "" {
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
