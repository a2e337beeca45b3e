package e2e

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/rollout"
)

// TestRollout: the object of each kind of node.
func TestRollout(t *testing.T) {
	f := newFleet(t)
	f.run()
	f.node("plain", "worker", "rendered-1")
	f.node("control", "master", "rendered-1", func(n *corev1.Node) { n.Labels["node-role.kubernetes.io/worker"] = "" })
	f.node("custom", "infra", "rendered-1", func(n *corev1.Node) { n.Labels["node-role.kubernetes.io/worker"] = "" })
	f.node("bare", "worker", "rendered-1", func(n *corev1.Node) { n.Annotations, n.Labels = nil, nil })
	f.node("windows", "worker", "rendered-1", func(n *corev1.Node) { n.Labels[corev1.LabelOSStable] = "windows" })
	f.node("split", "infra", "rendered-1", func(n *corev1.Node) { n.Labels["node-role.kubernetes.io/gpu"] = "" })
	f.node("last", "worker", "rendered-1")

	plain := f.eventually("plain", hasSpec("worker", "rendered-1"))
	node, err := f.core.CoreV1().Nodes().Get(t.Context(), "plain", metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: "plain", UID: node.UID}}, plain.OwnerReferences)
	f.eventually("control", hasSpec("master", "rendered-1"))
	f.eventually("custom", hasSpec("infra", "rendered-1"))
	f.eventually("bare", hasSpec("not-yet-set", "not-yet-set"))
	f.eventually("split", hasSpec("not-yet-set", "rendered-1"))
	f.eventually("last", exists)
	assert.Nil(t, f.object("windows"))
	assert.Contains(t, <-f.recorder.Events, "Warning PoolConflict node split is selected by conflicting pools (gpu, infra)")

	f.patch("plain", "annotations.desiredConfig=rendered-2")
	f.eventually("plain", hasSpec("worker", "rendered-2"))
	f.patch("plain", "labels.infra=")
	f.eventually("plain", hasSpec("infra", "rendered-2"))
	f.patch("split", "labels.gpu=-")
	f.eventually("split", hasSpec("infra", "rendered-1"))
	f.patch("bare", "labels.worker=", "annotations.desiredConfig=rendered-9")
	f.eventually("bare", hasSpec("worker", "rendered-9"))

	conflicts := f.requests.answered(http.StatusConflict) // while its cache is behind its own write
	assert.Equal(t, 6+4, f.requests.of("create")+f.requests.of("spec")-conflicts, "one write per object or change: %v", f.requests)
	assert.Zero(t, f.requests.of("status"))
	for code := range http.StatusInternalServerError {
		if code >= http.StatusBadRequest && code != http.StatusConflict {
			assert.Zero(t, f.requests.answered(code), "responses with %d", code)
		}
	}

	f.stop()
	f.run()
	f.node("after-the-restart", "worker", "rendered-1")
	f.eventually("after-the-restart", exists)
	assert.Equal(t, 1, f.requests.of("create")+f.requests.of("spec"), "a restart writes only what changed: %v", f.requests)
}

// TestRolloutAndDaemon: both sides write the object of a node during updates. Neither reverts
// what the other has written.
func TestRolloutAndDaemon(t *testing.T) {
	const updates = 10
	f := newFleet(t)
	f.run()
	node := f.node("shared", "worker", "rendered-00")
	f.eventually("shared", exists)
	monitor, view, daemon := f.daemon(node, false)

	watch, err := f.mcfg.MachineconfigurationV1().MachineConfigNodes().Watch(t.Context(),
		metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("metadata.name", "shared").String()})
	require.NoError(t, err)
	defer watch.Stop()
	for i := range updates {
		desired := fmt.Sprintf("rendered-%02d", i+1)
		view.set(f.patch("shared", "annotations.desiredConfig="+desired))
		require.NoError(t, monitor.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
		for _, call := range rebootCalls[:len(rebootCalls)-1] {
			require.NoError(t, monitor.GenerateAndApplyMachineConfigNode(t.Context(), call.phase, "Test", "", call.status, call.opts...))
		}
		view.set(f.patch("shared", "annotations.currentConfig="+desired))
		require.NoError(t, monitor.GenerateAndApplyMachineConfigNode(t.Context(), "Updated", "Updated", "", metav1.ConditionTrue))
	}

	var observed []string
	for end := fmt.Sprintf("rendered-%02d", updates); ; {
		event := <-watch.ResultChan()
		mcn, ok := event.Object.(*mcfgv1.MachineConfigNode)
		require.True(t, ok)
		if desired := mcn.Spec.ConfigVersion.Desired; len(observed) == 0 || observed[len(observed)-1] != desired {
			observed = append(observed, desired)
		}
		if mcn.Status.ConfigVersion != nil && mcn.Status.ConfigVersion.Current == end {
			break
		}
	}
	assert.Len(t, observed, updates+1)
	assert.True(t, slices.IsSorted(observed), "the desired config was reverted: %v", observed)
	t.Logf("the daemon made %v, the controller %v; conflicts: %d and %d", daemon, f.requests, daemon.answered(http.StatusConflict), f.requests.answered(http.StatusConflict))
	assert.Less(t, daemon.answered(http.StatusConflict)+f.requests.answered(http.StatusConflict), 10*updates)
}

