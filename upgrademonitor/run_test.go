package upgrademonitor_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

const checkInterval = 5 * time.Minute // of a repeat

// inBubble runs a test in which time passes at once.
func inBubble(t *testing.T, test func(t *testing.T, run func(func(context.Context) error))) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		defer pass(2 * time.Minute) // a request may outlive Run by a minute
		defer cancel()
		test(t, func(run func(context.Context) error) { go func() { assert.NoError(t, run(ctx)) }() })
	})
}

// pass lets time pass until everything that waits for it is done.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// Run writes what is pending, be it accepted before Run or during it, and retries with backoff.
func TestRunWritesWhatIsPending(t *testing.T) {
	for _, before := range []bool{false, true} {
		inBubble(t, func(t *testing.T, run func(func(context.Context) error)) {
			f := newFixture(t)
			f.reportUpdated(t)
			down := f.outage(errDown)
			if !before {
				run(f.Run)
			}
			require.NoError(t, f.tryReport(t, phases.Drained, metav1.ConditionUnknown))
			if before {
				run(f.Run)
			}
			pass(time.Hour)
			assert.Less(t, len(f.requests()), 3600/15, "with backoff, at least every 30 s, less jitter")
			down.Store(false)
			pass(time.Minute)
			assert.Equal(t, metav1.ConditionUnknown, f.condition(t, phases.Drained).Status)
			f.requests()
			pass(time.Hour)
			assert.Empty(t, f.requests(), "nothing is pending")
		})
	}
}

// If one of two Runs ends, the other writes what is pending.
func TestTwoRuns(t *testing.T) {
	inBubble(t, func(t *testing.T, run func(func(context.Context) error)) {
		f := newFixture(t)
		f.reportUpdated(t)
		first, end := context.WithCancel(t.Context())
		go func() { _ = f.Run(first) }()
		run(f.Run)
		down := f.outage(errDown)
		require.NoError(t, f.tryReport(t, phases.Drained, metav1.ConditionUnknown))
		pass(time.Minute)
		end()
		down.Store(false)
		pass(time.Minute)
		assert.Equal(t, metav1.ConditionUnknown, f.condition(t, phases.Drained).Status)
	})
}

// Flush tries until everything is written, or its context ends.
func TestFlush(t *testing.T) {
	inBubble(t, func(t *testing.T, _ func(func(context.Context) error)) {
		f := newFixture(t)
		f.reportUpdated(t)
		down := f.outage(errDown)
		require.NoError(t, f.tryReport(t, phases.Drained, metav1.ConditionUnknown))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := f.Flush(ctx)
		require.ErrorIs(t, err, upgrademonitor.ErrPending)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.True(t, apierrors.IsServiceUnavailable(err), "the cause: %v", err)
		time.AfterFunc(time.Minute, func() { down.Store(false) })
		require.NoError(t, f.Flush(t.Context()))
		assert.Equal(t, metav1.ConditionUnknown, f.condition(t, phases.Drained).Status)
	})
}

// Flush does not hide that a report was dropped, and the log has it.
func TestFlushOfAReportThatIsDropped(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	down := f.outage(errDown)
	require.NoError(t, f.tryReport(t, phases.Drained, metav1.ConditionUnknown))
	require.NoError(t, f.tryReport(t, phases.Cordoned, metav1.ConditionUnknown))
	down.Store(false)
	f.failing("patch", apierrors.NewInvalid(kind, nodeName, nil))
	var log logLines
	err := f.Flush(log.context(t.Context()))
	assert.True(t, apierrors.IsInvalid(err), "%v", err)
	require.NotErrorIs(t, err, upgrademonitor.ErrPending)
	assert.Contains(t, strings.Join(log.take(), ""), "Dropped an accepted change")
	assert.Equal(t, metav1.ConditionUnknown, f.condition(t, phases.Cordoned).Status, "the rest is written")
	require.NoError(t, f.Flush(t.Context()))
}

// Without a Lister, a repeat causes one read per CheckInterval, which finds that the object was
// deleted or overwritten.
func TestRepeatIsCheckedOnceInAWhile(t *testing.T) {
	inBubble(t, func(t *testing.T, _ func(func(context.Context) error)) {
		f := newFixture(t)
		f.reportUpdated(t)
		f.report(t, phases.Updated, metav1.ConditionTrue)
		require.Empty(t, f.requests())
		pass(checkInterval)
		f.report(t, phases.Updated, metav1.ConditionTrue)
		assert.Equal(t, []string{"get"}, f.requests(), "the one request that a repeat may cost")
		f.report(t, phases.Updated, metav1.ConditionTrue)
		assert.Empty(t, f.requests())

		before := f.condition(t, phases.Updated)
		f.delete(t)
		pass(checkInterval)
		f.report(t, phases.Updated, metav1.ConditionTrue)
		assert.Equal(t, before, f.condition(t, phases.Updated), "it exists again, with its status")
	})
}

