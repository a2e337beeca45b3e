package main

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	kubefake "k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/upgrademonitortest"
)

// cluster has a Node whose daemon has reported the start of an update.
type cluster struct {
	*testing.T
	kube *kubefake.Clientset
	mcfg *mcfgfake.Clientset
}

func newCluster(t *testing.T, pods ...runtime.Object) *cluster {
	t.Helper()
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-0", UID: "1"}}
	c := &cluster{t, kubefake.NewClientset(append(pods, node)...), upgrademonitortest.NewClientset(t)}
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

// applied returns the annotation lastAppliedDrain.
func (c *cluster) applied() string {
	c.Helper()
	node, err := c.kube.CoreV1().Nodes().Get(c.Context(), "worker-0", metav1.GetOptions{})
	require.NoError(c, err)
	return node.Annotations[lastAppliedDrain]
}

// run runs the controller during a test that asks for a drain and an uncordon.
func (c *cluster) run(test func()) {
	c.Helper()
	stop, cancel := context.WithCancel(c.Context())
	ended := make(chan error, 1)
	go func() { ended <- run(stop, c.kube, c.mcfg) }()
	test()
	cancel()
	require.NoError(c, <-ended)
	assert.Equal(c, `UpdatePrepared: False Unknown
UpdateExecuted: False Unknown
Cordoned: False Unknown True
Drained: False Unknown True
UpdateComplete: False Unknown True
Uncordoned: False Unknown True`, upgrademonitortest.Transitions(c, c.mcfg, "worker-0"))
}

// The controller waits for a disruption budget, and does not evict the Pod of a DaemonSet. A report that is made in an
// outage is written after SIGTERM.
func TestTheControllerDrainsAndUncordonsANode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pod := func(name, owner string) *corev1.Pod {
			p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name}, Spec: corev1.PodSpec{NodeName: "worker-0"}}
			p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: owner, Name: name, Controller: new(true)}}
			return p
		}
		c := newCluster(t, pod("web-0", "StatefulSet"), pod("dns-0", "DaemonSet"))
		evictions := 0
		c.kube.PrependReactor("create", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
			if evictions++; evictions == 1 {
				return true, nil, apierrors.NewTooManyRequests("the disruption budget does not allow it", 1)
			}
			return true, nil, c.kube.Tracker().Delete(action.GetResource(), "shop", "web-0")
		})
		var isAway atomic.Bool
		c.mcfg.PrependReactor("patch", "machineconfignodes", func(clienttesting.Action) (bool, runtime.Object, error) {
			return isAway.Load(), nil, apierrors.NewServiceUnavailable("etcd is down")
		})
		c.run(func() {
			c.ask("drain-rendered-2")
			assert.Equal(t, "drain-rendered-2", c.applied())
			isAway.Store(true)
			c.ask("uncordon-rendered-2")
			assert.Equal(t, "uncordon-rendered-2", c.applied())
			time.AfterFunc(time.Second, func() { isAway.Store(false) })
		})
		assert.Equal(t, 2, evictions)
	})
}

// If the API server refuses the cordon or the uncordon, the object shows the error.
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
		c.run(func() {
			c.ask("drain-rendered-2")
			assert.Equal(t, "Error: Cordoning node: denied by a webhook", failure(phases.Cordoned))
			isRefused.Store(false)
			c.ask("drain-rendered-2")
			isRefused.Store(true)
			c.ask("uncordon-rendered-2")
			assert.Equal(t, "Error: Uncordoning node: denied by a webhook", failure(phases.Uncordoned))
			isRefused.Store(false)
			c.ask("uncordon-rendered-2")
		})
	})
}
