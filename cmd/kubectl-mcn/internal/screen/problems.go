package screen

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// section is a part of the screen: problems of one kind. more is the format of the line that counts
// the nodes without an entry.
type section struct {
	problems []Problem
	more     string
}

// sections returns the problems of the pools' nodes, by kind.
func sections(pools []cluster.Pool, o Options) []section {
	var stuck, held, slow, pinned []Problem
	for _, p := range pools {
		for _, n := range p.StuckNodes() {
			stuck = append(stuck, ofNode(p, n, o))
		}
		held = append(held, ofHeldNodes(p, o)...)
		for _, n := range p.Nodes {
			if isSlow(n) {
				slow = append(slow, ofNode(p, n, o))
			}
			slow = append(slow, ofOthers(n, o)...)
		}
		pinned = append(pinned, ofPinnedImageSets(p, o)...)
	}
	slices.SortStableFunc(held, func(a, b Problem) int { return cmp.Compare(b.Tone, a.Tone) }) // Alarm comes first
	return []section{
		{stuck, "! %s stuck for other causes: see kubectl mcn -o wide"},
		{held, "%s not updated or unavailable for other causes: see kubectl mcn -o wide"},
		{slow, "~ %s slow or failing for other causes: see kubectl mcn -o wide"},
		{pinned, "~ %s with problems of pinned image sets: see kubectl mcn -o wide"},
	}
}

// isSlow reports whether the entry of a node is in the section of the slow nodes.
func isSlow(n cluster.Node) bool { return n.State != cluster.Stuck && (n.Slow || n.OffTarget) }

// Problems returns all problems of a pool, as separate entries.
func Problems(p cluster.Pool, o Options) []Problem {
	all := ofPool(p, o)
	for _, s := range sections([]cluster.Pool{p}, o) {
		all = append(all, s.problems...)
	}
	return all
}

// ProblemsOf returns the problems of a pool that are about a node.
func ProblemsOf(p cluster.Pool, node string, o Options) []Problem {
	o.Node = node
	return slices.DeleteFunc(Problems(p, o), func(p Problem) bool { return !slices.Contains(p.About, node) })
}

// Failures returns the problems that stop the rollout of a pool. Two of them have an entry that is only a warning: somebody
// has paused the pool, or its image is built and no node applies it. Of the image, nobody knows since when.
func Failures(p cluster.Pool, o Options) []Problem {
	all := Problems(p, o)
	isUnapplied := p.Build != nil && !p.IsBuilding() && p.WaitsFor == nil
	if isUnapplied || p.Paused && p.Done < p.Total() {
		all = append(all, Problem{ProblemID: ProblemID{Pool: p.Name, Kind: "Stopped"}, Tone: Alarm})
	}
	return slices.DeleteFunc(all, func(p Problem) bool { return p.Tone != Alarm })
}

// ofNode returns the problem of a node that is stuck or slow, or that updates to a config that is
// not the target of its pool.
func ofNode(pool cluster.Pool, n cluster.Node, o Options) Problem {
	p := about(n, "Stuck")
	if n.State == cluster.Stuck {
		p.Tone = Alarm
	}
	p.Since, p.began = n.DegradedSince, n.Since
	p.marks, p.What, p.Message, p.Next = marks(n), howStuck(pool, n, o), messageOf(n, o), Next(n, o)
	details, ofPods := o.ofPods(n)
	p.Details = details
	why := unready(n)
	if p.Message == "" {
		p.Message = why
	} else if why != "" {
		p.Details = append(p.Details, why)
	}
	same := masked(n.Message, n.Name) + masked(why, n.Name)
	if len(n.Pods) > 0 {
		same = strings.Join(ofPods, " ") + o.causeOfPods(n) + masked(why, n.Name)
	}
	step := n.Step
	if n.Degraded && same != "" {
		step = "" // the error says more than the step
	}
	p.cause = [9]any{n.State, step, n.Degraded, n.OffTarget, n.Cordoner.Deletes(), n.IsLifted, n.Back.IsZero(), isReadyAgain(n), same}
	return p
}