// TestRolloutOfImages: an image that both sides have set is removed with the annotation.
func TestRolloutOfImages(t *testing.T) {
	f := newFleet(t)
	f.run(func(c *rollout.Config) { c.ImageMode = func() bool { return true } })
	image := "registry.example.com/os/rhcos@sha256:" + strings.Repeat("a", 64)
	other := "registry.example.com/os/rhcos@sha256:" + strings.Repeat("b", 64)
	hasImage := func(image string) func(*mcfgv1.MachineConfigNode) bool {
		return func(mcn *mcfgv1.MachineConfigNode) bool {
			return mcn != nil && string(mcn.Spec.ConfigImage.DesiredImage) == image
		}
	}
	node := f.node("layered", "worker", "rendered-1", func(n *corev1.Node) { n.Annotations[upgrademonitor.DesiredImageAnnotation] = image })
	f.eventually("layered", hasImage(image))
	f.stop()

	monitor, view, _ := f.daemon(node, true)
	view.set(f.patch("layered", "annotations.desiredImage="+other))
	require.NoError(t, monitor.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
	assert.True(t, hasImage(other)(f.object("layered")))
	f.patch("layered", "annotations.desiredImage=-")
	f.run(func(c *rollout.Config) { c.ImageMode = func() bool { return true } })
	f.eventually("layered", hasImage(""))
}

// TestRolloutOfANodeCreatedAgain: the object of the previous machine is deleted, and so is that
// of a Node that is gone. No garbage collector runs here.
func TestRolloutOfANodeCreatedAgain(t *testing.T) {
	f := newFleet(t)
	f.run()
	node := f.node("twice", "worker", "rendered-1")
	f.node("gone", "worker", "rendered-1")
	before := f.eventually("twice", exists)
	f.eventually("gone", exists)
	monitor, _, _ := f.daemon(node, false)
	require.NoError(t, monitor.GenerateAndApplyMachineConfigNode(t.Context(), "Updated", "Updated", "", metav1.ConditionTrue))

	for _, name := range []string{"twice", "gone"} {
		require.NoError(t, f.core.CoreV1().Nodes().Delete(t.Context(), name, metav1.DeleteOptions{}))
	}
	recreated := f.node("twice", "worker", "rendered-1")
	after := f.eventually("twice", func(mcn *mcfgv1.MachineConfigNode) bool { return mcn != nil && mcn.UID != before.UID })
	assert.Equal(t, recreated.UID, after.OwnerReferences[0].UID)
	assert.Empty(t, after.Status.Conditions)
	f.eventually("gone", func(mcn *mcfgv1.MachineConfigNode) bool { return mcn == nil })
}

// TestRolloutUnderFaults changes nodes while requests fail, with each fault: afterwards every
// object is up to date.
func TestRolloutUnderFaults(t *testing.T) {
	f := newFleet(t)
	f.run()
	f.node("old", "worker", "rendered-0")
	f.eventually("old", exists)
	for i, name := range slices.Sorted(maps.Keys(injected)) {
		t.Run(name, func(*testing.T) {
			hit := make(chan struct{}, 1)
			f.faults.set(func(request *http.Request, next http.RoundTripper) (*http.Response, error) {
				if strings.Contains(request.URL.RawQuery, "watch=true") {
					return next.RoundTrip(request)
				}
				select {
				case hit <- struct{}{}:
				default:
				}
				return injected[name](request, next)
			})
			desired := fmt.Sprintf("rendered-%d", i+1)
			f.patch("old", "annotations.desiredConfig="+desired)
			f.node(fmt.Sprintf("new-%d", i), "worker", desired)
			<-hit
			f.faults.set(nil)
			f.eventually("old", hasSpec("worker", desired))
			f.eventually(fmt.Sprintf("new-%d", i), hasSpec("worker", desired))
		})
	}
}

// TestRolloutWithoutServers stops the servers while nodes are being created.
func TestRolloutWithoutServers(t *testing.T) {
	const nodes = 20
	for name, outage := range map[string]func(t *testing.T, f *fleet){
		"killed API server": func(t *testing.T, f *fleet) {
			require.NoError(t, f.cluster.StopAPIServer())
			require.NoError(t, f.cluster.StartAPIServer(t.Context()))
		},
		"dead etcd": func(t *testing.T, f *fleet) {
			require.NoError(t, f.cluster.StopEtcd())
			require.NoError(t, f.cluster.StartEtcd(t.Context()))
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFleet(t)
			f.run()
			for i := range nodes {
				f.node(fmt.Sprintf("node-%d", i), "worker", "rendered-1")
			}
			outage(t, f)
			require.NoError(t, f.cluster.WaitReady(t.Context()))
			for i := range nodes {
				f.eventually(fmt.Sprintf("node-%d", i), hasSpec("worker", "rendered-1"))
			}
			f.stop()
			f.run()
			f.node("later", "worker", "rendered-1")
			f.eventually("later", exists)
			assert.Equal(t, 1, f.requests.of("create")+f.requests.of("spec"), "everything else is up to date: %v", f.requests)
		})
	}
}

