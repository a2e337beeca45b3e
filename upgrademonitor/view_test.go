package upgrademonitor_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfglisters "github.com/openshift/client-go/machineconfiguration/listers/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apiserver"
)

// lister is a Lister that returns what a test sets.
type lister struct {
	mcfglisters.MachineConfigNodeLister

	mu  sync.Mutex // guards get: the Monitor lists between calls
	get func() (*mcfgv1.MachineConfigNode, error)
}

func (l *lister) Get(name string) (*mcfgv1.MachineConfigNode, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.get == nil {
		return nil, apiserver.NotFound(name)
	}
	return l.get()
}

// returns makes the Lister return the result of a function, or no object.
func (l *lister) returns(get func() (*mcfgv1.MachineConfigNode, error)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.get = get
}

// show makes the Lister return an object.
func (l *lister) show(mcn *mcfgv1.MachineConfigNode) {
	l.returns(func() (*mcfgv1.MachineConfigNode, error) { return mcn, nil })
}

func (l *lister) use(c *upgrademonitor.Config) { c.Lister = l }

func TestTheStatusFollowsTheNodeWithoutAReport(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.starts(t, newConfig)
		f.report(t, phases.UpdatePrepared, metav1.ConditionTrue)
		f.report(t, phases.Updated, metav1.ConditionTrue) // the informer is out of date
		assert.Equal(t, oldConfig, f.object().Status.ConfigVersion.Current)
		before := f.object().Status.Conditions
		f.annotate(newConfig, newConfig)
		f.requests()
		pass(10*time.Second - time.Millisecond)
		assert.Empty(t, f.requests())
		pass(time.Millisecond)
		assert.Equal(t, []string{"patch/status"}, f.requests())
		assert.Equal(t, newConfig, f.object().Status.ConfigVersion.Current)
		assert.Equal(t, before, f.object().Status.Conditions)

		f.fails(errDown)
		f.annotate(oldConfig, newConfig)
		pass(time.Minute)
		_, accepted := f.Pending()
		require.NotZero(t, accepted)
		f.annotate(oldConfig, oldConfig)
		pass(time.Hour)
		n, since := f.Pending()
		assert.Equal(t, 1, n)
		assert.Equal(t, accepted, since, "Pending returns the time of the first change of the Node")
		f.fails(nil)
		f.annotate(newConfig, newConfig)
		pass(time.Minute)
		assert.Equal(t, newConfig, f.object().Status.ConfigVersion.Current)
	})
}

// If two processes see different Nodes, and each sees the writes of the other, neither writes its configs again and again.
func TestTwoProcessesWithDifferentNodesDoNotOverwriteEachOtherForever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		live := &lister{get: func() (*mcfgv1.MachineConfigNode, error) {
			if mcn := s.object(); mcn != nil {
				return mcn, nil
			}
			return nil, apiserver.NotFound(nodeName)
		}}
		for _, current := range []string{oldConfig, newConfig} {
			f := newProcess(t, s, annotated(current, newConfig), live.use)
			f.ReportDegraded(t.Context(), errDown)
			f.ReportDegraded(t.Context(), nil)
		}
		pass(time.Minute)
		s.requests()
		pass(time.Hour)
		assert.Empty(t, s.requests())
	})
}

// A deleted object is created by the next call or, if the Lister has shown the object, without a call. It is not created
// while the Node does not exist or is not provisioned.
func TestADeletedObjectIsCreatedAgain(t *testing.T) {
	gone := apierrors.NewNotFound(corev1.Resource("nodes"), nodeName)
	for name, tc := range map[string]struct {
		change func(*fixture)
		call   bool
		want   []string
	}{
		"a call creates it again":              {func(*fixture) {}, true, []string{"get", "create", "patch/status"}},
		"a look creates it again":              {func(*fixture) {}, false, []string{"get", "create", "patch/status"}},
		"the Node is deleted":                  {func(f *fixture) { f.viewFails(gone) }, false, nil},
		"the Node cannot be read for a minute": {func(f *fixture) { f.viewFails(gone); pass(time.Minute); f.viewFails(nil) }, false, []string{"get", "create", "patch/status"}},
		"the Node is not provisioned":          {func(f *fixture) { f.becomes(func(n *corev1.Node) { n.Status.Phase = corev1.NodePending }) }, false, nil},
		"the first creations fail":             {func(f *fixture) { f.failing("create", errDown, errDown) }, false, []string{"get", "create", "get", "create", "get", "create", "patch/status"}},
	} {
		t.Run(name, func(t *testing.T) {
			var cache lister
			inBubble(t, func(t *testing.T, f *fixture) {
				cache.show(f.object())
				f.report(t, phases.Updated, metav1.ConditionTrue)
				require.Empty(t, f.requests())
				f.Remove(nodeName)
				cache.returns(nil)
				tc.change(f)
				if tc.call {
					f.report(t, phases.NodeDegraded, metav1.ConditionTrue)
				}
				pass(time.Minute)
				assert.Equal(t, tc.want, f.requests())
				if tc.call {
					assert.Equal(t, metav1.ConditionFalse, f.status(phases.Updated), "the status of the new object starts from the defaults")
				}
			}, cache.use)
		})
	}
}

