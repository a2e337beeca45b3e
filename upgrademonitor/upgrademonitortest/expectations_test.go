package upgrademonitortest_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/internal/nodemeta"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/upgrademonitortest"
)

// This file checks what the tests of openshift/origin and machine-config-operator expect of a MachineConfigNode. The
// expectations are listed in docs/expectations.tsv.

// reported is a node with a Monitor, and with a watcher of its object.
type reported struct {
	*upgrademonitor.Monitor
	t         *testing.T
	clientset *fake.Clientset
	node      atomic.Pointer[corev1.Node] // the Monitor looks at it between calls
	watcher   watch.Interface
	seen      []*mcfgv1.MachineConfigNode
}

func newReported(t *testing.T, inImageMode bool) *reported {
	t.Helper()
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: nodeName, UID: "1a01a163"}}
	r := &reported{t: t, clientset: upgrademonitortest.NewClientset(t)}
	r.node.Store(node)
	var err error
	r.watcher, err = r.clientset.MachineconfigurationV1().MachineConfigNodes().Watch(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	r.Monitor, err = upgrademonitor.New(t.Context(), upgrademonitor.Config{
		Client:    r.clientset,
		NodeName:  nodeName,
		Node:      func() (*corev1.Node, error) { return r.node.Load(), nil },
		Pool:      func(*corev1.Node) (string, error) { return "worker", nil },
		ImageMode: func() bool { return inImageMode },
	})
	require.NoError(t, err)
	return r
}

// annotate sets the current and the desired config of the Node, and also the current and the desired image if they are given
// and not "".
func (r *reported) annotate(values ...string) {
	keys := []string{
		nodemeta.CurrentConfig, nodemeta.DesiredConfig,
		nodemeta.CurrentImage, nodemeta.DesiredImage,
	}
	node := r.node.Load().DeepCopy()
	node.Annotations = map[string]string{}
	for i, value := range values {
		if value != "" {
			node.Annotations[keys[i]] = value
		}
	}
	r.node.Store(node)
}

// reports makes reports such as "Drained=Unknown". "Drained=True+" also completes the parent, and "-Drained" reports that
// Drained is not required.
func (r *reported) reports(list string) {
	r.t.Helper()
	for _, report := range strings.Fields(list) {
		name, status, _ := strings.Cut(report, "=")
		status, completes := strings.CutSuffix(status, "+")
		var options []upgrademonitor.Option
		if completes {
			options = append(options, upgrademonitor.CompletesParent())
		}
		if phase, ok := strings.CutPrefix(name, "-"); ok {
			r.NotRequired(r.t.Context(), phases.Phase(phase), "not required")
		} else {
			r.Report(r.t.Context(), phases.Phase(name), "about it", metav1.ConditionStatus(status), options...)
		}
		require.NoError(r.t, r.Flush(r.t.Context()))
		r.watch()
		<-time.After(time.Second) // of fake time
	}
}

func (r *reported) watch() {
	for {
		select {
		case event := <-r.watcher.ResultChan():
			r.seen = append(r.seen, event.Object.(*mcfgv1.MachineConfigNode))
		default:
			return
		}
	}
}

func (r *reported) object() *mcfgv1.MachineConfigNode {
	r.t.Helper()
	client := r.clientset.MachineconfigurationV1().MachineConfigNodes()
	object, err := client.Get(r.t.Context(), nodeName, metav1.GetOptions{})
	require.NoError(r.t, err)
	return object
}

// has reports whether an object has a condition such as "Drained=Unknown".
func has(object *mcfgv1.MachineConfigNode, want string) bool {
	phase, status, _ := strings.Cut(want, "=")
	return string(conditions.StatusOf(object.Status.Conditions, phases.Phase(phase))) == status
}

// has asserts that the object has conditions such as "Drained=Unknown".
func (r *reported) has(list string) {
	r.t.Helper()
	object := r.object()
	for _, want := range strings.Fields(list) {
		assert.True(r.t, has(object, want), "%s: %v", want, object.Status.Conditions)
	}
}

// matchesItsNode asserts that the object matches its Node in all fields that ValidateMCNForNode of openshift/origin and of
// machine-config-operator compares.
func (r *reported) matchesItsNode() {
	r.t.Helper()
	object, of := r.object(), r.node.Load().Annotations
	spec, status := object.Spec, object.Status
	require.NotNil(r.t, status.ConfigVersion)
	assert.Equal(r.t, nodeName, object.Name)
	assert.Equal(r.t, nodeName, spec.Node.Name)
	assert.Equal(r.t, "worker", spec.Pool.Name)
	assert.Equal(r.t, of[nodemeta.DesiredConfig], spec.ConfigVersion.Desired)
	assert.Equal(r.t, of[nodemeta.DesiredConfig], status.ConfigVersion.Desired)
	assert.Equal(r.t, of[nodemeta.CurrentConfig], status.ConfigVersion.Current)
	assert.EqualValues(r.t, of[nodemeta.DesiredImage], spec.ConfigImage.DesiredImage)
	assert.EqualValues(r.t, of[nodemeta.DesiredImage], status.ConfigImage.DesiredImage)
	assert.EqualValues(r.t, of[nodemeta.CurrentImage], status.ConfigImage.CurrentImage)
}

