package screen

import (
	"slices"
	"strings"
	"time"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// manySame is how many nodes with the same cause are counted, and not named one by one.
const manySame = 3

// outage are nodes of a pool that are unavailable for the same reason, with the same message.
type outage []cluster.Node

// outages groups the unavailable nodes of a pool. A node that has an entry of its own is a group of its own.
func outages(p cluster.Pool, nodes []cluster.Node, o Options) (all []outage) {
	at := map[string]int{}
	for _, n := range nodes {
		i, isKnown := at[causeIn(p, n, o)]
		switch {
		case hasEntry(n):
			all = append(all, outage{n})
		case isKnown:
			all[i] = append(all[i], n)
		default:
			at[causeIn(p, n, o)] = len(all)
			all = append(all, outage{n})
		}
	}
	return all
}

// hasEntry reports whether an unavailable node has an entry of its own.
func hasEntry(n cluster.Node) bool {
	return n.Degraded || n.InUpdate() || len(n.Lost) > 0 || n.State == cluster.Unreported
}

// causeIn returns the same text for the nodes of an outage.
func causeIn(p cluster.Pool, n cluster.Node, o Options) string {
	return whyIn(p, timeless(n), o) + masked(unready(n), n.Name)
}

// timeless returns a node without the times since when it is unavailable.
func timeless(n cluster.Node) cluster.Node {
	n.Unavailable = slices.Clone(n.Unavailable)
	for i := range n.Unavailable {
		n.Unavailable[i].Since = time.Time{}
	}
	return n
}

// texts names the nodes with the reason, for example "w-1 (NotReady since 10:49:00)" or, if there are manySame,
// "40 nodes NotReady since 10:49:00 to 10:49:39 (w-1, w-2, w-3, and 37 more)".
func (g outage) texts(p cluster.Pool, o Options) (texts []string) {
	if len(g) >= manySame {
		return []string{nodes(len(g)) + " " + whyIn(p, timeless(g[0]), o) + o.span(g.times()) + " (" + o.firstOf(g.names()) + ")"}
	}
	for _, n := range g {
		texts = append(texts, Clean(n.Name)+" ("+whyIn(p, n, o)+")")
	}
	return texts
}

func (g outage) times() (times []time.Time) {
	for _, n := range g {
		times = append(times, n.Unavailable[0].Since)
	}
	return times
}

func (g outage) names() (names []string) {
	for _, n := range g {
		names = append(names, n.Name)
	}
	return names
}

// addUnavailable adds the unavailable nodes of a pool, and commands that show more about them.
func (problem *Problem) addUnavailable(p cluster.Pool, o Options) {
	all := p.UnavailableNodes()
	problem.About = append(problem.About, outage(all).names()...)
	var texts []string
	groups := outages(p, all, o)
	for _, g := range groups {
		texts = append(texts, g.texts(p, o)...)
		if hasEntry(g[0]) {
			continue
		}
		switch message := unready(g[0]); {
		case message == "":
		case len(groups) == 1 && len(g) >= manySame:
			problem.Details = append(problem.Details, message)
		default:
			problem.Details = append(problem.Details, o.firstOf(g.names())+": "+message)
		}
		if len(g) >= manySame && !o.Whole && g[0].Unavailable[0].Reason != progress.Cordoned {
			g = g[:1] // one command shows what all of them have
		}
		for _, n := range g {
			problem.Next = append(problem.Next, nextForUnavailable(n)...)
		}
	}
	unknown := p.Unavailable - len(all)
	if unknown > 0 {
		texts = append(texts, nodes(unknown)+" by the status of the pool")
		problem.Next = append(problem.Next, "oc get nodes")
	}
	if len(groups) == 1 && len(all) >= manySame && unknown == 0 {
		problem.cause = [2]string{problem.Kind, causeIn(p, all[0], o)}
	}
	if len(texts) > 0 {
		problem.What += ": " + o.names(texts)
	}
}

// whyIn says why a node of a pool is unavailable, and what else matters for its place.
func whyIn(p cluster.Pool, n cluster.Node, o Options) string {
	why := whyUnavailable(n, o)
	if p.Places(n) > 1 && p.IsDoubled() {
		why += ", it fails and cannot run pods, so it takes 2 places"
	}
	if n.State == cluster.Waiting && p.Target.Image == "" && n.Current.Image != "" {
		why += ", with an OS image that its pool does not have"
	}
	return why
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
