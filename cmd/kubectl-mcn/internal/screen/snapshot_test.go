package screen

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
)

// Nodes share the entry of a conflict only if the same pools select them.
func TestConflictsOfDifferentPoolsHaveTheirOwnEntries(t *testing.T) {
	var got []string
	for _, line := range Outside(cluster.Cluster{Conflicts: []cluster.Conflict{
		{Node: "a", Pools: []string{"gpu", "infra"}}, {Node: "b", Pools: []string{"gpu", "virt"}}, {Node: "c", Pools: []string{"gpu", "infra"}},
		{Node: "d", Pools: []string{"master", "gpu"}, Pool: "master"},
	}}, Options{}) {
		got = append(got, line.Text)
	}
	assert.Equal(t, []string{
		"", "~ a: the pools gpu and infra select the node, so it is in no pool, and not updated", "    next: oc get node a --show-labels", "    the same: c",
		"", "~ b: the pools gpu and virt select the node, so it is in no pool, and not updated", "    next: oc get node b --show-labels",
		"", "~ d: the pools master and gpu select the node, so it stays in pool master", "    next: oc get node d --show-labels",
	}, got)
}

func TestTheTitleHasTheTimeOfTheLastResponse(t *testing.T) {
	now := time.Date(2026, 3, 4, 14, 16, 5, 0, time.UTC)
	got := title(nil, Options{Now: now, LastContact: now.Add(-time.Minute)})
	assert.Equal(t, Line{Text: "no response from the server since 14:15:05, reconnecting", Tone: Alarm}, got[len(got)-1])
}