// messageOf returns the error of a node. It is "" if the node does not fail: then its message says what the step does,
// which is no cause.
func messageOf(n cluster.Node, o Options) string {
	if !n.Failing && !n.Degraded {
		return ""
	}
	message := n.Message
	if listed := mco.Listed(message); listed != nil && !o.Whole {
		for i := range listed { // its end has only names; one of six lines is left for other words
			listed[i] = Cut(Clean(listed[i]), 5*(o.Width-len(margin))/len(listed))
		}
		message = strings.Join(listed, "; ")
	}
	if n.IsOld {
		message = "in the last attempt: " + message
	}
	return message
}

// ofOthers returns the problems of a node that do not stop its update: conditions that end in Degraded,
// and parts of the config that only a new node gets.
func ofOthers(n cluster.Node, o Options) []Problem {
	var all []Problem
	add := func(kind, what, message string, since time.Time) {
		p := about(n, kind)
		p.Since, p.What, p.Message = since, what+sinceText(since, o.Now), message
		p.cause = [2]any{what, masked(message, n.Name)}
		all = append(all, p)
	}
	for _, c := range n.Others {
		add(c.Type, Clean(c.Type), c.Message, c.LastTransitionTime.UTC())
	}
	if len(n.Irreconcilable) > 0 {
		add("Irreconcilable", "does not have a part of its config, because only a new node gets it: "+Clean(strings.Join(n.Irreconcilable, ", ")), "", time.Time{})
	}
	return all
}

// howStuck describes how a node is stuck or slow, for example "Draining for 72m (since 13:03:31),
// degraded for 12m".
func howStuck(p cluster.Pool, n cluster.Node, o Options) string {
	var parts []string
	add := func(is bool, text string) {
		if is {
			parts = append(parts, text)
		}
	}
	step := capital(stepOf(n))
	if !n.Back.IsZero() {
		if !n.Is(progress.NotReady) { // or it may have been Ready in between
			step += " and back since " + clockTime(n.Back, o.Now)
		}
		step += ", at this step"
	}
	if !n.Since.IsZero() {
		step += " for " + sinceNow(n.Since, o.Now) + sinceTime(n.Since, o.Now)
	}
	add(n.InUpdate(), step)
	add(!n.Back.IsZero() && !n.Degraded, "the daemon has not reported the reboot")
	add(n.NotStarted() && !n.Degraded, "the update was requested, and the daemon has not started it")
	degraded := "degraded"
	if n.For > 0 {
		degraded += " for " + took(n.For)
		if !n.InUpdate() || n.Since.IsZero() { // otherwise the time of the step is shown
			degraded += sinceTime(n.DegradedSince, o.Now)
		}
	}
	add(n.Degraded, degraded)
	add(n.Degraded && n.For == 0 && !p.DegradedSince.IsZero(), "the pool since "+clockTime(p.DegradedSince, o.Now))
	add(!n.InUpdate() && n.Done, "not in an update")
	add(n.Failing, "failing")
	n.Unavailable = slices.DeleteFunc(slices.Clone(n.Unavailable), func(u progress.Unavailable) bool { return u.Reason == progress.Cordoned })
	add(len(n.Unavailable) > 0 || n.Cordoner.Deletes(), whyUnavailable(n, o))
	add(isReadyAgain(n), "Ready again since "+clockTime(n.Ended, o.Now))
	lifted := "no longer cordoned"
	if len(n.Unavailable) == 0 {
		lifted += ", so pods come back"
	}
	if n.LiftedBy.By != "" {
		lifted += " (last written" + writtenBy(n.LiftedBy, o) + ")"
	}
	add(n.IsLifted, lifted)
	to := "to " + Clean(n.Towards().Config)
	add(n.IsToOtherPool(), to+", which is a config of another pool")
	add(n.OffTarget && !n.IsToOtherPool(), to+", which its pool no longer targets")
	return strings.Join(parts, ", ")
}

// isReadyAgain reports whether a Node has become Ready since its update began. Without a MachineConfigNode, Ended is that time.
func isReadyAgain(n cluster.Node) bool {
	return n.InUpdate() && n.Step == "" && !n.Started.IsZero() && n.Ended.After(n.Started) && !n.Is(progress.NotReady)
}

