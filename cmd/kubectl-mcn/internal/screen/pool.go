package screen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
	"github.com/openshift/upgrademonitor/internal/nodemeta"
	"github.com/openshift/upgrademonitor/internal/poolwords"
)

// updatedDelay is how long after the end of an update its pool may be not Updated, or its node unavailable.
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
	all = append(all, unobserved(p, o), full(p, o))
	if p.Build != nil {
		all = append(all, ofCondition(p, *p.Build, Warn, o))
	}
	all = append(all, paused(p, o))
	if p.WaitsFor != nil {
		problem := Problem{ProblemID: ProblemID{Kind: "WaitsFor"}, Tone: Warn, About: namesOf(p.NodesIn(cluster.Waiting))}
		problem.What = "waits until no node of pool " + Clean(p.WaitsFor.Name) + " is unavailable"
		if p.WaitsFor.Name == nodemeta.Master && p.WaitsFor.Waiting > 0 && !p.WaitsFor.Paused {
			problem.What += " or can be updated"
		}
		if !p.WaitsFor.Full { // the entry of a Full pool names the nodes
			problem.addUnavailable(*p.WaitsFor, o)
		}
		all = append(all, problem)
	}
	all = slices.DeleteFunc(all, func(problem Problem) bool { return problem.What == "" })
	for i := range all {
		all[i].Pool, all[i].Subject = p.Name, "pool "+Clean(p.Name)
		if all[i].cause == nil {
			all[i].cause = all[i].ProblemID
		}
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
		ProblemID: ProblemID{Kind: c.Type}, Since: c.Since, What: what, Message: c.Message, Next: nextForPool(p, c, o), Tone: tone,
	}
	if c.IsOfBuild() {
		problem.About = namesOf(p.NodesIn(cluster.Waiting))
	}
	for _, r := range poolwords.ReadReports(c.Message) {
		problem.About = append(problem.About, r.Node)
	}
	return problem
}

// notUpdated returns the problem of a pool that is not Updated, although all its nodes are done. c
// is Pool.NotUpdated.
func notUpdated(p cluster.Pool, c cluster.PoolCondition, o Options) Problem {
	problem := Problem{ProblemID: ProblemID{Kind: c.Type}, Since: c.Since, Message: c.Message, Tone: Alarm}
	isOlder := !o.Older.IsZero()
	isYoung := o.Now.Sub(c.Since) < updatedDelay  // false if the time is not known
	if isOlder || isYoung && p.Unavailable == 0 { // its message is out of date
		what := map[bool]string{true: "the status of the pool is older", false: "it waits for the status of the pool"}[isOlder]
		return Problem{ProblemID: problem.ProblemID, What: "all nodes have the target; " + what, Tone: Warn}
	}
	if isYoung {
		problem.Tone = Warn
	}
	problem.What = "all nodes have the target, but the pool is not Updated" + sinceText(c.Since, o.Now)
	problem.addUnavailable(p, o)
	if len(problem.About) > 0 {
		problem.Message = ""
	}
	if problem.Next == nil {
		problem.Next = nextFor(p.Name, describePool)
	}
	return problem
}

// unobserved returns the problem of a pool whose controller has not looked at the target. If nobody knows when the
// target was set, it may have been a second ago.
func unobserved(p cluster.Pool, o Options) Problem {
	if p.Unobserved == nil {
		return Problem{}
	}
	problem := Problem{
		ProblemID: ProblemID{Kind: p.Unobserved.Type}, Since: p.Unobserved.Since, Tone: Warn,
		What:  "waits" + sinceText(p.Unobserved.Since, o.Now) + " for the controller to look at its " + p.Unobserved.Message,
		About: namesOf(p.NodesIn(cluster.Waiting)),
	}
	if !problem.Since.IsZero() {
		problem.Tone, problem.Next = Alarm, []string{mco.ControllerLog}
	}
	return problem
}