// While Config.Node fails, no object is created, because the Node may not exist.
func TestNoObjectIsCreatedWhileConfigNodeFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.fails(errDown)
		f.queues(t, phases.Updated, metav1.ConditionTrue)
		f.viewFails(errDown)
		f.fails(nil)
		pass(time.Minute)
		assert.Nil(t, f.object())
	})
}

// Flush also waits in a new process, and after the object was deleted. If Config.Node fails, Flush returns the error.
func TestFlushWaitsUntilTheStatusHasTheConfigOfTheNode(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		restarted := f.another(t)
		restarted.annotate(newConfig, newConfig)
		require.NoError(t, restarted.Flush(t.Context()))
		assert.Equal(t, newConfig, f.object().Status.ConfigVersion.Current)
		restarted.Remove(nodeName)
		restarted.annotate(thirdConfig, thirdConfig)
		require.NoError(t, restarted.Flush(t.Context()))
		assert.Equal(t, thirdConfig, f.object().Status.ConfigVersion.Current)
		cold := errors.New("cache is cold")
		restarted.viewFails(cold)
		err := restarted.Flush(t.Context())
		require.ErrorIs(t, err, upgrademonitor.ErrPending)
		require.ErrorIs(t, err, cold)
	})
}

func TestAFailureOfConfigNodeInOneCallDoesNotBlockAnotherCall(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.Remove(nodeName)
		f.takes(time.Second)
		go func() { assert.NoError(t, f.tryReport(t, phases.Resumed, metav1.ConditionTrue)) }()
		synctest.Wait()
		f.viewFails(errors.New("cache is cold"))
		require.Error(t, f.tryReport(t, phases.Drained, metav1.ConditionTrue))
		f.viewFails(nil)
		pass(8 * time.Second) // the next look comes later
		assert.Equal(t, metav1.ConditionTrue, f.status(phases.Resumed))
	})
}

// If Config.Pool does not know the pool, the spec keeps its pool. A new object gets the pool NotYetSet.
func TestAnObjectKeepsItsPoolIfThePoolIsNotKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		noPool := func(c *upgrademonitor.Config) {
			c.Pool = func(*corev1.Node) (string, error) { return "", nil }
		}
		f := newUpdated(t)
		f.annotate(oldConfig, newConfig)
		require.NoError(t, f.another(t, noPool).syncSpec(t))
		assert.Equal(t, newConfig, f.desired())
		assert.Equal(t, "worker", f.object().Spec.Pool.Name)
		f = newUpdated(t, noPool)
		assert.Equal(t, upgrademonitor.NotYetSet, f.object().Spec.Pool.Name)
		assert.Empty(t, f.log.take(), "an unknown pool is no failure")
	})
}

func TestAListerThatHasNotSyncedCostsOneReadPerRepeat(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		for _, isSynced := range []bool{false, true} {
			var cache lister
			if isSynced {
				cache.show(f.object())
			}
			restarted := f.another(t, cache.use)
			restarted.report(t, phases.NodeDegraded, metav1.ConditionTrue)
			assert.Equal(t, []string{"get", "patch/status"}, f.requests(), "a new process reads the object before its first write")
			restarted.report(t, phases.NodeDegraded, metav1.ConditionTrue)
			if !isSynced {
				assert.Equal(t, []string{"get"}, f.requests(), "without a synced Lister, each repeat reads the object")
			}
			assert.Empty(t, f.requests())
			restarted.report(t, phases.NodeDegraded, metav1.ConditionFalse)
			assert.Equal(t, []string{"patch/status"}, f.requests())
			assert.Equal(t, metav1.ConditionFalse, f.status(phases.NodeDegraded))
		}
	})
}

