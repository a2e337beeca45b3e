package e2e

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// TestPinnedImageSets: the CRD limits their number and the length of an error, and forbids that a
// generation decreases.
func TestPinnedImageSets(t *testing.T) {
	type set = upgrademonitor.PinnedImageSet
	w := newTestNode(t, "pinned")
	w.annotate(oldConfig, oldConfig)
	m, requests := w.monitor("master")
	call{phases.Updated, done, nil}.make(t, m)
	hundred := make([]set, 100)
	for i := range hundred {
		hundred[i] = set{Name: fmt.Sprintf("set-%d", i), Generation: 1 << 30}
	}
	for _, step := range []struct {
		name   string
		sets   []set
		writes int
	}{
		{"a long error", []set{{Name: "a", Generation: 5, Err: errors.New(strings.Repeat("é", 50_000))}}, 1},
		{"created again", []set{{Name: "a", Generation: 1}, {Name: "b", Generation: 5, Done: true}}, 2},
		{"a hundred", hundred, 1},
	} {
		total := requests.all()
		m.ReportPinnedImageSets(t.Context(), step.sets, nil)
		assert.Equal(t, step.writes, requests.all()-total, step.name)
		assert.Len(t, w.object().Status.PinnedImageSets, len(step.sets), step.name)
	}
	w.rebootUpdate(m)
	assert.Len(t, w.object().Status.PinnedImageSets, 100, "no report of a phase touches them")
	assert.Zero(t, requests.answered(http.StatusUnprocessableEntity))
}
