package e2e

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

var (
	oldImage = "image-registry.openshift-image-registry.svc:5000/mco/os@sha256:" + strings.Repeat("1", 64)
	newImage = "image-registry.openshift-image-registry.svc:5000/mco/os@sha256:" + strings.Repeat("2", 64)
)

func TestImageModeIsEnabledUpdatedAndDisabled(t *testing.T) {
	w := newImageModeNode(t, "image-mode")
	w.annotate(oldConfig, oldConfig)
	m, requests := w.monitor("master")
	call{phases.Updated, done, nil}.make(t, m)
	history := watchFrom(t, w)

	for _, update := range []struct{ name, config, from, to, prefix string }{
		{"enable", oldConfig, "", oldImage, oldImage},
		{"update", oldConfig, oldImage, newImage, newImage},
		{"config alone", newConfig, newImage, newImage, newImage}, // steps of the image ran
		{"disable", newConfig, newImage, "", "disable image mode"},
	} {
		before := w.object()
		from, to := version{before.Status.ConfigVersion.Current, update.from}, version{update.config, update.to}
		w.update(imageCalls, from, to, func(_ int, c call) {
			c.make(t, m)
			status := w.object().Status
			switch {
			case c.phase == phases.UpdatePrepared:
				assert.Equal(t, update.to, string(status.ConfigImage.DesiredImage), "%s: validated", update.name)
			case c.phase == phases.Updated && c.status == no:
				assert.Equal(t, before.Status.ConfigImage, status.ConfigImage, "%s: not validated yet", update.name)
				call{}.make(t, m)
				assert.Equal(t, update.to, string(w.object().Spec.ConfigImage.DesiredImage), "%s: the spec is written at once", update.name)
			}
		})
		after := w.object().Status
		assert.Equal(t, mcfgv1.MachineConfigNodeStatusConfigImage{
			CurrentImage: mcfgv1.ImageDigestFormat(update.to),
			DesiredImage: mcfgv1.ImageDigestFormat(update.to),
		}, after.ConfigImage, update.name)
		assert.Equal(t, "Action during update to "+update.prefix+": about AppliedOSImage", w.condition(phases.AppliedOSImage).Message, update.name)
	}
	history.catchUp()
	history.check()
	history.checkEnded()
	assert.Equal(t, requests.all(), requests.answered(http.StatusOK, http.StatusCreated, http.StatusNotFound), "%v", requests)
}

func TestAnImageWithoutADigestIsOmittedAndTheRestReported(t *testing.T) {
	w := newImageModeNode(t, "no-digest")
	w.annotateVersions(version{oldConfig, "quay.io/mco/os:latest"}, version{oldConfig, "quay.io/mco/os:latest"})
	m, _ := w.monitor("master")
	require.NoError(t, m.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
	call{phases.Updated, done, nil}.make(t, m)
	status := w.object().Status
	assert.Zero(t, status.ConfigImage)
	assert.Equal(t, oldConfig, status.ConfigVersion.Current)
}

// The API server drops images silently.
func TestImageModeReportsWithoutImagesWhereTheCRDHasNone(t *testing.T) {
	w := newTestNode(t, "no-field")
	w.imageMode = true
	w.reportUpdated()
	history := watchFrom(t, w)
	m, requests := w.monitor("master")
	w.update(imageCalls, version{oldConfig, ""}, version{oldConfig, oldImage}, func(_ int, c call) {
		c.make(t, m)
		call{}.make(t, m)
	})
	history.catchUp()
	history.check()
	history.checkEnded()
	assert.Equal(t, requests.all(), requests.answered(http.StatusOK), "%v", requests)
}

func TestPinnedImageSetsChangeNothingElse(t *testing.T) {
	w := newTestNode(t, "pinned")
	w.annotate(oldConfig, oldConfig)
	m, requests := w.monitor("master")
	call{phases.Updated, done, nil}.make(t, m)
	history := watchFrom(t, w)
	type set = upgrademonitor.PinnedImageSet
	type entry = mcfgv1.MachineConfigNodeStatusPinnedImageSet
	broken := errors.New("exit status 125")

	for _, step := range []struct {
		name                  string
		sets                  []set
		progressing, degraded metav1.ConditionStatus
		want                  []entry
		writes                int
	}{
		{"fetching", []set{{Name: "a", Generation: 1}}, done, no, []entry{{Name: "a", DesiredGeneration: 1}}, 1},
		{"done", []set{{Name: "a", Generation: 1, Done: true}}, no, no, []entry{{Name: "a", DesiredGeneration: 1, CurrentGeneration: 1}}, 1},
		{"a newer one", []set{{Name: "a", Generation: 2}}, done, no, []entry{{Name: "a", DesiredGeneration: 2, CurrentGeneration: 1}}, 1},
		{"fails", []set{{Name: "a", Generation: 2, Err: broken}}, done, done,
			[]entry{{Name: "a", DesiredGeneration: 2, CurrentGeneration: 1, LastFailedGeneration: 2, LastFailedGenerationError: "exit status 125"}}, 1},
		{"tried again", []set{{Name: "a", Generation: 3}}, done, done,
			[]entry{{Name: "a", DesiredGeneration: 3, CurrentGeneration: 1, LastFailedGeneration: 2, LastFailedGenerationError: "exit status 125"}}, 1},
		{"succeeds", []set{{Name: "a", Generation: 3, Done: true}}, no, no, []entry{{Name: "a", DesiredGeneration: 3, CurrentGeneration: 3}}, 1},
		{"recreated", []set{{Name: "a", Generation: 1}, {Name: "b", Generation: 5, Done: true}}, done, no,
			[]entry{{Name: "a", DesiredGeneration: 1}, {Name: "b", DesiredGeneration: 5, CurrentGeneration: 5}}, 2},
		{"one removed", []set{{Name: "b", Generation: 5, Done: true}}, no, no, []entry{{Name: "b", DesiredGeneration: 5, CurrentGeneration: 5}}, 1},
		{"a long error", []set{{Name: "b", Generation: 5, Err: errors.New(strings.Repeat("é", 50_000))}}, done, done, nil, 1},
		{"all removed", nil, no, no, nil, 1},
	} {
		total := requests.all()
		m.ReportPinnedImageSets(t.Context(), step.sets, nil)
		assert.Equal(t, step.writes, requests.all()-total, "%s: requests", step.name)
		status := w.object().Status
		assert.Equal(t, step.progressing, w.status(phases.PinnedImageSetsProgressing), step.name)
		assert.Equal(t, step.degraded, w.status(phases.PinnedImageSetsDegraded), step.name)
		if step.want != nil {
			assert.ElementsMatch(t, step.want, status.PinnedImageSets, step.name)
		}
	}
	assert.Empty(t, w.object().Status.PinnedImageSets)
	history.catchUp()
	history.check()
	assert.Zero(t, requests.answered(http.StatusUnprocessableEntity))

	hundred := make([]set, 100)
	for i := range hundred {
		hundred[i] = set{Name: fmt.Sprintf("set-%d", i), Generation: 1 << 30}
	}
	m.ReportPinnedImageSets(t.Context(), hundred, nil)
	assert.Len(t, w.object().Status.PinnedImageSets, 100)
	w.rebootUpdate(m)
	assert.Len(t, w.object().Status.PinnedImageSets, 100, "no report of a phase touches them")
}
