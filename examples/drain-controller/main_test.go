package main

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	kubefake "k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"

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

// cluster has a Node whose daemon has reported the start of an update.
type cluster struct {
	*testing.T
	kube *kubefake.Clientset
	mcfg *mcfgfake.Clientset
	log  logBuffer   // of the controller
	down atomic.Bool // whether writes of MachineConfigNodes fail
}

func newCluster(t *testing.T, pods ...runtime.Object) *cluster {
	t.Helper()
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-0", UID: "1"}}
	c := &cluster{T: t, kube: kubefake.NewClientset(append(pods, node)...), mcfg: upgrademonitortest.NewClientset(t)}
	c.mcfg.PrependReactor("patch", "machineconfignodes", func(clienttesting.Action) (bool, runtime.Object, error) {
		return c.down.Load(), nil, apierrors.NewServiceUnavailable("etcd is down")
	})
	daemon, err := upgrademonitor.New(t.Context(), upgrademonitor.Config{
		Client: c.mcfg, NodeName: node.Name, Node: func() (*corev1.Node, error) { return node, nil },
	})
	require.NoError(t, err)
	daemon.Report(t.Context(), phases.Updated, "Node needs an update", metav1.ConditionFalse)
	return c
}

// ask sets the annotation desiredDrain, and lets ten minutes of fake time pass.
func (c *cluster) ask(value string) {
	c.Helper()
	patch := `{"metadata":{"annotations":{"` + desiredDrain + `":"` + value + `"}}}`
	_, err := c.kube.CoreV1().Nodes().Patch(c.Context(), "worker-0", types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	require.NoError(c, err)
	<-time.After(10 * time.Minute)
}

// run runs the controller during a test, which sets annotations of the Node.
func (c *cluster) run(test func()) error {
	c.Helper()
	stop, cancel := context.WithCancel(klog.NewContext(c.Context(), textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(&c.log)))))
	ended := make(chan error, 1)
	go func() { ended <- run(stop, c.kube, c.mcfg) }()
	test()
	cancel()
	return <-ended
}

// The patches of the Node that the controller makes.
const (
	cordon   = `{"spec":{"unschedulable":true}}`
	uncordon = `{"spec":{"unschedulable":false}}`
)

func applied(value string) string {
	return `{"metadata":{"annotations":{"` + lastAppliedDrain + `":"` + value + `"}}}`
}

// patches returns the patches of the Node that the controller has made.
func (c *cluster) patches() (list []string) {
	for _, action := range c.kube.Actions() {
		if patch, ok := action.(clienttesting.PatchAction); ok && !strings.Contains(string(patch.GetPatch()), desiredDrain) {
			list = append(list, string(patch.GetPatch()))
		}
	}
	return list
}

const allSteps = `UpdatePrepared: False Unknown
UpdateExecuted: False Unknown
Cordoned: False Unknown True
Drained: False Unknown True
UpdateComplete: False Unknown True
Uncordoned: False Unknown True`

// A drain evicts all Pods of the Node, except those of DaemonSets, until they have terminated. Each step is retried after a
// failure, and the cause is logged. The API server is down during the uncordon, so the uncordon is reported after SIGTERM.
func TestTheControllerDrainsAndUncordonsANode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pod := func(name, owner string) *corev1.Pod {
			p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name}, Spec: corev1.PodSpec{NodeName: "worker-0"}}
			if owner != "" {
				p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: owner, Name: name, Controller: new(true)}}
			}
			return p
		}
		c := newCluster(t, pod("web-0", "StatefulSet"), pod("dns-0", "DaemonSet"), pod("debug", ""))
		failed, evictions := map[string]bool{}, map[string]int{}
		failsOnce := func(request string) (bool, runtime.Object, error) {
			isFirst := !failed[request]
			failed[request] = true
			return isFirst, nil, errors.New("no " + request)
		}
		c.kube.PrependReactor("get", "nodes", func(clienttesting.Action) (bool, runtime.Object, error) { return failsOnce("Node") })
		c.kube.PrependReactor("list", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
			assert.Equal(t, "spec.nodeName=worker-0", action.(clienttesting.ListAction).GetListRestrictions().Fields.String())
			return failsOnce("Pods")
		})
		c.kube.PrependReactor("patch", "nodes", func(action clienttesting.Action) (bool, runtime.Object, error) {
			if strings.Contains(string(action.(clienttesting.PatchAction).GetPatch()), lastAppliedDrain) {
				return failsOnce("annotation")
			}
			return false, nil, nil
		})
		c.kube.PrependReactor("create", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
			eviction := action.(clienttesting.CreateAction).GetObject().(*policyv1.Eviction)
			evictions[eviction.Namespace+"/"+eviction.Name]++
			switch n := evictions["shop/web-0"]; {
			case eviction.Name == "web-0" && n == 1:
				return true, nil, apierrors.NewTooManyRequests("the disruption budget does not allow it", 1)
			case eviction.Name == "web-0" && n == 2:
				return true, nil, nil // the Pod terminates later
			}
			return true, nil, c.kube.Tracker().Delete(action.GetResource(), eviction.Namespace, eviction.Name)
		})
		require.NoError(t, c.run(func() {
			c.ask("drain-rendered-2")
			c.down.Store(true)
			c.ask("uncordon-rendered-2")
			time.AfterFunc(time.Second, func() { c.down.Store(false) })
		}))
		assert.Equal(t, map[string]int{"shop/web-0": 3, "shop/debug": 1}, evictions)
		assert.Equal(t, []string{
			cordon, applied("drain-rendered-2"), applied("drain-rendered-2"), uncordon, applied("uncordon-rendered-2"),
		}, c.patches())
		for _, cause := range []string{
			`"no Node"`, `"no Pods"`, `"no annotation"`, `the disruption budget does not allow it`,
			`evict pod shop/debug: the pod has not terminated yet`,
		} {
			assert.Contains(t, c.log.String(), cause)
		}
		again := strings.Replace(allSteps, "Drained: False Unknown True", "Drained: False Unknown True False Unknown True", 1)
		assert.Equal(t, again, upgrademonitortest.Transitions(t, c.mcfg, "worker-0"), "a drain runs again if the annotation could not be set")
	})
}

