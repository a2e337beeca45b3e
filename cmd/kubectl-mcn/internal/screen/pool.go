package screen

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// justNow is how long a pool may take to become Updated, before that is a problem.
const justNow = 2 * time.Minute

// ofPool returns the problems of the pool itself.
func ofPool(p cluster.Pool, o Options) []Problem {
	var all []Problem
	add := func(tone Tone, c cluster.PoolCondition, what string, next []string, about ...string) {
		all = append(all, Problem{
			ProblemID: ProblemID{Pool: p.Name, Kind: c.Type}, Since: c.Since, Subject: "pool " + Clean(p.Name), What: what,
			Message: c.Message, Next: next, Tone: tone, About: about,
		})
	}
	for _, c := range p.Problems {
		add(Alarm, c, conditionText(c)+sinceText(c.Since, o.Now), nextForPool(p.Name, c))
	}
	if c := p.NotUpdated; c != nil {
		tone, what, next, about := notUpdated(p, o)
		if len(about) > 0 {
			c = &cluster.PoolCondition{Type: c.Type, Since: c.Since}
		}
		add(tone, *c, what, next, about...)
	}
	if what, next, about := full(p, o); what != "" {
		tone := Warn
		if p.Blocked {
			tone = Alarm
		}
		add(tone, cluster.PoolCondition{Type: "Full"}, what, next, about...)
	}
	if p.Build != nil {
		add(Warn, *p.Build, conditionText(*p.Build)+sinceText(p.Build.Since, o.Now), nextForPool(p.Name, *p.Build))
	}
	if what, message := paused(p, o); what != "" {
		add(Warn, cluster.PoolCondition{Type: "PausedPool", Message: message}, what, nil)
	}
	return all
}

// conditionTexts describes conditions in words. Other conditions have their types as text.
var conditionTexts = map[string]string{
	"BuildPending":     "the OS image build has not started",
	"Building":         "the OS image is being built",
	"BuildSucceeded":   "the OS image is built, and nodes have to apply it",
	"BuildFailed":      "the OS image build has failed",
	"BuildInterrupted": "the OS image build was interrupted",
}

func conditionText(c cluster.PoolCondition) string {
	if text := conditionTexts[c.Type]; text != "" {
		return text
	}
	return Clean(c.Type)
}

// notUpdated says why a pool is not Updated although all its nodes have the target.
func notUpdated(p cluster.Pool, o Options) (tone Tone, what string, next, about []string) {
	since := p.NotUpdated.Since
	tone, what = Alarm, "all nodes have the target, but the pool is not Updated"+sinceText(since, o.Now)
	if p.Total() == 0 {
		what = "it has no nodes, and is not Updated" + sinceText(since, o.Now)
	}
	if !since.IsZero() && o.Now.Sub(since) < justNow {
		tone = Warn
	}
	names, about, next := unavailable(p, o)
	if len(names) > 0 {
		what += ": " + o.names(names)
	} else {
		next = nextFor(p.Name, describePool)
	}
	return tone, what, next, about
}

// full says which unavailable nodes hold back waiting nodes. It returns "" if no nodes do, or if
// these nodes are stuck and have entries of their own.
func full(p cluster.Pool, o Options) (what string, next, about []string) {
	isOther := func(n cluster.Node) bool { return n.State != cluster.Stuck }
	nodesOfPool := p.UnavailableNodes()
	if !p.Full || len(nodesOfPool) >= p.Unavailable && !slices.ContainsFunc(nodesOfPool, isOther) {
		return "", nil, nil
	}
	what = "maxUnavailable holds back " + strings.Replace(nodes(p.Waiting), " ", " waiting ", 1)
	if p.Blocked {
		what = "blocked"
	}
	names, about, next := unavailable(p, o)
	places := fmt.Sprintf("%d of %d unavailable", p.Unavailable, p.MaxUnavailable)
	if p.Unavailable > p.MaxUnavailable {
		places = fmt.Sprintf("%d unavailable, maxUnavailable is %d", p.Unavailable, p.MaxUnavailable)
	}
	return what + ", " + places + ": " + o.names(names), next, about
}

// unavailable describes the unavailable nodes of a pool. It also returns their names, and commands
// that show more.
func unavailable(p cluster.Pool, o Options) (texts, names, next []string) {
	all := p.UnavailableNodes()
	for _, n := range all {
		texts, names = append(texts, Clean(n.Name)+" ("+whyUnavailable(n, o)+")"), append(names, n.Name)
		if !n.Degraded && !n.InUpdate() {
			next = append(next, nextForUnavailable(n)...)
		}
	}
	if unknown := p.Unavailable - len(all); unknown > 0 {
		texts, next = append(texts, nodes(unknown)+" by the status of the pool"), append(next, "oc get nodes")
	}
	return texts, names, next
}

// whyUnavailable says why a node is unavailable, and since when.
func whyUnavailable(n cluster.Node, o Options) string {
	switch {
	case n.Degraded:
		return "degraded"
	case n.State == cluster.Stuck:
		return verb(n.Step) + ", stuck"
	case n.InUpdate():
		return verb(n.Step)
	}
	return reasons(n, o)
}

// reasons describes why the Node of a node is unavailable, for example "NotReady since 10:49:00".
func reasons(n cluster.Node, o Options) string {
	var all []string
	for _, u := range n.Unavailable {
		text := string(u.Reason)
		if u.Reason == progress.Cordoned {
			text = "cordoned"
		}
		if !u.Since.IsZero() {
			text += " since " + clockTime(u.Since, o.Now)
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

// paused says since when the nodes of a paused pool wait, and which certificates expire soon.
func paused(p cluster.Pool, o Options) (what, message string) {
	if !p.Paused {
		return "", ""
	}
	if p.Waiting > 0 && !p.TargetSince.IsZero() {
		what = "paused, waiting" + sinceText(p.TargetSince, o.Now) + ": " + nodes(p.Waiting)
	}
	var texts []string
	for _, c := range p.Certificates {
		left := "in " + took(c.Expires.Sub(o.Now))
		if c.Expires.Before(o.Now) {
			left = took(o.Now.Sub(c.Expires)) + " ago"
		}
		texts = append(texts, Clean(c.Subject)+" "+clockTime(c.Expires, o.Now)+" ("+left+")")
	}
	if len(texts) > 0 {
		if what == "" {
			what = "paused"
		}
		message = "Certificates are not renewed while the pool is paused. They expire: " + strings.Join(texts, ", ")
	}
	return what, message
}
