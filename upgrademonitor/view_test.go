package upgrademonitor_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	mcfglisters "github.com/openshift/client-go/machineconfiguration/listers/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/upgrademonitortest"
)

// The versions in the status follow the Node without a report, if this process's view has changed.
func TestVersionsFollowTheNodeBetweenCalls(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := newFixture(t)
		f.reportUpdated(t)
		f.annotate(oldConfig, newConfig)
		f.report(t, phases.Updated, metav1.ConditionFalse)
		f.report(t, phases.UpdatePrepared, metav1.ConditionTrue)
		f.report(t, phases.Updated, metav1.ConditionTrue) // the informer is out of date
		assert.Equal(t, oldConfig, f.object(t).Status.ConfigVersion.Current)
		before := f.object(t).Status.Conditions
		f.annotate(newConfig, newConfig)
		f.requests()
		pass(time.Minute)
		assert.Equal(t, []string{"patch/status"}, f.requests())
		assert.Equal(t, newConfig, f.object(t).Status.ConfigVersion.Current)
		assert.Equal(t, before, f.object(t).Status.Conditions)

		down := f.outage(errDown)
		f.annotate(oldConfig, newConfig)
		pass(time.Minute)
		_, accepted := f.Pending()
		f.clock.SetTime(start.Add(time.Hour))
		f.annotate(oldConfig, oldConfig)
		pass(time.Minute)
		n, since := f.Pending()
		assert.Equal(t, 1, n)
		assert.Equal(t, accepted, since, "of the first change that is not written")
		down.Store(false)
		f.annotate(newConfig, newConfig)
		pass(time.Minute)
		assert.Equal(t, newConfig, f.object(t).Status.ConfigVersion.Current)
	})
}

// Two processes with different views of the Node do not overwrite each other forever, though each
// sees the other's writes.
func TestTwoViewsOfTheNode(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		clientset := upgrademonitortest.NewClientset(t)
		for _, current := range []string{oldConfig, newConfig} {
			m, err := upgrademonitor.New(t.Context(), upgrademonitor.Config{Client: clientset, NodeName: nodeName, Lister: liveLister{clientset: clientset},
				Node: func() (*corev1.Node, error) { return annotated(current, newConfig), nil }})
			require.NoError(t, err)
			m.ReportDegraded(t.Context(), errDown)
			m.ReportDegraded(t.Context(), nil)
		}
		pass(time.Minute)
		clientset.ClearActions()
		pass(time.Hour)
		assert.Empty(t, clientset.Actions())
	})
}

// liveLister is the Lister of an informer that is always up to date.
type liveLister struct {
	mcfglisters.MachineConfigNodeLister
	clientset *mcfgfake.Clientset
}

func (l liveLister) Get(name string) (*mcfgv1.MachineConfigNode, error) {
	object, err := l.clientset.Tracker().Get(mcfgv1.GroupVersion.WithResource("machineconfignodes"), "", name)
	if err != nil {
		return nil, err
	}
	return object.(*mcfgv1.MachineConfigNode), nil
}

// An object that was deleted is created again: by the next call, or by the Monitor itself if its
// Lister had the object, even if that had only shown the Monitor's own version. Its status starts from the
// defaults. It is not created for a Node that was deleted, too, or that is not provisioned.
func TestDeletedObject(t *testing.T) {
	gone := apierrors.NewNotFound(corev1.Resource("nodes"), nodeName)
	for name, tc := range map[string]struct {
		change func(*fixture)
		call   bool
		want   []string
	}{
		"the next call":         {func(*fixture) {}, true, []string{"get", "create", "patch/status"}},
		"no call":               {func(*fixture) {}, false, []string{"get", "create"}},
		"the Node is gone":      {func(f *fixture) { f.becomes(func(*corev1.Node) {}, gone) }, false, nil},
		"the Node is not ready": {func(f *fixture) { f.becomes(func(n *corev1.Node) { n.Status.Phase = corev1.NodePending }, nil) }, false, nil},
		"down at first":         {func(f *fixture) { f.failing("create", errDown, errDown) }, false, []string{"get", "create", "get", "create", "get", "create"}},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
				f := newFixture(t, withLister(indexer))
				f.reportUpdated(t)
				f.show(t, indexer, f.object(t).ResourceVersion)
				f.report(t, phases.Updated, metav1.ConditionTrue)
				require.Empty(t, f.requests())
				f.delete(t)
				require.NoError(t, indexer.Replace(nil, "2"))
				tc.change(f)
				if tc.call {
					f.report(t, phases.NodeDegraded, metav1.ConditionTrue)
				}
				pass(time.Minute)
				assert.Equal(t, tc.want, f.requests())
				if tc.call {
					assert.Equal(t, metav1.ConditionFalse, f.condition(t, phases.Updated).Status, "a default")
				}
			})
		})
	}
}