// If the Node asks for nothing, the controller only watches.
func TestANodeThatIsNotCordonedIsNotUncordoned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		c.mcfg.ClearActions()
		require.NoError(t, c.run(func() {
			<-time.After(time.Minute)
			var requests []string
			for _, action := range append(c.kube.Actions(), c.mcfg.Actions()...) {
				requests = append(requests, action.GetVerb()+" "+action.GetResource().Resource)
			}
			assert.ElementsMatch(t, []string{"list nodes", "watch nodes", "list machineconfignodes", "watch machineconfignodes"}, requests)
			c.ask("uncordon-rendered-1")
		}))
		assert.Equal(t, []string{applied("uncordon-rendered-1")}, c.patches())
		assert.Contains(t, upgrademonitortest.Transitions(t, c.mcfg, "worker-0"), "Uncordoned: False Unknown True")
		assert.Empty(t, c.log.String())
	})
}

func TestANodeThatIsCordonedIsNotCordonedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		_, err := c.kube.CoreV1().Nodes().Patch(t.Context(), "worker-0", types.MergePatchType, []byte(cordon), metav1.PatchOptions{})
		require.NoError(t, err)
		require.NoError(t, c.run(func() { c.ask("drain-rendered-2") }))
		assert.Equal(t, []string{cordon, applied("drain-rendered-2")}, c.patches(), "the first patch is that of the administrator")
		assert.Contains(t, upgrademonitortest.Transitions(t, c.mcfg, "worker-0"), "Cordoned: False Unknown True\nDrained: False Unknown True")
	})
}

func TestInvalidConfigsAreRejected(t *testing.T) {
	require.ErrorContains(t, run(t.Context(), kubefake.NewClientset(), nil), "Client")
}

// After SIGTERM, the controller waits 5 seconds. Reports of a deleted Node are no longer needed.
func TestReportsThatAreLostAreAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		c.down.Store(true)
		require.ErrorContains(t, c.run(func() { c.ask("drain-rendered-2") }), "etcd is down")

		c = newCluster(t)
		c.down.Store(true)
		require.NoError(t, c.run(func() {
			c.ask("drain-rendered-2")
			require.NoError(t, c.kube.CoreV1().Nodes().Delete(t.Context(), "worker-0", metav1.DeleteOptions{}))
			<-time.After(time.Minute)
		}))
	})
}

// If the API server refuses the cordon or the uncordon, the object shows the error, and the log has it.
func TestARefusedCordonIsShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		var isRefused atomic.Bool
		c.kube.PrependReactor("patch", "nodes", func(action clienttesting.Action) (bool, runtime.Object, error) {
			isCordon := strings.Contains(string(action.(clienttesting.PatchAction).GetPatch()), "unschedulable")
			return isCordon && isRefused.Load(), nil, errors.New("denied by a webhook")
		})
		failure := func(phase phases.Phase) string {
			mcn, err := c.mcfg.MachineconfigurationV1().MachineConfigNodes().Get(t.Context(), "worker-0", metav1.GetOptions{})
			require.NoError(t, err)
			condition := meta.FindStatusCondition(mcn.Status.Conditions, string(phase))
			require.Equal(t, metav1.ConditionUnknown, condition.Status)
			return condition.Message
		}
		isRefused.Store(true)
		require.NoError(t, c.run(func() {
			c.ask("drain-rendered-2")
			assert.Equal(t, "Error: Cordoning node: denied by a webhook", failure(phases.Cordoned))
			isRefused.Store(false)
			c.ask("drain-rendered-2")
			isRefused.Store(true)
			c.ask("uncordon-rendered-2")
			assert.Equal(t, "Error: Uncordoning node: denied by a webhook", failure(phases.Uncordoned))
			isRefused.Store(false)
			c.ask("uncordon-rendered-2")
		}))
		assert.Equal(t, allSteps, upgrademonitortest.Transitions(t, c.mcfg, "worker-0"))
		assert.Contains(t, c.log.String(), `"Failed to drain or uncordon, retrying" err="denied by a webhook" node="worker-0"`)
	})
}
