package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	clienttesting "k8s.io/client-go/testing"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/upgrademonitortest"
)

// nodeTest has a Node, its daemon and its drain controller. All functions of the daemon succeed, unless a test replaces
// them.
type nodeTest struct {
	*testing.T
	client  *mcfgfake.Clientset
	watch   watch.Interface
	config  upgrademonitor.Config
	node    *corev1.Node
	daemon  *daemon
	endLife context.CancelFunc

	statuses map[string]metav1.ConditionStatus // the last ones that the watcher has seen
	// drainController is the Monitor of the drain controller. If it is nil, the daemon reports the steps of the
	// controller, because the generated clientset loses a report if two Monitors write.
	drainController *upgrademonitor.Monitor
}

func newNodeTest(t *testing.T, client *mcfgfake.Clientset, current, desired string) *nodeTest {
	t.Helper()
	n := &nodeTest{T: t, client: client, endLife: func() {}, statuses: map[string]metav1.ConditionStatus{}}
	n.setNode(current, desired)
	n.config = upgrademonitor.Config{
		Client: client, NodeName: "worker-0", Node: func() (*corev1.Node, error) { return n.node, nil },
	}
	var err error
	n.watch, err = client.MachineconfigurationV1().MachineConfigNodes().Watch(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	n.startProcess()
	return n
}

func (n *nodeTest) setNode(current, desired string) {
	const prefix = "machineconfiguration.openshift.io/"
	annotations := map[string]string{prefix + "currentConfig": current, prefix + "desiredConfig": desired}
	n.node = &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-0", UID: "1", Annotations: annotations}}
}

// startProcess ends the process of the daemon, and starts another one.
func (n *nodeTest) startProcess() {
	n.Helper()
	n.endLife()
	ctx, cancel := context.WithCancel(n.Context())
	n.endLife = cancel
	d, err := newDaemon(ctx, n.config)
	require.NoError(n, err)
	drainer := d.monitor
	if n.drainController != nil {
		drainer = n.drainController
	}
	d.validate, d.apply, d.restart, d.reboot = succeed, succeed, succeed, succeed
	d.drain = func(ctx context.Context) error {
		drainer.Report(ctx, phases.Cordoned, "Cordoned node", metav1.ConditionTrue)
		return drainer.Track(ctx, phases.Drained, "Draining node", succeed)
	}
	d.finish = func(ctx context.Context) error {
		drainer.Report(ctx, phases.Uncordoned, "Uncordoned node", metav1.ConditionTrue, upgrademonitor.CompletesParent())
		desired := n.node.Annotations["machineconfiguration.openshift.io/desiredConfig"]
		n.setNode(desired, desired)
		return nil
	}
	n.daemon = d
}

// message returns the status and the message of a condition.
func (n *nodeTest) message(phase phases.Phase) string {
	n.Helper()
	mcn, err := n.client.MachineconfigurationV1().MachineConfigNodes().Get(n.Context(), "worker-0", metav1.GetOptions{})
	require.NoError(n, err)
	condition := meta.FindStatusCondition(mcn.Status.Conditions, string(phase))
	require.NotNil(n, condition, phase)
	return fmt.Sprintf("%s: %s", condition.Status, condition.Message)
}

// transitions returns what the watcher has seen since the last call, as upgrademonitortest.Transitions does.
func (n *nodeTest) transitions() string {
	seen := map[phases.Phase]string{}
	for len(n.watch.ResultChan()) > 0 {
		mcn := (<-n.watch.ResultChan()).Object.(*mcfgv1.MachineConfigNode)
		for _, c := range mcn.Status.Conditions {
			phase, before := phases.Phase(c.Type), cmp.Or(n.statuses[c.Type], metav1.ConditionFalse)
			if n.statuses[c.Type] = c.Status; c.Status != before {
				seen[phase] = cmp.Or(seen[phase], string(before)) + " " + string(c.Status)
			}
		}
	}
	var lines []string
	for _, phase := range phases.All(false) {
		if seen[phase] != "" {
			lines = append(lines, fmt.Sprintf("%s: %s", phase, seen[phase]))
		}
	}
	return strings.Join(lines, "\n")
}

func succeed(context.Context) error { return nil }

func fail(context.Context) error { return errors.New("no space left") }

// runsDesiredConfig makes the reports of a process that has started while the Node runs its desired config.
func (n *nodeTest) runsDesiredConfig() {
	n.Helper()
	require.NoError(n, n.daemon.complete(n.Context(), false))
}

// A watcher sees every status of an update, with retries and restarts, and with both fake clientsets.
func TestAWatcherSeesEveryStatus(t *testing.T) {
	const (
		once    = ": False Unknown True False\n"
		twice   = ": False Unknown True False Unknown True False\n"
		reboots = "Cordoned: False Unknown True False\nDrained: False Unknown True False\n" +
			"AppliedFilesAndOS: False Unknown True False\nRebootedNode: False Unknown True False\n" +
			"Resumed: False Unknown True False\n"
		completes = "UpdateComplete: False Unknown True False\nUncordoned: False Unknown True False\n"
	)
	for name, tc := range map[string]struct {
		current string // config of the Node at the start; it desires config-2
		run     func(n *nodeTest)
		want    string
	}{
		"an update with a reboot": {
			run: func(n *nodeTest) {
				require.NoError(n, n.daemon.update(n.Context()))
				assert.Equal(n, "Unknown: Update requires a reboot", n.message(phases.RebootedNode))
				n.startProcess()
				require.NoError(n, n.daemon.complete(n.Context(), true))
			},
			want: "UpdatePrepared" + once + "UpdateExecuted" + once + reboots + completes + "Updated: False True",
		},
		"an update without drain and reboot": {
			run: func(n *nodeTest) {
				n.daemon.drain, n.daemon.reboot = nil, nil
				require.NoError(n, n.daemon.update(n.Context()))
			},
			want: "UpdatePrepared" + once + "UpdateExecuted" + once + "AppliedFilesAndOS" + once +
				"UpdatePostActionComplete" + once + "Resumed" + once + completes + "Updated: False True",
		},
		"an update that cannot be prepared at first": {
			run: func(n *nodeTest) {
				n.daemon.validate = fail
				require.Error(n, n.daemon.update(n.Context()))
				assert.Equal(n, "Unknown: Error: Validating the update: no space left", n.message(phases.UpdatePrepared))
				n.daemon.validate, n.daemon.drain, n.daemon.reboot = succeed, nil, nil
				require.NoError(n, n.daemon.update(n.Context()))
			},
			want: "UpdatePrepared" + once + "UpdateExecuted" + once + "AppliedFilesAndOS" + once +
				"UpdatePostActionComplete" + once + "Resumed" + once + completes +
				"NodeDegraded: False True False\nUpdated: False True",
		},
		"a step that fails at first": {
			run: func(n *nodeTest) {
				n.daemon.apply = fail
				require.Error(n, n.daemon.update(n.Context()))
				const failure = "Error: Applying files and OS: no space left"
				assert.Equal(n, "Unknown: "+failure, n.message(phases.AppliedFilesAndOS))
				assert.Equal(n, "Unknown: "+failure, n.message(phases.UpdateExecuted))
				assert.Equal(n, "True: Node worker-0 upgrade failure. no space left", n.message(phases.NodeDegraded))
				n.daemon.apply, n.daemon.drain = succeed, func(context.Context) error {
					assert.Equal(n, "Unknown: "+failure, n.message(phases.AppliedFilesAndOS), "the error stays until the retry succeeds or fails")
					return nil // the drain controller has nothing to do
				}
				require.NoError(n, n.daemon.update(n.Context()))
				n.startProcess()
				require.NoError(n, n.daemon.complete(n.Context(), true))
			},
			want: "UpdatePrepared" + once + "UpdateExecuted" + once + reboots + completes +
				"NodeDegraded: False True False\nUpdated: False True",
		},
		"a reboot that fails at first": {
			run: func(n *nodeTest) {
				n.daemon.reboot = fail
				require.Error(n, n.daemon.update(n.Context()))
				assert.Equal(n, "Unknown: Error: Rebooting the node: no space left", n.message(phases.RebootedNode))
				assert.Equal(n, "True: Node worker-0 upgrade failure. no space left", n.message(phases.NodeDegraded))
				n.daemon.reboot, n.daemon.drain = succeed, succeed
				require.NoError(n, n.daemon.update(n.Context()))
				n.startProcess()
				require.NoError(n, n.daemon.complete(n.Context(), true))
			},
			want: "UpdatePrepared" + once + "UpdateExecuted" + twice + // the retry applies the files again
				strings.Replace(reboots, "AppliedFilesAndOS"+once, "AppliedFilesAndOS"+twice, 1) + completes +
				"NodeDegraded: False True False\nUpdated: False True",
		},
		"a completion that fails at first": {
			run: func(n *nodeTest) {
				require.NoError(n, n.daemon.update(n.Context()))
				n.startProcess()
				finish := n.daemon.finish
				n.daemon.finish = fail
				require.Error(n, n.daemon.complete(n.Context(), true))
				assert.Equal(n, "True: Node worker-0 upgrade failure. no space left", n.message(phases.NodeDegraded))
				n.daemon.finish = finish
				require.NoError(n, n.daemon.complete(n.Context(), true))
			},
			want: "UpdatePrepared" + once + "UpdateExecuted" + once + reboots + completes +
				"NodeDegraded: False True False\nUpdated: False True",
		},
		"a restart of the process without an update": {
			current: "config-2",
			run: func(n *nodeTest) {
				n.runsDesiredConfig()
				assert.Equal(n, "Resumed"+once+completes+"Updated: False True", n.transitions(), "after the first start, the node is shown as updated")
				n.startProcess()
				require.NoError(n, n.daemon.complete(n.Context(), false))
			},
			want: "",
		},
		"a restart without an update, after which the completion fails at first": {
			current: "config-2",
			run: func(n *nodeTest) {
				n.runsDesiredConfig()
				n.transitions()
				n.startProcess()
				finish := n.daemon.finish
				n.daemon.finish = fail
				require.Error(n, n.daemon.complete(n.Context(), false))
				n.daemon.finish = finish
				require.NoError(n, n.daemon.complete(n.Context(), false))
			},
			want: "NodeDegraded: False True False",
		},
		"restarts of the process during an update": {
			run: func(n *nodeTest) {
				n.daemon.drain = func(ctx context.Context) error { n.startProcess(); return ctx.Err() }
				n.daemon.apply = func(context.Context) error { return errors.New("the process has ended") }
				old := n.daemon
				require.Error(n, old.update(n.Context()))
				require.NoError(n, n.daemon.update(n.Context()))
				n.startProcess()
				finish := n.daemon.finish
				n.daemon.finish = fail
				require.Error(n, n.daemon.complete(n.Context(), true))
				n.startProcess()
				n.daemon.finish = finish
				require.NoError(n, n.daemon.complete(n.Context(), true))
			},
			want: "UpdatePrepared" + once + "UpdateExecuted" + once + reboots + completes +
				"NodeDegraded: False True False\nUpdated: False True",
		},
		"a withdrawn update": {
			current: "config-1",
			run: func(n *nodeTest) {
				n.setNode("config-1", "config-1")
				n.runsDesiredConfig()
				n.transitions()
				n.setNode("config-1", "config-2")
				n.daemon.reboot = fail
				require.Error(n, n.daemon.update(n.Context()))
				n.setNode("config-1", "config-1")
				require.NoError(n, n.daemon.complete(n.Context(), false))
			},
			want: "UpdatePrepared" + once + "UpdateExecuted" + once +
				strings.Replace(reboots, "RebootedNode"+once, "RebootedNode: False Unknown False\n", 1) + completes +
				"NodeDegraded: False True False\nUpdated: True False True",
		},
	} {
		for kind, client := range map[string]func(*testing.T) *mcfgfake.Clientset{
			"upgrademonitortest": func(t *testing.T) *mcfgfake.Clientset { return upgrademonitortest.NewClientset(t) },
			"generated":          func(*testing.T) *mcfgfake.Clientset { return mcfgfake.NewClientset() },
		} {
			t.Run(name+", "+kind, func(t *testing.T) {
				if tc.current == "" {
					tc.current = "config-1"
				}
				n := newNodeTest(t, client(t), tc.current, "config-2")
				if kind == "upgrademonitortest" {
					monitors, err := upgrademonitor.NewMonitors(t.Context(), upgrademonitor.Config{Client: n.client},
						func(string) (*corev1.Node, error) { return n.node, nil })
					require.NoError(t, err)
					n.drainController = monitors.For("worker-0")
					n.startProcess()
				}
				tc.run(n)
				require.NoError(t, n.daemon.monitor.Flush(t.Context()))
				assert.Equal(t, tc.want, n.transitions())
			})
		}
	}
}

// A watcher of an update sees the tables of the enhancement proposal machine-config-node, in this order, with the columns
// of oc get machineconfignodes -o wide. One row of the proposal has the children of UpdateExecuted in another order than
// its columns.
func TestAWatcherSeesTheTablesOfTheProposal(t *testing.T) {
	const tables = `
DESIRED CURRENT UPDATED PREPARED EXECUTED POSTACTION COMPLETE RESUMED FILESANDOS CORDONED DRAINED REBOOTED UNCORDONED
config-1 config-1 True  False False   False False False False   False False   False   False
config-2 config-1 False True  False   False False False False   False False   False   False
config-2 config-1 False True  Unknown False False False False   True  Unknown False   False
config-2 config-1 False True  Unknown False False False Unknown True  True    False   False
config-2 config-1 False True  True    False False False True    True  True    False   False
config-2 config-1 False True  True    False False False True    True  True    Unknown False
config-2 config-1 False True  True    False False False True    True  True    True    False
config-2 config-1 False True  True    False False True  True    True  True    True    False
config-2 config-1 False True  True    False True  True  True    True  True    True    True
config-2 config-2 True  False False   False False False False   False False   False   False`
	n := newNodeTest(t, upgrademonitortest.NewClientset(t), "config-1", "config-1")
	n.runsDesiredConfig()
	n.setNode("config-1", "config-2")
	require.NoError(t, n.daemon.update(t.Context()))
	n.startProcess()
	require.NoError(t, n.daemon.complete(t.Context(), true))
	n.watch.Stop()
	var seen []string
	for event := range n.watch.ResultChan() {
		if mcn := event.Object.(*mcfgv1.MachineConfigNode); mcn.Status.ConfigVersion != nil {
			row := []string{mcn.Spec.ConfigVersion.Desired, mcn.Status.ConfigVersion.Current}
			for _, column := range []phases.Phase{
				phases.Updated, phases.UpdatePrepared, phases.UpdateExecuted, phases.UpdatePostActionComplete,
				phases.UpdateComplete, phases.Resumed, phases.AppliedFilesAndOS, phases.Cordoned, phases.Drained,
				phases.RebootedNode, phases.Uncordoned,
			} {
				row = append(row, string(meta.FindStatusCondition(mcn.Status.Conditions, string(column)).Status))
			}
			seen = append(seen, strings.Join(row, " "))
		}
	}
	rest := slices.Compact(seen)
	for _, line := range strings.Split(tables, "\n")[2:] {
		row := strings.Join(strings.Fields(line), " ")
		at := slices.Index(rest, row)
		require.GreaterOrEqual(t, at, 0, "%s, of\n%s", row, strings.Join(seen, "\n"))
		rest = rest[at+1:]
	}
	assert.Empty(t, rest, "the watcher sees nothing after the last table")

	// After the update, the message of a step that has run names the update. The message of a step that never ran says so.
	mcn, err := n.client.MachineconfigurationV1().MachineConfigNodes().Get(t.Context(), "worker-0", metav1.GetOptions{})
	require.NoError(t, err)
	for _, c := range mcn.Status.Conditions {
		phase := phases.Phase(c.Type)
		parent, isChild := phases.ParentOf(phase)
		switch {
		case phase == phases.NodeDegraded:
			assert.Equal(t, "Node worker-0 upgrade succeeded", c.Message)
		case phase == phases.UpdatePostActionComplete || phases.KindOf(phase) == phases.Singleton:
			assert.Equal(t, "NotYetOccurred", c.Reason)
			assert.Equal(t, "This node has not yet entered the "+c.Type+" phase", c.Message)
		case phase != phases.Updated:
			assert.Regexp(t, "^Action during update to config-2: [A-Z]", c.Message, phase)
			assert.True(t, !isChild || c.Reason == string(parent+phase), c.Reason)
		}
	}
}

// An outage of the API server does not prevent the reboot of the node.
func TestAnOutageDoesNotPreventTheReboot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := upgrademonitortest.NewClientset(t)
		client.PrependReactor("*", "machineconfignodes", func(action clienttesting.Action) (bool, runtime.Object, error) {
			return action.GetVerb() != "watch", nil, apierrors.NewServiceUnavailable("etcd is down")
		})
		n := newNodeTest(t, client, "config-1", "config-2")
		n.daemon.drain = succeed
		begin, reboots := time.Now(), 0
		n.daemon.reboot = func(context.Context) error { reboots++; return nil }
		require.NoError(t, n.daemon.update(t.Context()))
		assert.Equal(t, 1, reboots)
		assert.LessOrEqual(t, time.Since(begin), 30*time.Second, "an update waits for one Timeout, and for two calls of Flush")
	})
}