// TestRolloutRestartedInTheMiddle stops the controller when half of the objects are created: the
// next one creates the other half, and none twice.
func TestRolloutRestartedInTheMiddle(t *testing.T) {
	const nodes, workers = 60, 4
	f := newFleet(t)
	for i := range nodes {
		f.node(fmt.Sprintf("node-%02d", i), "worker", "rendered-1")
	}
	f.run()
	require.Eventually(t, func() bool { return f.requests.of("create") >= nodes/2 }, time.Minute, time.Millisecond)
	f.stop()
	first := f.requests.of("create")
	assert.Less(t, first, nodes)

	f.run()
	for i := range nodes {
		f.eventually(fmt.Sprintf("node-%02d", i), hasSpec("worker", "rendered-1"))
	}
	assert.LessOrEqual(t, first+f.requests.of("create"), nodes+workers, "requests that were in flight may be repeated")
}

// TestRolloutListsAsAStream: 5,000 objects are not one response.
func TestRolloutListsAsAStream(t *testing.T) {
	f := newFleet(t)
	var mu sync.Mutex
	var lists []string
	f.runOver(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(request *http.Request) (*http.Response, error) {
			if query := request.URL.Query(); query.Has("watch") || query.Has("limit") {
				mu.Lock()
				lists = append(lists, fmt.Sprintf("%s stream=%s", request.URL.Path, query.Get("sendInitialEvents")))
				mu.Unlock()
			}
			return next.RoundTrip(request)
		})
	})
	f.node("first", "worker", "rendered-1")
	f.eventually("first", exists)
	mu.Lock()
	defer mu.Unlock()
	assert.ElementsMatch(t, []string{
		"/api/v1/nodes stream=true",
		"/apis/machineconfiguration.openshift.io/v1/machineconfignodes stream=true",
		"/apis/machineconfiguration.openshift.io/v1/machineconfigpools stream=true",
	}, lists)
}

// TestRolloutWritesNoStatus: its role does not allow it.
func TestRolloutWritesNoStatus(t *testing.T) {
	f := newFleet(t)
	f.run()
	f.node("status", "worker", "rendered-1")
	f.eventually("status", exists)
	out, err := f.cluster.Kubectl(t.Context(), "auth", "can-i", "patch", "machineconfignodes", "--subresource=status",
		"--as=system:serviceaccount:openshift-machine-config-operator:machine-config-operator")
	assert.Error(t, err, `"no" exits with 1`)
	assert.Contains(t, out, "no")
}
