package screen

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
)

func TestTheEleventhNameIsCounted(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"}
	assert.Equal(t, "a, b, c, d, e, f, g, h, i, j, and 1 more: kubectl mcn -o wide", Options{}.names(names))
	assert.Equal(t, "a, b, c, d, e, f, g, h, i, j", Options{}.names(names[:10]))
}

// A problem with the cause of an entry above has the pool and the time in which it differs, if they are known.
func TestAProblemWithTheSameCauseSaysWhatDiffers(t *testing.T) {
	at := time.Date(2026, 3, 4, 14, 0, 0, 0, time.UTC)
	first := Problem{ProblemID: ProblemID{Pool: "worker"}, Since: at}
	for want, p := range map[string]Problem{
		"":                          {ProblemID: first.ProblemID},
		" (pool infra)":             {ProblemID: ProblemID{Pool: "infra"}, Since: at},
		" (since 13:00:00)":         {ProblemID: first.ProblemID, began: at.Add(-time.Hour)},
		" (cordoned)":               {ProblemID: first.ProblemID, Since: at, also: "cordoned"},
		" (pool a, since 15:00:00)": {ProblemID: ProblemID{Pool: "a"}, Since: at.Add(time.Hour), began: at},
	} {
		assert.Equal(t, want, p.differs(first, Options{Now: at}))
	}
	many := slices.Repeat([]Problem{{ProblemID: ProblemID{Pool: "infra"}, Subject: "i", Since: at}}, 11)
	assert.Equal(t, "11 nodes since Mar 4 14:00:00 in infra (i, i, i, and 8 more): kubectl mcn -o wide", Options{}.same(first, many))
	many[0].Pool = "worker"
	assert.Equal(t, "11 nodes since Mar 4 14:00:00 in worker, infra (i, i, i, and 8 more): kubectl mcn -o wide", Options{}.same(first, many))
}

// A node of a paused pool waits since the target was set or, if that is later, since its last update ended. The pool waits
// since the first of its nodes waits.
func TestAPausedPoolWaitsSinceItsFirstNodeWaits(t *testing.T) {
	set := time.Date(2026, 5, 2, 9, 0, 0, 0, time.UTC)
	for name, tc := range map[string]struct {
		ended []time.Time
		want  time.Time
	}{
		"all ended before":                 {[]time.Time{set.Add(-time.Hour), set.Add(-time.Minute)}, set},
		"one ended later":                  {[]time.Time{set.Add(20 * time.Minute), set.Add(-time.Hour)}, set},
		"all ended later":                  {[]time.Time{set.Add(20 * time.Minute), set.Add(10 * time.Minute)}, set.Add(10 * time.Minute)},
		"nobody knows when one ended":      {[]time.Time{set.Add(20 * time.Minute), {}}, set},
		"the status of the pool, no nodes": {nil, set},
	} {
		p := cluster.Pool{TargetSet: set, Nodes: []cluster.Node{{State: cluster.Done, Node: mco.Node{Completed: set.Add(-2 * time.Hour)}}}}
		for _, ended := range tc.ended {
			p.Nodes = append(p.Nodes, cluster.Node{State: cluster.Waiting, Node: mco.Node{Completed: ended}})
		}
		assert.Equal(t, tc.want, waitingSince(p), name)
	}
}