// In image mode, apply reports the phases of image mode, as in examples/image-mode.
func TestADaemonReportsThePhasesOfImageMode(t *testing.T) {
	client := upgrademonitortest.NewClientset(t)
	n := newNodeTest(t, client, "config-1", "config-2")
	n.config.ImageMode = func() bool { return true }
	n.startProcess()
	attempts := 0
	n.daemon.apply = func(ctx context.Context) error {
		pull := succeed
		if attempts++; attempts == 1 {
			pull = fail
		}
		if err := n.daemon.monitor.Track(ctx, phases.AppliedFiles, "Applying files", succeed); err != nil {
			return err
		}
		if err := n.daemon.monitor.Track(ctx, phases.ImagePulledFromRegistry, "Pulling the OS image", pull); err != nil {
			return err
		}
		return n.daemon.monitor.Track(ctx, phases.AppliedOSImage, "Applying the OS image", succeed, upgrademonitor.CompletesParent())
	}
	n.daemon.drain = nil
	require.Error(t, n.daemon.update(t.Context()))
	assert.Equal(t, "Unknown: Error: Pulling the OS image: no space left", n.message(phases.UpdateExecuted))
	require.NoError(t, n.daemon.update(t.Context()))
	assert.Equal(t, "True: Applying the OS image", n.message(phases.UpdateExecuted), "UpdateExecuted completes before the reboot")
	n.startProcess()
	require.NoError(t, n.daemon.complete(t.Context(), true))
	assert.Equal(t, `UpdatePrepared: False Unknown True False
UpdateExecuted: False Unknown True False
AppliedFiles: False Unknown True False Unknown True False
AppliedOSImage: False Unknown True False
ImagePulledFromRegistry: False Unknown True False
RebootedNode: False Unknown True False
Resumed: False Unknown True False
UpdateComplete: False Unknown True False
Uncordoned: False Unknown True False
NodeDegraded: False True False
Updated: False True`, upgrademonitortest.Transitions(t, client, "worker-0"))
}