var (
	oneImage   = "registry.example.com/os@sha256:" + strings.Repeat("1", 64)
	otherImage = "registry.example.com/os@sha256:" + strings.Repeat("2", 64)
)

// A watcher sees the statuses for which the tests of both repositories wait, in this order. In the end, only Updated is True,
// and the object matches its Node.
func TestAWatcherSeesWhatTheTestsOfOriginAndMachineConfigOperatorWaitFor(t *testing.T) {
	const (
		begin   = "Updated=False UpdatePrepared=True "
		starts  = begin + "UpdateExecuted=Unknown "
		drains  = "Cordoned=True Drained=Unknown Drained=True "
		files   = "AppliedFilesAndOS=Unknown AppliedFilesAndOS=True+ "
		applied = "AppliedFilesAndOS=Unknown AppliedFilesAndOS=True UpdateExecuted=True "
		action  = "UpdatePostActionComplete=Unknown UpdatePostActionComplete=True "
		reboot  = "RebootedNode=Unknown RebootedNode=True "
		ends    = "Resumed=True UpdateComplete=True Uncordoned=True Updated=True"
	)
	for name, test := range map[string]struct {
		inImageMode bool
		image       string // the new image; "": the config changes
		before      string // the reports before the daemon sets the annotations of the Node
		follows     string
	}{
		"an update with a reboot": {
			before:  begin + drains + files + reboot + "Resumed=True Uncordoned=True+",
			follows: starts + drains + applied + reboot + ends,
		},
		"an update without a reboot": {
			before:  begin + "-Drained " + files + action + "Resumed=True Uncordoned=True+",
			follows: starts + applied + action + ends,
		},
		"an update of the image": {
			inImageMode: true, image: otherImage,
			before: begin + drains + "-AppliedFiles AppliedOSImage=Unknown ImagePulledFromRegistry=Unknown " +
				"ImagePulledFromRegistry=True AppliedOSImage=True+ " + reboot + "Resumed=True Uncordoned=True+",
			follows: starts + drains + "AppliedOSImage=Unknown ImagePulledFromRegistry=Unknown AppliedOSImage=True " +
				"UpdateExecuted=True ImagePulledFromRegistry=True " + reboot + ends,
		},
		"an update of files in image mode": {
			inImageMode: true,
			before: begin + "-Drained -ImagePulledFromRegistry -AppliedOSImage " +
				"AppliedFiles=Unknown AppliedFiles=True+ " + action + "Resumed=True",
			follows: starts + "AppliedFiles=Unknown AppliedFiles=True UpdateExecuted=True " + action +
				"Resumed=True Updated=True",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newReported(t, test.inImageMode)
				config, image, oldImage := "rendered-b", test.image, ""
				if test.inImageMode {
					config, oldImage = "rendered-a", oneImage
				}
				if test.inImageMode && image == "" {
					config, image = "rendered-b", oneImage
				}
				r.annotate("rendered-a", "rendered-a", oldImage, oldImage)
				r.reports("Updated=True")
				r.matchesItsNode()
				r.seen = nil
				<-time.After(time.Minute)
				start := time.Now()

				r.annotate("rendered-a", config, oldImage, image)
				r.reports(test.before)
				r.annotate(config, config, image, image)
				r.reports("Updated=True")

				at := 0
				for _, want := range strings.Fields(test.follows) {
					for at < len(r.seen) && !has(r.seen[at], want) {
						at++
					}
					require.Less(t, at, len(r.seen), "the watcher has not seen %s, or not in this order", want)
				}
				r.matchesItsNode()
				for _, c := range r.object().Status.Conditions {
					want := metav1.ConditionFalse
					if c.Type == string(phases.Updated) {
						want = metav1.ConditionTrue
					}
					assert.Equal(t, want, c.Status, c.Type)
					if c.Type == string(phases.ImagePulledFromRegistry) {
						assert.Equal(t, test.image != "", c.LastTransitionTime.After(start), "ImagePulledFromRegistry has changed if there is an image")
					}
				}
			})
		})
	}
}

// The three fields for images are set when a pool is switched to image mode, and removed when it is switched back.
func TestTheImagesFollowTheModeAsTheTestsExpect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReported(t, true)
		r.annotate("rendered-a", "rendered-a")
		r.reports("Updated=True")
		r.matchesItsNode()
		for _, image := range []string{oneImage, ""} {
			r.annotate("rendered-a", "rendered-a", r.node.Load().Annotations[nodemeta.CurrentImage], image)
			r.reports("Updated=False UpdatePrepared=True")
			r.annotate("rendered-a", "rendered-a", image, image)
			r.reports("Updated=True")
			r.matchesItsNode()
		}
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
