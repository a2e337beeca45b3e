package screen

import (
	"strings"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// addUnavailable adds the unavailable nodes of a pool, and commands that show more about them.
func (problem *Problem) addUnavailable(p cluster.Pool, o Options) {
	var texts, causes []string
	names, first := map[string][]string{}, map[string]string{} // the nodes and the first message of each cause
	all := p.UnavailableNodes()
	for _, n := range all {
		why := whyUnavailable(n, o)
		if p.Places(n) > 1 && p.IsDoubled() {
			why += ", it fails and cannot run pods, so it takes 2 places"
		}
		if n.State == cluster.Waiting && p.Target.Image == "" && n.Current.Image != "" {
			why += ", with an OS image that its pool does not have"
		}
		texts = append(texts, Clean(n.Name)+" ("+why+")")
		problem.About = append(problem.About, n.Name)
		if n.Degraded || n.InUpdate() || len(n.Lost) > 0 || n.State == cluster.Unreported { // it has its own entry
			continue
		}
		problem.Next = append(problem.Next, nextForUnavailable(n)...)
		if message := unready(n); message != "" {
			cause := masked(message, n.Name)
			if first[cause] == "" {
				causes, first[cause] = append(causes, cause), message
			}
			names[cause] = append(names[cause], n.Name)
		}
	}
	for _, cause := range causes {
		problem.Details = append(problem.Details, o.names(names[cause])+": "+first[cause])
	}
	if unknown := p.Unavailable - len(all); unknown > 0 {
		texts = append(texts, nodes(unknown)+" by the status of the pool")
		problem.Next = append(problem.Next, "oc get nodes")
	}
	if len(texts) > 0 {
		problem.What += ": " + o.names(texts)
	}
}

// whyUnavailable says why a node is unavailable, and since when.
func whyUnavailable(n cluster.Node, o Options) string {
	text := stepOf(n)
	switch {
	case n.Degraded:
		text = "degraded"
	case n.State == cluster.Stuck:
		text += ", stuck"
	case !n.InUpdate():
		return reasons(n, o)
	}
	if n.Cordoner.Deletes() {
		text += ", " + beingDeleted
	}
	return text
}

// reasons describes why a Node is unavailable, for example "NotReady since 10:49:00" or "cordoned since
// 10:49:00 by oc", and whether it is being deleted.
func reasons(n cluster.Node, o Options) string {
	var all []string
	for _, u := range n.Unavailable {
		text := string(u.Reason)
		switch u.Reason {
		case progress.Cordoned:
			text = "cordoned"
		case progress.AnnotationsMissing:
			text = "its Node has lost " + strings.Join(n.Lost, " and ")
		}
		if !u.Since.IsZero() {
			text += " since " + clockTime(u.Since, o.Now)
		}
		if by := n.Cordoner.Name; u.Reason == progress.Cordoned && by != "" && by != mco.Controller { // that the controller cordons is no news
			text += " by " + Clean(by)
		}
		all = append(all, text)
	}
	switch name := n.Cordoner.Name; {
	case !n.Cordoner.Deletes():
	case name == "":
		all = append(all, beingDeleted)
	case !n.Is(progress.Cordoned): // or the caller leaves out the cordon
		all = append(all, "cordoned or tainted by "+Clean(name))
	}
	return strings.Join(all, ", ")
}

// unready returns the messages of the conditions that make a Node unavailable. They say whether the machine is
// down, or its network.
func unready(n cluster.Node) string {
	var all []string
	for _, u := range n.Unavailable {
		if message := Clean(n.Messages[u.Reason]); message != "" {
			all = addOnce(all, message)
		}
	}
	return strings.Join(all, "; ")
}