// With a Lister, an object that was deleted is created again by the next call, and by Run, with its
// status; not if its Node was deleted, too.
func TestDeletedObject(t *testing.T) {
	for name, tc := range map[string]struct {
		by          func(t *testing.T, f *fixture, run func(func(context.Context) error))
		nodeDeleted bool
		want        []string
	}{
		"the next call": {func(t *testing.T, f *fixture, _ func(func(context.Context) error)) {
			f.report(t, phases.Updated, metav1.ConditionTrue)
		},
			false, []string{"get", "create", "patch/status"}},
		"Run":                   {func(_ *testing.T, f *fixture, run func(func(context.Context) error)) { run(f.Run) }, false, []string{"get", "create", "patch/status"}},
		"Run, without its Node": {func(_ *testing.T, f *fixture, run func(func(context.Context) error)) { run(f.Run) }, true, nil},
		"Run, down at first": {func(_ *testing.T, f *fixture, run func(func(context.Context) error)) {
			f.failing("create", errDown, errDown)
			run(f.Run)
		}, false, nil},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, run func(func(context.Context) error)) {
				indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
				f := newFixture(t, withLister(indexer))
				f.reportUpdated(t)
				before := f.object(t).Status
				f.show(t, indexer, "1")
				f.report(t, phases.Updated, metav1.ConditionTrue)
				require.Empty(t, f.requests())

				f.delete(t)
				require.NoError(t, indexer.Replace(nil, "2"))
				if tc.nodeDeleted {
					f.nodeErr = apierrors.NewNotFound(corev1.Resource("nodes"), nodeName)
				}
				tc.by(t, f, run)
				pass(time.Minute)
				if tc.nodeDeleted {
					assert.Empty(t, f.requests())
					return
				}
				if tc.want != nil {
					assert.Equal(t, tc.want, f.requests())
				}
				assert.Equal(t, before, f.object(t).Status)
			})
		})
	}
}

// The object of a Node that was deleted and created again starts without a status.
func TestStatusOfAnotherNodeIsNotRestored(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	f.report(t, phases.NodeDegraded, metav1.ConditionTrue)
	f.delete(t)
	f.node = f.node.DeepCopy()
	f.node.UID = "another"
	f.failing("patch", notFound)
	f.report(t, phases.Resumed, metav1.ConditionTrue)
	assert.Equal(t, metav1.ConditionFalse, f.condition(t, phases.NodeDegraded).Status)
}

// What the object of the Node before was, neither refuses nor repeats what is reported of this one.
func TestReportsOfANodeThatWasCreatedAgain(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	f.annotate(oldConfig, newConfig)
	f.report(t, phases.Updated, metav1.ConditionFalse)
	f.report(t, phases.Drained, metav1.ConditionUnknown)
	f.delete(t)
	f.node = f.node.DeepCopy()
	f.node.UID = "another"
	f.report(t, phases.Drained, metav1.ConditionFalse)
	assert.Equal(t, "about Drained", f.condition(t, phases.Drained).Message)
	f.delete(t)
	f.node = f.node.DeepCopy()
	f.node.UID = "a third"
	f.report(t, phases.Drained, metav1.ConditionFalse)
	assert.Equal(t, "about Drained", f.condition(t, phases.Drained).Message)
}

// A policy that allows one transition per write denies restoring a status: the object starts again.
func TestStatusThatMayNotBeRestored(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	f.report(t, phases.NodeDegraded, metav1.ConditionTrue)
	f.delete(t)
	f.failing("patch", notFound, apierrors.NewForbidden(resource, nodeName, errors.New("one transition per write")))
	var log logLines
	require.NoError(t, f.GenerateAndApplyMachineConfigNode(log.context(t.Context()), phases.Resumed, "R", "", metav1.ConditionTrue))
	assert.Equal(t, metav1.ConditionTrue, f.condition(t, phases.Resumed).Status)
	assert.Equal(t, metav1.ConditionFalse, f.condition(t, phases.NodeDegraded).Status)
	assert.Len(t, log.take(), 1)
}

