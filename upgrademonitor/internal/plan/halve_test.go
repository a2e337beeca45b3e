package plan_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// Each halving shortens something, until next to nothing is left; a repeat stays a repeat.
func TestHalve(t *testing.T) {
	s := upToDate(configA, "", false)
	long := report(phases.NodeDegraded, done, 1, configA, configA)
	long.Message = strings.Repeat("m", 30_000)
	p, before := planned(t, s, long, plan.Memo{}), 1<<30
	halvings := 0
	for {
		size := messagesOf(t, p.Final)
		require.Less(t, size, before)
		assert.Empty(t, planned(t, p.Final, long, plan.Memo{}).Steps, "a repeat")
		before = size
		memo, ok := p.Halve()
		if !ok {
			break
		}
		halvings++
		p = planned(t, s, long, memo)
	}
	assert.Equal(t, 4, halvings, "of 30 kB, with no attempt that shortens nothing")
	assert.Less(t, before, 4_000)
}

func TestHalveTheFailuresOfImageSets(t *testing.T) {
	failed := imageSets(1, set{Name: "a", Generation: 1, Failure: strings.Repeat("f", 30_000)})
	s := upToDate(configA, "", false)
	memo, ok := planned(t, s, failed, plan.Memo{}).Halve()
	require.True(t, ok)
	got := after(t, s, failed).Object.Status.PinnedImageSets[0].LastFailedGenerationError
	halved := planned(t, s, failed, memo).Final.Object.Status.PinnedImageSets[0].LastFailedGenerationError
	assert.Less(t, len(halved), len(got))
}

func TestHalveWhereThereIsNothingToShorten(t *testing.T) {
	s := upToDate(configA, "", false)
	for name, in := range map[string]plan.Intent{
		"short texts":       report(phases.NodeDegraded, done, 1, configA, configA),
		"no write":          report(phases.Updated, done, 1, configA, configA),
		"no write of texts": plan.Spec{Pool: "infra", Node: plan.Node{CurrentConfig: configA, DesiredConfig: configA}},
	} {
		_, ok := planned(t, s, in, plan.Memo{}).Halve()
		assert.False(t, ok, name)
	}
}
