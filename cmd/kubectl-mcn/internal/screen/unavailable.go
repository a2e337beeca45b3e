package screen

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
	"github.com/openshift/upgrademonitor/internal/nodemeta"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// outageOf returns what tells outages apart: the first reason why a node is unavailable, and its message. A node of an
// outage may be cordoned as well.
func outageOf(p cluster.Pool, o Options) func(cluster.Node) any {
	return func(n cluster.Node) any {
		n.Unavailable = n.Unavailable[:min(1, len(n.Unavailable))]
		return [2]any{hasEntry(n), whyIn(p, shared(n), o) + masked(unready(n), n.Name)}
	}
}

// hasEntry reports whether an unavailable node has an entry of its own, whatever the entry of its pool says.
func hasEntry(n cluster.Node) bool {
	return n.Degraded || n.InUpdate() || len(n.Lost) > 0 || n.State == cluster.Unreported
}

// isOutage reports whether a node that is not in an update is unavailable, and no entry of its pool names it: the entries
// of a Full pool, and of a pool whose nodes are all done, name all unavailable nodes. A cordon alone does not matter while
// nothing waits for the node. A node that is done may need a moment after its reboot.
func isOutage(p cluster.Pool, n cluster.Node, o Options) bool {
	isWaiting := n.State == cluster.Waiting
	isLong := func(u progress.Unavailable) bool {
		return o.Now.Sub(mco.Latest(u.Since, n.Completed, n.Ended)) >= updatedDelay
	}
	switch {
	case len(n.Unavailable) == 0, n.Degraded, n.InUpdate():
		return false
	case hasEntry(n):
		return true
	case p.Full, p.NotUpdated != nil, // other reasons come before Cordoned
		n.Unavailable[0].Reason == progress.Cordoned && (p.Paused || isWaiting && !p.Stalled && p.Updating == 0):
		return false
	}
	return isWaiting || slices.ContainsFunc(n.Unavailable, isLong)
}

// shared returns the first node, unavailable only for the reasons that all nodes have, and without their times.
func shared(all ...cluster.Node) cluster.Node {
	first := all[0]
	first.Unavailable = nil
	for _, u := range all[0].Unavailable {
		isOther := func(n cluster.Node) bool { return !n.Is(u.Reason) }
		if !slices.ContainsFunc(all, isOther) {
			first.Unavailable = append(first.Unavailable, progress.Unavailable{Reason: u.Reason})
		}
	}
	return first
}

// outageTexts names the nodes of an outage with the reason, for example "w-1 (NotReady since 10:49:00)" or, if there are
// manySame, "40 nodes NotReady since 10:49:00 to 10:49:39 (w-1, w-2, w-3, and 37 more)".
func outageTexts(p cluster.Pool, all []cluster.Node, o Options) (texts []string) {
	if len(all) < manySame {
		for _, n := range all {
			texts = append(texts, Clean(n.Name)+" ("+whyIn(p, n, o)+")")
		}
		return texts
	}
	var since []time.Time
	for _, n := range all {
		for _, u := range n.Unavailable[:min(1, len(n.Unavailable))] {
			since = append(since, u.Since)
		}
	}
	names := " (" + o.firstOf(namesOf(all)) + ")"
	return []string{nodes(len(all)) + " " + whyIn(p, shared(all...), o) + o.span(since) + names}
}

func namesOf(nodes []cluster.Node) (names []string) {
	for _, n := range nodes {
		names = append(names, n.Name)
	}
	return names
}

// addUnavailable adds the unavailable nodes of a pool, and commands that show more about them.
func (problem *Problem) addUnavailable(p cluster.Pool, o Options) {
	all := p.UnavailableNodes()
	problem.About = append(problem.About, namesOf(all)...)
	var texts []string
	groups := mco.Groups(all, outageOf(p, o))
	for _, same := range groups {
		texts = append(texts, outageTexts(p, same, o)...)
		first, isMany := shared(same...), len(same) >= manySame
		if hasEntry(first) {
			continue
		}
		isWhole := len(groups) == 1 && isMany
		switch message := unready(first); {
		case message == "":
		case isWhole: // the nodes are named already
			problem.Details = append(problem.Details, message)
		default:
			problem.Details = append(problem.Details, o.firstOf(namesOf(same))+": "+message)
		}
		isOnlyCordoned := len(first.Unavailable) == 1 && first.Is(progress.Cordoned)
		if isMany && !o.Whole && !isOnlyCordoned { // one command shows what all have
			same = []cluster.Node{first}
		}
		for _, n := range same {
			if o.Node == "" || o.Node == n.Name {
				problem.Next = addOnce(problem.Next, nextForUnavailable(n)...)
			}
		}
		if isWhole && !isOnlyCordoned {
			problem.cause = [3]any{Warn, "", outageOf(p, o)(first)} // as the entries of nodes
		}
	}
	if unknown := p.Unavailable - len(all); unknown > 0 {
		texts = append(texts, nodes(unknown)+" by the status of the pool")
		problem.Next = append(problem.Next, "oc get nodes")
	}
	if len(texts) > 0 {
		problem.What += ": " + o.names(texts)
	}
}

// whyIn says why a node of a pool is unavailable, and what else matters for its place.
func whyIn(p cluster.Pool, n cluster.Node, o Options) string {
	why := cmp.Or(whyUnavailable(n, o), "with a daemon that is not done")
	switch {
	case n.Degraded:
		why = "degraded"
	case n.State == cluster.Stuck:
		why = stepOf(n) + ", stuck"
	case n.InUpdate():
		why = stepOf(n)
	}
	if p.Places(n) > 1 && p.IsDoubled() {
		why += ", it fails and cannot run pods, so it takes 2 places"
	}
	if n.State == cluster.Waiting && p.Target.Image == "" && n.Current.Image != "" && !p.AwaitsImage() {
		why += ", with an OS image that its pool does not have"
	}
	return why
}

// whyUnavailable describes why a Node is unavailable, for example "NotReady since 10:49:00" or "cordoned since
// 10:49:00 by oc", and whether it is being deleted.
func whyUnavailable(n cluster.Node, o Options) string {
	var all []string
	for _, u := range n.Unavailable {
		text := string(u.Reason)
		switch u.Reason {
		case progress.Cordoned:
			text = "cordoned"
			if !n.InUpdate() && strings.HasPrefix(n.DesiredDrain, nodemeta.Drain) { // then no daemon withdraws the request
				text += ", as the annotation desiredDrain requests a drain,"
			}
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
	case !n.Is(progress.Cordoned): // it is not cordoned, or the caller has left out the cordon
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