// A spec that cannot be written is logged once, does not keep the status from being written, and is
// tried again by a later write and by Run, as the Node is then.
func TestSpecThatCannotBeWritten(t *testing.T) {
	inBubble(t, func(t *testing.T, run func(func(context.Context) error)) {
		f := newFixture(t)
		f.reportUpdated(t)
		var denied atomic.Bool
		denied.Store(true)
		var tried atomic.Int32
		f.clientset.PrependReactor("patch", "*", func(a clienttesting.Action) (bool, runtime.Object, error) {
			if a.GetSubresource() != "" {
				return false, nil, nil
			}
			tried.Add(1)
			return denied.Load(), nil, apierrors.NewForbidden(resource, nodeName, errors.New("RBAC"))
		})
		f.annotate(oldConfig, newConfig)
		var log logLines
		ctx := log.context(t.Context())
		require.Error(t, f.GenerateAndApplyMachineConfigNodeSpec(ctx), "why it is not written")
		require.NoError(t, f.GenerateAndApplyMachineConfigNode(ctx, phases.Updated, "Updated", "", metav1.ConditionFalse))
		assert.Equal(t, metav1.ConditionUnknown, f.condition(t, phases.UpdatePrepared).Status)
		f.report(t, phases.NodeDegraded, metav1.ConditionTrue)
		assert.EqualValues(t, 1, tried.Load(), "not again for 10 s")
		assert.Len(t, log.take(), 1)

		pass(10 * time.Second)
		f.report(t, phases.NodeDegraded, metav1.ConditionFalse)
		assert.EqualValues(t, 2, tried.Load(), "with a later write")
		run(f.Run)
		denied.Store(false)
		pass(time.Minute)
		assert.Equal(t, newConfig, f.object(t).Spec.ConfigVersion.Desired)
	})
}

// A CRD without configImage drops the images without an error: they are left out for a while, with
// one warning, and the rest is reported.
func TestCRDWithoutImages(t *testing.T) {
	inBubble(t, func(t *testing.T, _ func(func(context.Context) error)) {
		on, missing := true, true
		f := newFixture(t, inImageMode(&on))
		f.annotateImages(oldImage, oldImage)
		f.clientset.PrependReactor("*", "*", func(a clienttesting.Action) (bool, runtime.Object, error) {
			for _, r := range f.clientset.ReactionChain[1:] {
				if handled, object, err := r.React(a); r.Handles(a) && handled {
					if mcn, ok := object.(*mcfgv1.MachineConfigNode); ok && missing && err == nil {
						mcn.Spec.ConfigImage, mcn.Status.ConfigImage = mcfgv1.MachineConfigNodeSpecConfigImage{}, images("", "")
						_ = f.clientset.Tracker().Update(a.GetResource(), mcn, "")
					}
					return true, object, err
				}
			}
			return false, nil, nil
		})
		var log logLines
		report := func(p phases.Phase) {
			require.NoError(t, f.GenerateAndApplyMachineConfigNode(log.context(t.Context()), p, string(p), "about "+string(p), metav1.ConditionTrue))
		}
		for range 3 {
			report(phases.Updated)
			report(phases.Resumed)
		}
		assert.Equal(t, metav1.ConditionTrue, f.condition(t, phases.Updated).Status)
		assert.Len(t, log.take(), 1)
		missing = false
		pass(checkInterval)
		report(phases.Updated)
		assert.Equal(t, images(oldImage, oldImage), f.object(t).Status.ConfigImage)
		assert.Len(t, log.take(), 1, "it is over")
	})
}

// Monitors.Run does for all what Run does for one, and a second one takes over.
func TestMonitorsRun(t *testing.T) {
	inBubble(t, func(t *testing.T, run func(func(context.Context) error)) {
		indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
		f := newFixture(t)
		config := upgrademonitor.Config{Client: f.clientset}
		withLister(indexer)(&config)
		monitors, err := upgrademonitor.NewMonitors(config, func(string) (*corev1.Node, error) { return f.node, f.nodeErr })
		require.NoError(t, err)
		first, end := context.WithCancel(t.Context())
		go func() { _ = monitors.Run(first) }()
		synctest.Wait()
		run(monitors.Run)

		down := f.outage(errDown)
		monitors.For(nodeName).Report(t.Context(), phases.Drained, "draining", metav1.ConditionUnknown)
		pass(time.Minute)
		down.Store(false)
		pass(time.Minute)
		assert.Equal(t, metav1.ConditionUnknown, f.condition(t, phases.Drained).Status)
		end()

		down.Store(true)
		monitors.For(nodeName).Report(t.Context(), phases.Drained, "drained", metav1.ConditionTrue)
		pass(time.Minute)
		down.Store(false)
		pass(time.Minute)
		assert.Equal(t, metav1.ConditionTrue, f.condition(t, phases.Drained).Status)
		require.NoError(t, monitors.Flush(t.Context()))

		f.show(t, indexer, "1")
		monitors.For(nodeName).Report(t.Context(), phases.Drained, "drained", metav1.ConditionTrue)
		before := f.object(t).Status
		f.delete(t)
		require.NoError(t, indexer.Replace(nil, "2"))
		pass(time.Minute)
		assert.Equal(t, before, f.object(t).Status)
	})
}