// If two looks overlap, the newest Node is used: the Node with the higher resourceVersion or, without resourceVersions, the
// Node of the look that started later.
func TestTheNewestNodeWinsWhateverLookEndsLast(t *testing.T) {
	for name, late := range map[string]func(*testing.T, *fixture){
		"Flush":    func(t *testing.T, f *fixture) { assert.NoError(t, f.Flush(t.Context())) },
		"a report": func(t *testing.T, f *fixture) { f.report(t, phases.NodeDegraded, metav1.ConditionTrue) },
		"the spec": func(t *testing.T, f *fixture) { assert.NoError(t, f.syncSpec(t)) },
	} {
		for _, versions := range [][2]string{{"", ""}, {"5", "6"}} {
			t.Run(name+versions[0], func(t *testing.T) {
				inBubble(t, func(t *testing.T, f *fixture) {
					f.becomes(func(n *corev1.Node) { n.ResourceVersion = versions[0] })
					old := make(chan struct{})
					f.calls(func() { f.calls(nil); <-old }) // the first look has read the old Node
					go late(t, f)
					synctest.Wait()
					f.annotate(newConfig, newConfig)
					f.becomes(func(n *corev1.Node) { n.ResourceVersion = versions[1] })
					f.report(t, phases.Updated, metav1.ConditionTrue)
					require.NoError(t, f.Flush(t.Context()))
					close(old)
					synctest.Wait()
					assert.Equal(t, newConfig, f.object().Status.ConfigVersion.Current)
					assert.Equal(t, name == "the spec", f.desired() == newConfig)
				})
			})
		}
	}
}

func TestALookThatStartedLaterHasTheNewerNodeIfTheNodeHasNoResourceVersion(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		flush := func() { assert.NoError(t, f.Flush(t.Context())) }
		first, second := make(chan struct{}), make(chan struct{})
		f.calls(func() { f.calls(func() { f.calls(nil); <-second }); <-first })
		go flush() // reads the old Node
		synctest.Wait()
		f.annotate(newConfig, newConfig)
		go flush()
		synctest.Wait()
		close(first)
		synctest.Wait()
		close(second)
		synctest.Wait()
		assert.Equal(t, newConfig, f.object().Status.ConfigVersion.Current)
	})
}

func TestALookThatStartedFirstMayReadTheNewestNode(t *testing.T) {
	var held atomic.Pointer[chan struct{}]
	var f *fixture
	synctest.Test(t, func(t *testing.T) {
		f = newFixture(t, func(c *upgrademonitor.Config) {
			c.Node = func() (*corev1.Node, error) {
				if hold := held.Swap(nil); hold != nil {
					<-*hold
				}
				return f.view()
			}
		})
		f.becomes(func(n *corev1.Node) { n.ResourceVersion = "5" })
		f.report(t, phases.Updated, metav1.ConditionTrue)
		hold := make(chan struct{})
		held.Store(&hold)
		go func() { assert.NoError(t, f.Flush(t.Context())) }()
		synctest.Wait()
		f.report(t, phases.NodeDegraded, metav1.ConditionTrue) // a second look, with the old Node
		f.annotate(newConfig, newConfig)
		f.becomes(func(n *corev1.Node) { n.ResourceVersion = "6" })
		close(hold)
		synctest.Wait()
		assert.Equal(t, newConfig, f.object().Status.ConfigVersion.Current)
	})
}

// After etcd was restored from a backup, a Node with a lower resourceVersion is newer if its look started later.
func TestALowerResourceVersionAfterARestoreIsANewerNode(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.becomes(func(n *corev1.Node) { n.ResourceVersion = "9" })
		f.report(t, phases.Drained, metav1.ConditionUnknown)
		f.becomes(func(n *corev1.Node) { n.ResourceVersion = "5" })
		f.annotate(newConfig, newConfig)
		require.NoError(t, f.Flush(t.Context()))
		assert.Equal(t, newConfig, f.object().Status.ConfigVersion.Current)
	})
}

// A Lister that returns an error, no result or another object is ignored. One line is logged when it fails, and one when it
// works again, even if it does not find the object.
func TestAListerThatFailsIsIgnored(t *testing.T) {
	var cache lister
	inBubble(t, func(t *testing.T, f *fixture) {
		another := f.object()
		another.Name, another.ResourceVersion, another.Status.Conditions = "worker-1", "99", nil
		for _, ignored := range []func() (*mcfgv1.MachineConfigNode, error){
			func() (*mcfgv1.MachineConfigNode, error) { return nil, errDown },
			func() (*mcfgv1.MachineConfigNode, error) { return nil, nil },
			func() (*mcfgv1.MachineConfigNode, error) { return another, nil },
		} {
			cache.show(f.object())
			pass(30 * time.Second)
			f.log.take()
			cache.returns(ignored)
			f.report(t, phases.Updated, metav1.ConditionTrue)
			pass(30 * time.Second)
			assertLines(t, []string{"Ignoring the Lister"}, f.log.take())
			assert.Empty(t, f.requests(), "an object that a failing Lister does not return was not deleted")
			cache.returns(nil) // the Lister works, but does not find the object
			pass(30 * time.Second)
			assertLines(t, []string{"works again"}, f.log.take())
			f.requests()
		}
	}, cache.use)
}