// Without a Lister, or with a Lister that fails or whose versions cannot be compared, a repeat is
// checked by one read after 5 minutes without a response. A report that changes something is not.
func TestARepeatIsCheckedOnceInAWhile(t *testing.T) {
	for name, change := range map[string]func(*fixture, cache.Indexer, *upgrademonitor.Config){
		"no Lister": func(*fixture, cache.Indexer, *upgrademonitor.Config) {},
		"fails":     func(_ *fixture, _ cache.Indexer, c *upgrademonitor.Config) { c.Lister = failingLister{} },
		"versions that are not numbers": func(_ *fixture, indexer cache.Indexer, c *upgrademonitor.Config) {
			withLister(indexer)(c)
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
				f := newFixture(t, func(c *upgrademonitor.Config) { change(nil, indexer, c) })
				repeat := func() []string {
					f.report(t, phases.Updated, metav1.ConditionTrue)
					return f.requests()
				}
				f.reportUpdated(t)
				f.show(t, indexer, "no-number")
				assert.Empty(t, repeat())
				pass(checkInterval)
				assert.Equal(t, []string{"get"}, repeat())
				assert.Empty(t, repeat())
				pass(checkInterval)
				require.NoError(t, f.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
				assert.Equal(t, []string{"get"}, f.requests())
				pass(checkInterval)
				f.report(t, phases.NodeDegraded, metav1.ConditionTrue)
				assert.Equal(t, []string{"patch/status"}, f.requests())
				f.delete(t)
				pass(checkInterval)
				assert.Equal(t, []string{"get", "create", "patch/status"}, repeat())
			})
		})
	}
}

// A failing Node function of one call keeps no report of another call from being written.
func TestOneFailingViewVetoesNothing(t *testing.T) {
	onSlowServer(t, func(t *testing.T, s *slow) {
		s.server.Remove(nodeName)
		s.takes(time.Second)
		go func() {
			assert.NoError(t, s.GenerateAndApplyMachineConfigNode(t.Context(), phases.Resumed, "R", "", metav1.ConditionTrue))
		}()
		synctest.Wait()
		s.mu.Lock()
		s.viewErr = errors.New("cache is cold")
		s.mu.Unlock()
		require.Error(t, s.GenerateAndApplyMachineConfigNode(t.Context(), phases.Drained, "R", "", metav1.ConditionTrue))
		pass(8 * time.Second) // before the Monitor looks itself
		assert.Equal(t, metav1.ConditionTrue, s.status(phases.Resumed))
	})
}

// An older view that arrives late does not replace a newer view.
func TestAViewThatArrivesLate(t *testing.T) {
	onSlowServer(t, func(t *testing.T, s *slow) {
		slow := make(chan struct{})
		s.mu.Lock()
		s.viewed = func() { <-slow }
		s.mu.Unlock()
		s.annotate(oldConfig, newConfig)
		var calls sync.WaitGroup
		calls.Go(func() { _ = s.GenerateAndApplyMachineConfigNodeSpec(t.Context()) })
		synctest.Wait()
		s.mu.Lock()
		s.viewed = nil
		s.mu.Unlock()
		s.annotate(oldConfig, thirdConfig)
		require.NoError(t, s.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
		close(slow)
		calls.Wait()
		assert.Equal(t, thirdConfig, s.desired())
	})
}

// The status of a Node's former object neither refuses nor repeats a report of the new Node.
func TestReportsOfANodeThatWasRegisteredAgain(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	f.annotate(oldConfig, newConfig)
	f.report(t, phases.Updated, metav1.ConditionFalse)
	f.report(t, phases.Drained, metav1.ConditionUnknown)
	for _, uid := range []string{"another", "a third"} {
		f.delete(t)
		f.becomes(func(n *corev1.Node) { n.UID = types.UID(uid) }, nil)
		f.report(t, phases.Drained, metav1.ConditionFalse)
		assert.Equal(t, "about Drained", f.condition(t, phases.Drained).Message, uid)
	}
}

// A node whose requests hang keeps no other node from being written.
func TestMonitorsWaitForNoNode(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		clientset := upgrademonitortest.NewClientset(t)
		monitors, err := upgrademonitor.NewMonitors(t.Context(), upgrademonitor.Config{Client: clientset}, func(name string) (*corev1.Node, error) {
			if name == "worker-0" {
				<-t.Context().Done() // its Node function blocks
			}
			return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: "1"}}, nil
		})
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		go monitors.For("worker-0").ReportDegraded(ctx, nil)
		synctest.Wait()
		for i := 1; i < 20; i++ {
			monitors.For(nodeNames(i)).ReportDegraded(ctx, fmt.Errorf("cause %d", i))
			mcn, err := clientset.MachineconfigurationV1().MachineConfigNodes().Get(ctx, nodeNames(i), metav1.GetOptions{})
			require.NoError(t, err)
			assert.Equal(t, metav1.ConditionTrue, conditions.StatusOf(mcn.Status.Conditions, phases.NodeDegraded))
		}
	})
}

// After a restart of the daemon, the phases that it reports are False, and their messages name the update that they
// belong to. A step that was not required names no update: it has no action.
func TestPrefixOfARestartAndOfAStepThatIsNotRequired(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	f.annotate(oldConfig, newConfig)
	f.report(t, phases.Updated, metav1.ConditionFalse)
	f.report(t, phases.UpdatePrepared, metav1.ConditionTrue)
	f.NotRequired(t.Context(), phases.Cordoned, "Cordon is not required")
	f.report(t, phases.Resumed, metav1.ConditionTrue)
	f.annotate(newConfig, newConfig)
	f.report(t, phases.Updated, metav1.ConditionTrue)
	assert.Equal(t, "Cordon is not required", f.condition(t, phases.Cordoned).Message)

	restarted := f.another(t)
	for _, p := range []phases.Phase{phases.Resumed, phases.Uncordoned, phases.UpdateComplete} {
		restarted.report(t, p, metav1.ConditionTrue)
		c := f.condition(t, p)
		assert.Equal(t, metav1.ConditionFalse, c.Status)
		assert.Equal(t, "Action during update to "+newConfig+": about "+string(p), c.Message)
	}
	f.requests()
	restarted.report(t, phases.Resumed, metav1.ConditionTrue)
	assert.Empty(t, f.requests(), "a repeat")
}
