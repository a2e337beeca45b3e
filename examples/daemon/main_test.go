package main

import (
	"context"
	"strings"
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

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/upgrademonitortest"
)

// runDaemon runs the daemon of a Node with config 1. After one minute, the Node desires config 2. Ten minutes later, the
// daemon gets SIGTERM.
func runDaemon(t *testing.T, mcfg *mcfgfake.Clientset, o options) *corev1.Node {
	t.Helper()
	stop, cancel := context.WithCancel(t.Context())
	kube := kubefake.NewClientset(newNode("config-1", "config-1"))
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
	node, err := kube.CoreV1().Nodes().Get(t.Context(), "worker-0", metav1.GetOptions{})
	require.NoError(t, err)
	return node
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
Updated: False True False True`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				mcfg := upgrademonitortest.NewClientset(t)
				node := runDaemon(t, mcfg, tc.options)
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
		node := runDaemon(t, mcfg, options{boots: true})
		assert.Equal(t, "config-2", node.Annotations[currentConfig])
		assert.Contains(t, upgrademonitortest.Transitions(t, mcfg, "worker-0"), "Updated: False True False True")
	})
}

func TestTheProgramPrintsEachTransition(t *testing.T) {
	var out strings.Builder
	require.NoError(t, inMemory(t.Context(), &out))
	for _, lines := range []string{
		`
14:00:03  Drained           False   → Unknown  Draining node
          UpdateExecuted              Unknown  Error: Draining node: pod web-0 cannot be evicted
          Drained                     Unknown  Error: Draining node: pod web-0 cannot be evicted
14:01:33  NodeDegraded      False   → True     Node worker-0 upgrade failure. pod web-0 cannot be evicted
14:02:04  Drained           Unknown → True     Drained node
`, `
14:07:14  UpdateComplete    False   → Unknown  Uncordoned node
14:07:14  Uncordoned        False   → Unknown  Uncordoned node
14:07:14  UpdateComplete    Unknown → True     Uncordoned node
14:07:14  Uncordoned        Unknown → True     Uncordoned node
`, `
14:07:16  UpdateComplete    True    → False    Action during update to rendered-worker-2: Uncordoned node
`,
	} {
		assert.Contains(t, out.String(), lines)
	}
}
