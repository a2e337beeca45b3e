package screen

import (
	"slices"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
)

// OfOperator returns the problems of the ClusterOperator machine-config.
func OfOperator(o Options) []Problem {
	var all []Problem
	for _, c := range o.Operator {
		problem := Problem{
			Since: c.Since, Subject: "cluster operator machine-config", What: "degraded" + sinceText(c.Since, o.Now), Message: c.Message,
			Next: []string{"oc describe clusteroperator machine-config"}, Tone: Warn,
		}
		if c.Type == "Available" {
			problem.What, problem.Tone = "unavailable"+sinceText(c.Since, o.Now), Alarm
		}
		all = append(all, problem)
	}
	return all
}

// notYet says that the cluster is still being updated, although all pools are done.
func (o Options) notYet(pools []cluster.Pool) string {
	isOpen := func(p cluster.Pool) bool { return !p.IsDone() }
	if !o.Version.IsUpdating || slices.ContainsFunc(pools, isOpen) {
		return ""
	}
	return "done, but the cluster is on its way to " + Clean(o.Version.Desired) + sinceText(o.Version.Since, o.Now)
}

// leftOut says that the update of the cluster leaves a paused pool out, or returns "".
func (o Options) leftOut(p cluster.Pool) string {
	isDone := p.IsDone() && (!o.Version.IsUpdating || o.Configs[p.Target.Config].Release == o.Version.Desired)
	if o.Version.Desired == "" || !p.Paused || isDone {
		return ""
	}
	return "left out of the update to " + Clean(o.Version.Desired)
}

// changes returns a line for each pool whose target has other MachineConfigs than its last target, for example
// "worker: +99-worker-chrony -98-worker-old".
func changes(pools []cluster.Pool, o Options) (ls []Line) {
	for _, p := range pools {
		if text := Clean(p.Changes()); text != "" {
			ls = append(ls, wrapped(Plain, margin, Clean(p.Name)+": "+text, o.Width)...)
		}
	}
	if len(ls) > 0 {
		ls = append([]Line{{}}, ls...)
	}
	return ls
}
