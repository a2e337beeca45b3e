package upgrademonitortest_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// After a failure, the step and its parent are Unknown, and NodeDegraded has the cause, until the desired config is
// withdrawn.
func TestAFailureIsShownAsTheTestsExpect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReported(t, false)
		r.annotate("rendered-a", "rendered-a")
		r.reports("Updated=True")
		r.annotate("rendered-a", "rendered-b")
		r.reports("Updated=False UpdatePrepared=True -Drained")
		cause := errors.New("failed to rename: rename /home/core: file exists")
		err := r.Track(t.Context(), phases.AppliedFilesAndOS, "Applying", func(context.Context) error { return cause })
		require.ErrorIs(t, err, cause)
		r.ReportDegraded(t.Context(), err)
		require.NoError(t, r.Flush(t.Context()))

		r.has("AppliedFilesAndOS=Unknown UpdateExecuted=Unknown NodeDegraded=True")
		message := conditions.Find(r.object().Status.Conditions, phases.NodeDegraded).Message
		assert.Contains(t, message, "Node "+nodeName+" upgrade failure.")
		assert.Contains(t, message, "/home/core: file exists")

		r.annotate("rendered-a", "rendered-a")
		r.reports("Updated=True")
		r.has("NodeDegraded=False Updated=True")
	})
}

// If an image set fails, both conditions are True, with the texts that the tests compare. When the set is deleted, nothing of
// it is left.
func TestAFailedImageSetIsShownAsTheTestsExpect(t *testing.T) {
	const cause = `failed to execute podman manifest inspect for "quay.io/fake/fake@sha256:0415": exit status 125`
	synctest.Test(t, func(t *testing.T) {
		r := newReported(t, false)
		r.annotate("rendered-a", "rendered-a")
		r.reports("Updated=True")
		pins := func(want string, sets ...upgrademonitor.PinnedImageSet) {
			r.ReportPinnedImageSets(t.Context(), sets, nil)
			require.NoError(t, r.Flush(t.Context()))
			r.has(want)
		}
		pins("PinnedImageSetsProgressing=True PinnedImageSetsDegraded=True",
			upgrademonitor.PinnedImageSet{Name: "bad", Generation: 1, Err: errors.New(cause)})
		status := r.object().Status
		assert.Equal(t, cause, status.PinnedImageSets[0].LastFailedGenerationError)
		degraded := conditions.Find(status.Conditions, phases.PinnedImageSetsDegraded)
		assert.Equal(t, "PrefetchFailed", degraded.Reason)
		assert.Equal(t, "One or more PinnedImageSet is experiencing an error. "+
			"See PinnedImageSet list for more details.", degraded.Message)

		const works = "PinnedImageSetsProgressing=False PinnedImageSetsDegraded=False"
		pins(works)
		assert.NotContains(t, fmt.Sprint(r.object().Status), "podman manifest inspect")
		one := upgrademonitor.PinnedImageSet{Name: "one", Generation: 1, Done: true}
		two := upgrademonitor.PinnedImageSet{Name: "two", Generation: 1, Done: true}
		pins(works, one, two)
		pins(works, two)
	})
}

// A report keeps the fields of the status that other parts of the daemon write.
func TestAReportKeepsTheFieldsOfOtherClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReported(t, false)
		r.annotate("rendered-a", "rendered-a")
		r.reports("Updated=True")
		object := r.object()
		object.Status.IrreconcilableChanges = []mcfgv1.IrreconcilableChangeDiff{{FieldPath: "a", Diff: "+ /dev/sdb"}}
		object.Status.InternalReleaseImage.Releases = []mcfgv1.MachineConfigNodeStatusInternalReleaseImageRef{
			{Name: "ocp-release-bundle-4.21.0"},
		}
		release := metav1.Condition{Type: string(mcfgv1.MachineConfigNodeInternalReleaseImageDegraded)}
		release.Status, release.Reason, release.LastTransitionTime = metav1.ConditionFalse, "AsExpected", metav1.Now()
		object.Status.Conditions = append(object.Status.Conditions, release)
		client := r.clientset.MachineconfigurationV1().MachineConfigNodes()
		want, err := client.UpdateStatus(t.Context(), object, metav1.UpdateOptions{})
		require.NoError(t, err)
		kept := conditions.Find(want.Status.Conditions, phases.Phase(release.Type))
		require.NotNil(t, kept)

		r.annotate("rendered-a", "rendered-b")
		r.reports("Updated=False UpdatePrepared=True")
		r.has("UpdatePrepared=True")
		got := r.object().Status
		assert.Equal(t, want.Status.IrreconcilableChanges, got.IrreconcilableChanges)
		assert.Equal(t, want.Status.InternalReleaseImage, got.InternalReleaseImage)
		assert.Equal(t, kept, conditions.Find(got.Conditions, phases.Phase(release.Type)))
	})
}
