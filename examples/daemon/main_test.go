package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	kubefake "k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/upgrademonitortest"
)

// logBuffer collects the log lines of several goroutines.
type logBuffer struct {
	mu sync.Mutex
	strings.Builder
}

func (l *logBuffer) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Builder.Write(line)
}

func newKube() *kubefake.Clientset { return kubefake.NewClientset(newNode("config-1", "config-1")) }

// runDaemon runs the daemon of a Node with config 1. After one minute, the Node desires config 2. Ten minutes later, the
// daemon gets SIGTERM.
func runDaemon(t *testing.T, kube *kubefake.Clientset, mcfg *mcfgfake.Clientset, o options) (node *corev1.Node, log string) {
	t.Helper()
	var out logBuffer
	logger := textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(&out)))
	stop, cancel := context.WithCancel(klog.NewContext(t.Context(), logger))
	monitors, err := upgrademonitor.NewMonitors(stop, upgrademonitor.Config{Client: mcfg}, func(name string) (*corev1.Node, error) {
		return kube.CoreV1().Nodes().Get(stop, name, metav1.GetOptions{})
	})
	require.NoError(t, err)
	annotate := func(name, value string) {
		patch := []byte(`{"metadata":{"annotations":{"` + name + `":"` + value + `"}}}`)
		_, err := kube.CoreV1().Nodes().Patch(t.Context(), "worker-0", types.MergePatchType, patch, metav1.PatchOptions{})
		assert.NoError(t, err)
	}
	drainController := func() {
		nodes, err := kube.CoreV1().Nodes().Watch(stop, metav1.ListOptions{})
		if !assert.NoError(t, err) {
			return
		}
		defer nodes.Stop()
		for {
			select {
			case event := <-nodes.ResultChan():
				of, monitor := event.Object.(*corev1.Node).Annotations, monitors.For("worker-0")
				if of[desiredDrain] == of[lastAppliedDrain] {
					continue
				}
				if strings.HasPrefix(of[desiredDrain], "drain-") {
					monitor.Report(stop, phases.Cordoned, "Cordoned node", metav1.ConditionTrue)
					monitor.Report(stop, phases.Drained, "Drained node", metav1.ConditionTrue)
				} else {
					monitor.Report(stop, phases.Uncordoned, "Uncordoned node", metav1.ConditionTrue, upgrademonitor.CompletesParent())
				}
				annotate(lastAppliedDrain, of[desiredDrain])
			case <-stop.Done():
				return
			}
		}
	}
	go drainController()
	go func() {
		<-time.After(time.Minute)
		annotate(desiredConfig, "config-2")
		<-time.After(10 * time.Minute)
		cancel()
	}()
	o.node, o.timeOfEachStep = "worker-0", time.Second
	require.NoError(t, onCluster(stop, kube, mcfg, o))
	node, err = kube.CoreV1().Nodes().Get(t.Context(), "worker-0", metav1.GetOptions{})
	require.NoError(t, err)
	return node, out.String()
}

func TestAWatcherSeesEveryStatus(t *testing.T) {
	const drained = "Cordoned: False Unknown True False\nDrained: False Unknown True False\n"
	for name, tc := range map[string]struct {
		options
		want string
	}{
		"with a drain and a reboot": {
			options: options{drains: true, boots: true},
			want: `UpdatePrepared: False Unknown True False
UpdateExecuted: False Unknown True False
` + drained + `AppliedFilesAndOS: False Unknown True False
RebootedNode: False Unknown True False
Resumed: False Unknown True False Unknown True False
UpdateComplete: False Unknown True False Unknown True False
Uncordoned: False Unknown True False Unknown True False
Updated: False True False True`,
		},
		"with a restart of services": {
			want: `UpdatePrepared: False Unknown True False
UpdateExecuted: False Unknown True False
AppliedFilesAndOS: False Unknown True False
UpdatePostActionComplete: False Unknown True False
Resumed: False Unknown True False Unknown True False
UpdateComplete: False Unknown True False Unknown True False
Updated: False True False True`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				mcfg := upgrademonitortest.NewClientset(t)
				node, log := runDaemon(t, newKube(), mcfg, tc.options)
				assert.Empty(t, log)
				assert.Equal(t, "config-2", node.Annotations[currentConfig])
				assert.Equal(t, tc.want, upgrademonitortest.Transitions(t, mcfg, "worker-0"), "the last steps are reported when the node joins, and in the update")
			})
		})
	}
}

