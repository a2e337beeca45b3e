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
	hasEntry := func(p cluster.Pool) bool { return len(Problems(p, o)) > 0 }
	matches := mco.OfPools.FindAllStringSubmatch(text, -1)
	for _, match := range matches {
		isNamed := func(p cluster.Pool) bool { return p.Name == match[1]+match[2] }
		if i := slices.IndexFunc(pools, isNamed); i >= 0 && !hasEntry(pools[i]) {
			return false
		}
	}
	return len(matches) > 0 && slices.ContainsFunc(pools, hasEntry)
}
