package screen

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
)

// Failures returns the problems that stop the rollout of a pool.
func Failures(p cluster.Pool, now time.Time) []Problem {
	o := Options{Now: now}
	all := ofPool(p, o)
	add := func(is bool, kind string) {
		if is {
			all = append(all, Problem{ProblemID: ProblemID{Pool: p.Name, Kind: kind}, Tone: Alarm})
		}
	}
	add(p.Paused && p.Done < p.Total(), "Paused")
	add(p.Blocked, "Blocked")
	add(p.FromStatus && p.Stuck > 0, "Degraded")
	for _, n := range p.StuckNodes() {
		all = append(all, ofNode(n, o))
	}
	all = append(all, ofPinnedImageSets(p, o)...)
	return slices.DeleteFunc(all, func(p Problem) bool { return p.Tone != Alarm })
}

// ofPool returns the problems of the pool itself: its degraded conditions, unavailable nodes that
// block waiting nodes, and a build of its image.
func ofPool(p cluster.Pool, o Options) []Problem {
	var all []Problem
	add := func(tone Tone, c cluster.PoolCondition, what string, next []string) {
		all = append(all, Problem{
			ProblemID: ProblemID{Pool: p.Name, Kind: c.Type}, Since: c.Since, Subject: "pool " + Clean(p.Name), What: what + sinceText(c.Since, o.Now),
			Message: c.Message, Next: next, Tone: tone,
		})
	}
	for _, c := range p.Problems {
		add(Alarm, c, Clean(c.Type), nextForPool(p.Name, c))
	}
	unavailable := p.UnavailableNodes()
	unknown := p.Unavailable - len(unavailable)
	isStuck := func(n cluster.Node) bool { return n.State == cluster.Stuck }
	// If all unavailable nodes are stuck, the entries of these nodes are enough.
	if p.Full && (unknown > 0 || slices.ContainsFunc(unavailable, func(n cluster.Node) bool { return !isStuck(n) })) {
		tone, what, next := Warn, "maxUnavailable holds back "+strings.Replace(nodes(p.Waiting), " ", " waiting ", 1), []string(nil)
		if p.Blocked {
			tone, what = Alarm, "blocked"
		}
		var names []string
		for _, n := range unavailable {
			names = append(names, Clean(n.Name)+" ("+whyUnavailable(n)+")")
			if n.NotReady && !n.InUpdate() && next == nil && isName.MatchString(n.Name) {
				next = []string{"oc describe node " + n.Name}
			}
		}
		if unknown > 0 {
			names, next = append(names, nodes(unknown)+" (NotReady or cordoned)"), []string{"oc get nodes"}
		}
		places := fmt.Sprintf("%d of %d unavailable", p.Unavailable, p.MaxUnavailable)
		if p.Unavailable > p.MaxUnavailable {
			places = fmt.Sprintf("%d unavailable, maxUnavailable is %d", p.Unavailable, p.MaxUnavailable)
		}
		what += ", " + places + ": " + o.names(names)
		add(tone, cluster.PoolCondition{Type: "Full"}, what, next)
	}
	if p.Build != nil {
		doing := "image is being built"
		if p.Build.Type == "BuildPending" {
			doing = "image is about to be built"
		}
		add(Warn, *p.Build, doing, nextForPool(p.Name, *p.Build))
	}
	return all
}

func whyUnavailable(n cluster.Node) string {
	switch {
	case n.Degraded:
		return "degraded"
	case n.State == cluster.Stuck:
		return verb(n.Step) + ", stuck"
	case n.InUpdate():
		return verb(n.Step)
	case n.NotReady:
		return "NotReady"
	}
	return "cordoned"
}

// ofNode returns the problem of a stuck or slow node.
func ofNode(n cluster.Node, o Options) Problem {
	p := Problem{
		ProblemID: ProblemID{n.Pool, n.Name, "Stuck", n.UID}, Since: n.DegradedSince,
		Subject: Clean(n.Name), marks: marks(n), What: reason(n, o), Message: n.Message, Next: Next(n), Tone: Alarm,
	}
	if n.State != cluster.Stuck {
		p.Tone = Warn
	}
	same := strings.ReplaceAll(n.Message, n.Name, "")
	if len(n.Pods) > 0 {
		same = strings.Join(p.Next, " ")
	}
	p.cause = [5]any{n.Pool, n.State, n.Step, n.Degraded, same}
	return p
}

// ofPinnedImageSets returns a problem for each pinned image set that a node has not pulled.
func ofPinnedImageSets(p cluster.Pool, o Options) []Problem {
	var all []Problem
	for _, n := range p.Nodes {
		for _, s := range n.PinnedImageSets {
			set, is, tone := "a pinned image set", "is being pulled", Warn
			if s.Name != "" {
				set = "pinned image set " + Clean(s.Name)
			}
			if s.Failed {
				is, tone = "has failed", Alarm
			}
			all = append(all, Problem{
				ProblemID: ProblemID{p.Name, n.Name, "pinned " + s.Name, n.UID}, Since: s.Since, cause: s,
				Subject: Clean(n.Name), What: set + " " + is + sinceText(s.Since, o.Now), Message: s.Message, Tone: tone,
			})
		}
	}
	return all
}

func nodeEntries(pools []cluster.Pool, o Options) []Line {
	var stuck, slow []Problem
	for _, p := range pools {
		for _, n := range p.StuckNodes() {
			stuck = append(stuck, ofNode(n, o))
		}
		for _, n := range p.Nodes {
			if n.Slow {
				slow = append(slow, ofNode(n, o))
			}
		}
	}
	return append(grouped(stuck, "! %s stuck for other causes: see kubectl mcn -o wide", o),
		grouped(slow, "~ %s slow or failing for other causes: see kubectl mcn -o wide", o)...)
}

func pinnedImageSets(pools []cluster.Pool, o Options) []Line {
	var all []Problem
	for _, p := range pools {
		all = append(all, ofPinnedImageSets(p, o)...)
	}
	return grouped(all, "~ %s with problems of pinned image sets: see kubectl mcn -o wide", o)
}

// reason describes how a node is stuck or slow, for example "Draining for 72m (since 13:03:31),
// degraded for 12m".
func reason(n cluster.Node, o Options) string {
	var parts []string
	if n.InUpdate() {
		parts = append(parts, stepName(n)+" for "+sinceNow(n.Since, o.Now)+sinceTime(n.Since, o.Now))
	}
	if n.Degraded && n.InUpdate() {
		parts = append(parts, "degraded for "+orDash(n.For))
	} else if n.Degraded {
		parts = append(parts, "degraded for "+orDash(n.For)+sinceTime(n.DegradedSince, o.Now))
		if n.Reported {
			parts = append(parts, "not in an update")
		}
	}
	if n.Failing {
		parts = append(parts, "failing")
	}
	if n.NotReady {
		parts = append(parts, "NotReady")
	}
	return strings.Join(parts, ", ")
}