// ofHeldNodes returns a problem for each node that nothing updates: an unavailable node for which isOutage is true, a waiting
// node of a Stalled pool, and a node that has not reported.
func ofHeldNodes(p cluster.Pool, o Options) (all []Problem) {
	for _, n := range p.Nodes {
		problem, what, why := about(n, "Held"), "", ""
		var same any // what all nodes with this cause have in common
		switch {
		case isOutage(p, n, o):
			why, same = whyUnavailable(n, o), outageOf(p, o)(n)
			_, problem.also, _ = strings.Cut(why, ", ")
			problem.began, problem.Message, problem.Next = n.Unavailable[0].Since, unready(n), nextForUnavailable(n)
		case n.State == cluster.Waiting && p.Stalled:
			problem.Next = []string{mco.ControllerLog}
			switch {
			case p.InvalidLimit != "":
				why = `maxUnavailable of its pool is the text "` + Clean(p.InvalidLimit) + `", which is no percentage`
				same, problem.Next = why, nextFor(p.Name, describePool)
			case n.Current.Config == p.Target.Config:
				why, same = "it does not have the OS image of its pool", "image"
			}
		case n.State == cluster.Unreported && n.HasNode:
			why = "its Node exists" + sinceText(n.Created, o.Now)
			problem.began, problem.Next = n.Created, nextFor(n.Name, daemonPods, daemonLog)
		default:
			continue
		}
		switch {
		case n.State == cluster.Waiting && n.Is(progress.AnnotationsMissing):
			problem.Tone = Alarm
			problem.Message = "machine-config-operator does not count the node as done. The controller writes desiredConfig again when the pool has a free place; then the daemon writes state. " +
				"The daemon writes currentConfig only when it starts."
		case n.State == cluster.Waiting && !p.Paused:
			what = "waits, and is not selected" + sinceText(p.StalledSince, o.Now)
			if p.Stalled {
				problem.Tone = Alarm
			}
		case n.State == cluster.Unreported:
			what = "has not reported"
		}
		problem.What = strings.Trim(what+": "+why, ": ")
		problem.cause = [3]any{problem.Tone, what, same}
		all = append(all, problem)
	}
	return all
}

// ofPinnedImageSets returns a problem for the pinned image sets that a node has not pulled. Sets with
// the same cause share a problem.
func ofPinnedImageSets(p cluster.Pool, o Options) (all []Problem) {
	for _, n := range p.Nodes {
		cause := func(s mco.PinnedImageSet) any { return [3]any{n.Pool, s.Failed, masked(s.Message, n.Name)} }
		for _, same := range mco.Groups(n.PinnedImageSets, cause) {
			first := same[0]
			problem := about(n, "pinned "+first.Name)
			if first.Failed {
				problem.Tone, problem.Next = Alarm, nextFor(n.Name, daemonLog)
			}
			var names []string
			for _, s := range same {
				names = append(names, s.Name)
			}
			problem.What = ofSets(names, first.Failed) + sinceText(first.Since, o.Now)
			if !first.Failed && first.Message != "" {
				problem.What += ", an attempt failed and is repeated"
			}
			problem.Since, problem.Message = first.Since, first.Message
			problem.cause = [2]any{cause(first), strings.Join(names, " ")}
			all = append(all, problem)
		}
	}
	return all
}

// ofSets says what pinned image sets do, for example "pinned image set a has failed".
func ofSets(names []string, hasFailed bool) string {
	subject, is, has := "pinned image set "+Clean(names[0]), " is being pulled", " has failed"
	switch {
	case names[0] == "" && !hasFailed: // all sets are pulled, but the daemon reports that it is at work
		return "the daemon checks the pinned image sets"
	case names[0] == "":
		subject = "a pinned image set"
	case len(names) > 1:
		subject, is, has = "pinned image sets "+Clean(strings.Join(names, ", ")), " are being pulled", " have failed"
	}
	if hasFailed {
		return subject + has
	}
	return subject + is
}