// An outage does not prevent the update. The reports are written after SIGTERM.
func TestReportsOfAnOutageAreWrittenAfterSIGTERM(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mcfg, begin := upgrademonitortest.NewClientset(t), time.Now()
		for _, verb := range []string{"get", "create", "patch"} {
			mcfg.PrependReactor(verb, "machineconfignodes", func(clienttesting.Action) (bool, runtime.Object, error) {
				return time.Since(begin) < 11*time.Minute+5*time.Second, nil, apierrors.NewServiceUnavailable("etcd is down")
			})
		}
		node, _ := runDaemon(t, newKube(), mcfg, options{boots: true})
		assert.Equal(t, "config-2", node.Annotations[currentConfig])
		assert.Contains(t, upgrademonitortest.Transitions(t, mcfg, "worker-0"), "Updated: False True False True")
	})
}

// Each request to the Node fails once. The node is degraded until a retry succeeds: once when it joins, and once in the
// update.
func TestFailedRequestsAreRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kube, mcfg := newKube(), upgrademonitortest.NewClientset(t)
		var requests []string
		kube.PrependReactor("patch", "nodes", func(action clienttesting.Action) (bool, runtime.Object, error) {
			patch := string(action.(clienttesting.PatchAction).GetPatch())
			if strings.Contains(patch, lastAppliedDrain) || strings.Contains(patch, desiredConfig) {
				return false, nil, nil // a request of runDaemon
			}
			requests = append(requests, strings.NewReplacer(`{"metadata":{"annotations":{"machineconfiguration.openshift.io/`, "", `"}}}`, "", `"`, "").Replace(patch))
			failed := slices.Index(requests, requests[len(requests)-1]) == len(requests)-1
			return failed, nil, errors.New("denied by a webhook")
		})
		node, log := runDaemon(t, kube, mcfg, options{drains: true, boots: true})
		assert.Equal(t, "config-2", node.Annotations[currentConfig])
		assert.Equal(t, []string{
			"desiredDrain:uncordon-config-1", "desiredDrain:uncordon-config-1",
			"desiredDrain:drain-config-2", "desiredDrain:drain-config-2",
			"desiredDrain:uncordon-config-2", "desiredDrain:uncordon-config-2",
			"currentConfig:config-2", "currentConfig:config-2",
		}, requests, "a request that has succeeded is not repeated")
		assert.Equal(t, 4, strings.Count(log, `"Failed to sync, retrying" err="denied by a webhook"`), log)
		transitions := upgrademonitortest.Transitions(t, mcfg, "worker-0")
		assert.Contains(t, transitions, "NodeDegraded: False True False True False")
		assert.Contains(t, transitions, "Updated: False True False True")
	})
}

func TestADrainThatTakesAnHourDegradesTheNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 90*time.Minute)
		defer cancel()
		client := upgrademonitortest.NewClientset(t)
		require.NoError(t, onCluster(ctx, kubefake.NewClientset(newNode("config-1", "config-2")), client, options{node: "worker-0", drains: true}))
		mcn, err := client.MachineconfigurationV1().MachineConfigNodes().Get(t.Context(), "worker-0", metav1.GetOptions{})
		require.NoError(t, err)
		assert.Equal(t, "Node worker-0 upgrade failure. wait for the annotation "+
			"machineconfiguration.openshift.io/lastAppliedDrain=drain-config-2 of Node worker-0: context deadline exceeded",
			conditions.Find(mcn.Status.Conditions, phases.NodeDegraded).Message)
	})
}

func TestTheSpecShowsAnOrderWhileAStepRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stop, cancel := context.WithCancel(t.Context())
		kube, mcfg := kubefake.NewClientset(newNode("config-1", "config-2")), upgrademonitortest.NewClientset(t)
		time.AfterFunc(time.Minute, func() {
			_, err := kube.CoreV1().Nodes().Update(t.Context(), newNode("config-1", "config-3"), metav1.UpdateOptions{})
			assert.NoError(t, err)
		})
		time.AfterFunc(2*time.Minute, func() { // the drain ends after an hour
			defer cancel()
			mcn, err := mcfg.MachineconfigurationV1().MachineConfigNodes().Get(t.Context(), "worker-0", metav1.GetOptions{})
			if assert.NoError(t, err) {
				assert.Equal(t, "config-3", mcn.Spec.ConfigVersion.Desired)
			}
		})
		require.NoError(t, onCluster(stop, kube, mcfg, options{node: "worker-0", drains: true}))
	})
}