// full returns the problem of unavailable nodes that hold back waiting nodes. Its field What is "" if
// there are no such nodes, or if all of them are stuck, because stuck nodes have entries of their own.
// A stuck node that takes two places is named, because its neighbors wait for a reason that is hard to see.
func full(p cluster.Pool, o Options) Problem {
	nodesOfPool := p.UnavailableNodes()
	isDouble := p.IsDoubled()
	isOther := func(n cluster.Node) bool { return n.State != cluster.Stuck }
	if !p.Full || !isDouble && len(nodesOfPool) >= p.Unavailable && !slices.ContainsFunc(nodesOfPool, isOther) {
		return Problem{}
	}
	waits := p.Waiting
	for _, n := range nodesOfPool {
		if n.State == cluster.Waiting {
			waits-- // it holds back the others
		}
	}
	problem := Problem{
		ProblemID: ProblemID{Kind: "Full"}, Tone: Warn,
		What: "maxUnavailable holds back " + strings.Replace(nodes(waits), "node", "waiting node", 1),
	}
	if p.Blocked {
		problem.What, problem.Tone = "blocked", Alarm
	}
	if isDouble || p.Unavailable > p.MaxUnavailable {
		problem.What += fmt.Sprintf(", %d unavailable, maxUnavailable is %d", p.Unavailable, p.MaxUnavailable)
	} else {
		problem.What += fmt.Sprintf(", %d of %d unavailable", p.Unavailable, p.MaxUnavailable)
	}
	problem.addUnavailable(p, o)
	return problem
}

// writtenBy says who wrote a field, and when, for example " by oc at 13:20:05".
func writtenBy(w mco.Write, o Options) string {
	if w.By == "" {
		return ""
	}
	return " by " + Clean(w.By) + " at " + clockTime(w.At, o.Now)
}

// paused says since when the nodes of a paused pool wait, and which certificates expire soon.
func paused(p cluster.Pool, o Options) Problem {
	problem := Problem{ProblemID: ProblemID{Kind: "PausedPool"}, Tone: Warn, About: namesOf(p.NodesIn(cluster.Waiting))}
	problem.What = "paused" + writtenBy(p.PausedBy, o)
	waits, leftOut := p.Waiting, o.leftOut(p)
	if p.FromStatus {
		waits = p.Unreported
	}
	switch {
	case !p.Paused, waits == 0 && leftOut == "":
		return Problem{}
	case waits == 0:
	case !p.TargetSet.IsZero(), p.IsBuilding(): // nodes may wait for an image although the pool is Updated
		problem.What += ", waiting" + sinceText(waitingSince(p), o.Now) + ": " + nodes(waits)
	default:
		problem.What += ", not Updated" + sinceText(p.NotUpdatedSince(), o.Now) + ": " + nodes(waits) + " waiting"
	}
	if leftOut != "" {
		problem.What += "; " + leftOut
	}
	isNamed := func(n cluster.Node) bool { return p.NotUpdated != nil || hasEntry(n) || isOutage(p, n, o) }
	for _, same := range mco.Groups(slices.DeleteFunc(p.UnavailableNodes(), isNamed), outageOf(p, o)) {
		problem.What += ", " + strings.Join(outageTexts(p, same, o), ", ")
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
		problem.Details = []string{"its certificates expire: " + strings.Join(texts, ", ")}
	}
	return problem
}

// waitingSince returns since when a node of a paused pool waits: since the target was set or, if that is much later,
// since the pool is not Updated, its image is being built, or the first of the waiting nodes ended its last update.
func waitingSince(p cluster.Pool) time.Time {
	later := p.NotUpdatedSince()
	if p.IsBuilding() {
		later = mco.Latest(later, p.Build.Since)
	}
	var ends []time.Time
	for _, n := range p.NodesIn(cluster.Waiting) {
		ends = append(ends, mco.Latest(n.Completed, n.Ended))
	}
	if len(ends) > 0 {
		later = mco.Latest(later, slices.MinFunc(ends, time.Time.Compare))
	}
	if later.Sub(p.TargetSet) > updatedDelay {
		return later
	}
	return p.TargetSet
}

// leftOut says that the update of the cluster leaves a paused pool out, or returns "". If all nodes run the version
// already, they wait for a change of their MachineConfigs.
func (o Options) leftOut(p cluster.Pool) string {
	isOther := func(n cluster.Node) bool { return o.Configs[n.Current.Config].Release != o.Version.Desired }
	haveVersion := len(p.Nodes) > 0 && !slices.ContainsFunc(p.Nodes, isOther)
	isDone := p.IsDone() && (!o.Version.IsUpdating || o.Configs[p.Target.Config].Release == o.Version.Desired)
	if o.Version.Desired == "" || !p.Paused || isDone || haveVersion {
		return ""
	}
	return "left out of the update to " + Clean(o.Version.Desired)
}
