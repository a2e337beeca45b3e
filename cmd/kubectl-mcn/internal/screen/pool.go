package screen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/internal/poolwords"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// updatedDelay is how long a pool may stay not Updated after its last node is done.
const updatedDelay = 2 * time.Minute

// ofPool returns the problems of the pool itself.
func ofPool(p cluster.Pool, o Options) []Problem {
	var all []Problem
	for _, c := range p.Problems {
		all = append(all, ofCondition(p, c, Alarm, o))
	}
	if p.NotUpdated != nil {
		all = append(all, notUpdated(p, *p.NotUpdated, o))
	}
	all = append(all, full(p, o))
	if p.Build != nil {
		all = append(all, ofCondition(p, *p.Build, Warn, o))
	}
	all = append(all, paused(p, o))
	if p.WaitsFor != "" {
		what := "waits until the nodes of pool " + Clean(p.WaitsFor) + " are updated"
		all = append(all, Problem{ProblemID: ProblemID{Kind: "WaitsFor"}, What: what, Tone: Warn, About: waiting(p)})
	}
	all = slices.DeleteFunc(all, func(problem Problem) bool { return problem.What == "" })
	for i := range all {
		all[i].Pool, all[i].Subject = p.Name, "pool "+Clean(p.Name)
	}
	return all
}

// conditionTexts has texts for condition types. A type without a text is shown as it is.
var conditionTexts = map[string]string{
	"BuildPending":     "the OS image build has not started",
	"Building":         "the OS image is being built",
	"BuildSucceeded":   "the OS image is built, and nodes have to apply it",
	"BuildFailed":      "the OS image build has failed",
	"BuildInterrupted": "the OS image build was interrupted",
}

func ofCondition(p cluster.Pool, c cluster.PoolCondition, tone Tone, o Options) Problem {
	what := cmp.Or(conditionTexts[c.Type], Clean(c.Type)) + sinceText(c.Since, o.Now)
	problem := Problem{
		ProblemID: ProblemID{Kind: c.Type}, Since: c.Since, What: what, Message: c.Message, Next: nextForPool(p, c), Tone: tone,
	}
	if strings.Contains(c.Type, "Build") {
		problem.About = waiting(p)
	}
	for _, r := range poolwords.ReadReports(c.Message) {
		problem.About = append(problem.About, r.Node)
	}
	return problem
}

// waiting returns the names of the waiting nodes of a pool.
func waiting(p cluster.Pool) []string {
	var names []string
	for _, n := range p.Nodes {
		if n.State == cluster.Waiting {
			names = append(names, n.Name)
		}
	}
	return names
}

// notUpdated returns the problem of a pool that is not Updated, although all its nodes are done. c
// is Pool.NotUpdated.
func notUpdated(p cluster.Pool, c cluster.PoolCondition, o Options) Problem {
	problem := Problem{ProblemID: ProblemID{Kind: c.Type}, Since: c.Since, Message: c.Message, Tone: Alarm}
	problem.What = "all nodes have the target, but the pool is not Updated" + sinceText(c.Since, o.Now)
	if p.Total() == 0 {
		problem.What = "it has no nodes, and is not Updated" + sinceText(c.Since, o.Now)
	}
	if !c.Since.IsZero() && o.Now.Sub(c.Since) < updatedDelay {
		problem.Tone = Warn
	}
	problem.addUnavailable(p, o)
	if len(problem.About) > 0 {
		problem.Message = ""
	}
	if problem.Next == nil {
		problem.Next = nextFor(p.Name, describePool)
	}
	return problem
}

// full returns the problem of unavailable nodes that hold back waiting nodes. Its field What is "" if
// there are no such nodes, or if all of them are stuck, because stuck nodes have entries of their own.
func full(p cluster.Pool, o Options) Problem {
	isOther := func(n cluster.Node) bool { return n.State != cluster.Stuck }
	nodesOfPool := p.UnavailableNodes()
	if !p.Full || len(nodesOfPool) >= p.Unavailable && !slices.ContainsFunc(nodesOfPool, isOther) {
		return Problem{}
	}
	problem := Problem{
		ProblemID: ProblemID{Kind: "Full"}, Tone: Warn,
		What: fmt.Sprintf("maxUnavailable holds back %d waiting node", p.Waiting),
	}
	if p.Waiting > 1 {
		problem.What += "s"
	}
	if p.Blocked {
		problem.What, problem.Tone = "blocked", Alarm
	}
	places := ", %d of %d unavailable"
	if p.Unavailable > p.MaxUnavailable {
		places = ", %d unavailable, maxUnavailable is %d"
	}
	problem.What += fmt.Sprintf(places, p.Unavailable, p.MaxUnavailable)
	problem.addUnavailable(p, o)
	return problem
}

// addUnavailable adds the unavailable nodes of a pool, and commands that show more about them.
func (problem *Problem) addUnavailable(p cluster.Pool, o Options) {
	var texts []string
	all := p.UnavailableNodes()
	for _, n := range all {
		texts = append(texts, Clean(n.Name)+" ("+whyUnavailable(n, o)+")")
		problem.About = append(problem.About, n.Name)
		if !n.Degraded && !n.InUpdate() {
			problem.Next = append(problem.Next, nextForUnavailable(n)...)
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

// controller is the name of machine-config-controller in managedFields. That it cordons a node is no news.
const controller = "machine-config-controller"

// reasons describes why a Node is unavailable, for example "NotReady since 10:49:00" or "cordoned since
// 10:49:00 by oc".
func reasons(n cluster.Node, o Options) string {
	var all []string
	for _, u := range n.Unavailable {
		text := unavailableText(u, o)
		if u.Reason == progress.Cordoned && n.CordonedBy != "" && n.CordonedBy != controller {
			text += " by " + Clean(n.CordonedBy)
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

func unavailableText(u progress.Unavailable, o Options) string {
	text := string(u.Reason)
	if u.Reason == progress.Cordoned {
		text = "cordoned"
	}
	if u.Since.IsZero() {
		return text
	}
	return text + " since " + clockTime(u.Since, o.Now)
}

// writtenBy says who wrote a field, and when, for example " by oc at 13:20:05".
func writtenBy(w cluster.Write, o Options) string {
	if w.By == "" {
		return ""
	}
	return " by " + Clean(w.By) + " at " + clockTime(w.At, o.Now)
}

// paused says since when the nodes of a paused pool wait, and which certificates expire soon.
func paused(p cluster.Pool, o Options) Problem {
	problem := Problem{ProblemID: ProblemID{Kind: "PausedPool"}, Tone: Warn, About: waiting(p)}
	waits := p.Waiting
	if p.FromStatus {
		waits = p.Unreported
	}
	is, leftOut := "paused"+writtenBy(p.PausedBy, o), o.leftOut(p)
	switch {
	case !p.Paused || waits == 0:
		if leftOut != "" {
			problem.What = is
		}
	case !p.TargetSince.IsZero():
		problem.What = is + ", waiting" + sinceText(p.TargetSince, o.Now) + ": " + nodes(waits)
	default:
		problem.What = is + ", not Updated" + sinceText(p.NotUpdatedSince(), o.Now) + ": " + nodes(waits) + " waiting"
	}
	if leftOut != "" {
		problem.What += "; " + leftOut
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
		problem.What = cmp.Or(problem.What, is)
		problem.Message = "Certificates are not renewed while the pool is paused. They expire: " + strings.Join(texts, ", ")
	}
	return problem
}