func TestADaemonWatchesOnlyItsOwnObjects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kube, mcfg := newKube(), mcfgfake.NewClientset()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		require.NoError(t, onCluster(ctx, kube, mcfg, options{node: "worker-0"}))
		watched := map[string]string{}
		for _, action := range append(kube.Actions(), mcfg.Actions()...) {
			if watch, ok := action.(clienttesting.WatchAction); ok {
				watched[action.GetResource().Resource] = watch.GetWatchRestrictions().Fields.String()
			}
		}
		const own = "metadata.name=worker-0"
		assert.Equal(t, map[string]string{"nodes": own, "machineconfignodes": own}, watched)
	})
}

func TestADaemonRetriesUntilItsNodeExists(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kube, mcfg := kubefake.NewClientset(), upgrademonitortest.NewClientset(t)
		var log logBuffer
		logger := textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(&log)))
		ctx, cancel := context.WithTimeout(klog.NewContext(t.Context(), logger), 2*time.Minute)
		defer cancel()
		time.AfterFunc(time.Minute, func() { assert.NoError(t, kube.Tracker().Add(newNode("config-1", "config-1"))) })
		require.NoError(t, onCluster(ctx, kube, mcfg, options{node: "worker-0"}))
		assert.Contains(t, upgrademonitortest.Transitions(t, mcfg, "worker-0"), "Updated: False True")
		assert.Contains(t, log.String(), `"Failed to sync, retrying" err="node \"worker-0\" not found"`)
	})
}

func TestInvalidOptionsAreRejected(t *testing.T) {
	require.ErrorContains(t, onCluster(t.Context(), newKube(), mcfgfake.NewClientset(), options{}), "NodeName")
}

// In memory, the program prints each transition, and each error of a step.
func Example_inMemory() {
	if err := inMemory(context.Background(), os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 14:00:02  UpdatePrepared    False   → Unknown  Node needs an update
	// 14:00:02  Updated           True    → False    Node needs an update
	// 14:00:03  UpdatePrepared    Unknown → True     Update is compatible
	// 14:00:03  UpdateExecuted    False   → Unknown  Cordoned node
	// 14:00:03  Cordoned          False   → Unknown  Cordoned node
	// 14:00:03  Cordoned          Unknown → True     Cordoned node
	// 14:00:03  Drained           False   → Unknown  Draining node
	//           UpdateExecuted              Unknown  Error: Draining node: pod web-0 cannot be evicted
	//           Drained                     Unknown  Error: Draining node: pod web-0 cannot be evicted
	// 14:01:33  NodeDegraded      False   → True     Node worker-0 upgrade failure. pod web-0 cannot be evicted
	// 14:02:04  Drained           Unknown → True     Drained node
	// 14:02:04  AppliedFilesAndOS False   → Unknown  Applying files and OS
	// 14:03:14  UpdateExecuted    Unknown → True     Applying files and OS
	// 14:03:14  AppliedFilesAndOS Unknown → True     Applying files and OS
	// 14:03:14  RebootedNode      False   → Unknown  Update requires a reboot
	// 14:07:14  RebootedNode      Unknown → True     Node has rebooted
	// 14:07:14  Resumed           False   → Unknown  In desired config
	// 14:07:14  Resumed           Unknown → True     In desired config
	// 14:07:14  UpdateComplete    False   → Unknown  Completing the update
	// 14:07:14  Uncordoned        False   → Unknown  Uncordoned node
	// 14:07:14  UpdateComplete    Unknown → True     Uncordoned node
	// 14:07:14  Uncordoned        Unknown → True     Uncordoned node
	// 14:07:16  UpdatePrepared    True    → False    Action during update to rendered-worker-2: Update is compatible
	// 14:07:16  UpdateExecuted    True    → False    Action during update to rendered-worker-2: Applying files and OS
	// 14:07:16  Cordoned          True    → False    Action during update to rendered-worker-2: Cordoned node
	// 14:07:16  Drained           True    → False    Action during update to rendered-worker-2: Drained node
	// 14:07:16  AppliedFilesAndOS True    → False    Action during update to rendered-worker-2: Applying files and OS
	// 14:07:16  RebootedNode      True    → False    Action during update to rendered-worker-2: Node has rebooted
	// 14:07:16  Resumed           True    → False    Action during update to rendered-worker-2: In desired config
	// 14:07:16  UpdateComplete    True    → False    Action during update to rendered-worker-2: Completing the update
	// 14:07:16  Uncordoned        True    → False    Action during update to rendered-worker-2: Uncordoned node
	// 14:07:16  NodeDegraded      True    → False    Action during update to rendered-worker-2: Node worker-0 upgrade failure. pod web-0 cannot be evicted
	// 14:07:16  Updated           False   → True     Node is updated
}
