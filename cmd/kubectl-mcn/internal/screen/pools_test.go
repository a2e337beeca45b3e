package screen

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// The column LEFT has the remaining time of a pool, or the reason why the time is not known. If there are several
// reasons, it has the first of this table.
func TestLeftIsTheTimeOrTheReasonWhyItIsUnknown(t *testing.T) {
	failed, pulling := cluster.Node{}, cluster.Node{}
	failed.PinnedImageSets, pulling.PinnedImageSets = []mco.PinnedImageSet{{Failed: true}}, []mco.PinnedImageSet{{}}
	degraded := cluster.Node{Node: mco.Node{Node: progress.Node{Degraded: true}}}
	done := func(p cluster.Pool) cluster.Pool {
		p.Known, p.Updated, p.Done = true, true, 3
		return p
	}
	with := func(p cluster.Pool, nodes ...cluster.Node) cluster.Pool {
		p.Known, p.Nodes = true, nodes
		return p
	}
	left, over := 7*time.Minute, -time.Second
	waiting, stuck := cluster.Counts{Waiting: 1}, cluster.Counts{Stuck: 1}
	updating := cluster.Counts{Done: 1, Updating: 1}
	for _, tc := range []struct {
		pool cluster.Pool
		want string
	}{
		{done(cluster.Pool{Problems: []cluster.PoolCondition{{}}, Build: &cluster.PoolCondition{}}), "degraded"},
		{cluster.Pool{Build: &cluster.PoolCondition{}, Paused: true}, "building"},
		{cluster.Pool{Known: true, Updated: true, Paused: true}, "done, paused"},
		{done(cluster.Pool{Paused: true}), "done, paused"},
		{done(cluster.Pool{}), "done"},
		{with(cluster.Pool{NotUpdated: &cluster.PoolCondition{}, Paused: true}, degraded), "not Updated"},
		{with(done(cluster.Pool{Paused: true}), failed), "degraded"},
		{with(done(cluster.Pool{Paused: true}), pulling), "pulling"},
		{with(cluster.Pool{Counts: waiting, Paused: true, Blocked: true}, pulling), "paused"},
		{with(cluster.Pool{Counts: waiting, Blocked: true, Stalled: true}, failed), "blocked"},
		{with(cluster.Pool{Counts: stuck}, degraded), "degraded"},
		{with(cluster.Pool{Counts: cluster.Counts{Stuck: 1, Waiting: 1}}, degraded), "?"},
		{with(cluster.Pool{Counts: cluster.Counts{Stuck: 1, Updating: 1}}, degraded), "?"},
		{with(cluster.Pool{Counts: stuck}), "?"},
		{with(cluster.Pool{Counts: updating, Remaining: &left}, cluster.Node{Slow: true}), "?"},
		{cluster.Pool{Counts: cluster.Counts{Idle: 1}}, "?"},
		{with(cluster.Pool{Counts: waiting, Stalled: true, WaitsFor: &cluster.Pool{}}), "stalled"},
		{with(cluster.Pool{Counts: waiting, WaitsFor: &cluster.Pool{}, Remaining: &left}), "waiting"},
		{with(cluster.Pool{Counts: updating, Remaining: &over}), "soon"},
		{with(cluster.Pool{Counts: updating, Remaining: new(time.Duration)}), "soon"},
		{with(cluster.Pool{Counts: updating, Remaining: &left}, pulling), "~7m"},
		{with(cluster.Pool{Counts: waiting}), "-"},
		{with(cluster.Pool{Counts: cluster.Counts{Done: 1}}), "-"},
	} {
		assert.Equal(t, tc.want, leftText(tc.pool), "%+v", tc.pool)
		isSaid := strings.Contains(tc.want, "paused")
		assert.Equal(t, tc.pool.Paused && !isSaid, len(changesAndPauses([]cluster.Pool{tc.pool}, Options{})) > 0, "a line says it, if LEFT does not")
	}
}

func TestALongNameOfAPoolKeepsItsEnds(t *testing.T) {
	all := []cluster.Pool{{Name: strings.Repeat("a", 12) + strings.Repeat("b", 13)}}
	for width, want := range map[int]string{120: "aaaaaaaaaaa..bbbbbbbbbbb ", 40: "aaaaa..bbbbb "} {
		assert.Equal(t, want, poolTable(all, Options{Width: width})[1].Text[:len(want)])
	}
}

// A paused pool misses the update of the cluster if its target is of an older version, or not even rolled out. It does not
// miss a version that its nodes run already: it waits for a change of its MachineConfigs.
func TestAPausedPoolThatMissesAnUpdateSaysSo(t *testing.T) {
	const missed = "left out of the update to 4.20.3"
	done := cluster.Pool{Known: true, Updated: true, Paused: true, Target: progress.Target{Config: "a"}}
	waiting := done
	waiting.Updated = false
	changed := waiting
	changed.Target.Config, changed.Nodes = "b", []cluster.Node{{Node: mco.Node{Node: progress.Node{Current: done.Target}}}}
	running := done
	running.Paused = false
	for _, tc := range []struct {
		pool       cluster.Pool
		version    string // of config a
		isUpdating bool
		want       string
	}{
		{done, "4.20.2", true, missed}, {done, "4.20.3", true, ""}, {done, "4.20.2", false, ""},
		{waiting, "4.20.3", true, missed}, {waiting, "4.20.3", false, missed}, {changed, "4.20.3", false, ""}, {changed, "4.20.2", false, missed}, {running, "4.20.2", true, ""},
	} {
		o := Options{Facts: cluster.Facts{Configs: map[string]cluster.MachineConfig{"a": {Release: tc.version}}}}
		assert.Empty(t, o.leftOut(tc.pool), "the version of the cluster is not known")
		o.Version = cluster.Version{Desired: "4.20.3", IsUpdating: tc.isUpdating}
		assert.Equal(t, tc.want, o.leftOut(tc.pool), "%+v", tc)
		assert.Equal(t, map[bool]string{true: "paused; " + missed}[tc.want != ""], paused(tc.pool, o).What, "no node waits")
	}
}
