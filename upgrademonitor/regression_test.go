package upgrademonitor_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	mcfglisters "github.com/openshift/client-go/machineconfiguration/listers/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// outage makes every request fail while it is on.
func (f *fixture) outage(err error) *atomic.Bool {
	var on atomic.Bool
	on.Store(true)
	f.clientset.PrependReactor("*", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
		return on.Load(), nil, err
	})
	return &on
}

var errDown = apierrors.NewServiceUnavailable("down")

// "A call validates and accepts (or refuses) at once against what the Monitor knows."
func TestRefusedAtOnceInAnOutage(t *testing.T) {
	f := newFixture(t)
	f.settle(t)
	f.outage(errDown)
	require.ErrorIs(t, f.tell(t, phases.Drained, metav1.ConditionUnknown), upgrademonitor.ErrPending)
	err := f.tell(t, phases.Drained, metav1.ConditionFalse) // Unknown to False: refused
	var refused *phases.TransitionError
	assert.ErrorAs(t, err, &refused)
	assert.NotErrorIs(t, err, upgrademonitor.ErrPending, "it says that it will be written, and it will be dropped")
}

// A chatty retry loop in an outage makes later steps be lost.
func TestChattyRetryLoopLosesNoStep(t *testing.T) {
	f := newFixture(t)
	f.settle(t)
	down := f.outage(errDown)
	f.annotate(oldConfig, newConfig)
	for range 300 { // a sync loop repeats it
		_ = f.tell(t, phases.Updated, metav1.ConditionFalse)
	}
	err := f.tell(t, phases.UpdatePrepared, metav1.ConditionTrue)
	assert.NotErrorIs(t, err, upgrademonitor.ErrTooMuchPending)
	down.Store(false)
	require.NoError(t, f.Flush(t.Context()))
	assert.Equal(t, metav1.ConditionTrue, f.condition(t, phases.UpdatePrepared).Status)
}

// "one Monitor safe for any number of goroutines"
func TestManyGoroutinesOnAHealthyServer(t *testing.T) {
	f := newFixture(t)
	f.settle(t)
	f.clientset.PrependReactor("patch", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
		<-time.After(5 * time.Millisecond) // a server takes its time
		return false, nil, nil
	})
	var wg sync.WaitGroup
	var refused atomic.Int32
	for i := range 400 {
		wg.Go(func() {
			if errors.Is(f.ReportDegraded(context.Background(), fmt.Errorf("cause %d", i)), upgrademonitor.ErrTooMuchPending) {
				refused.Add(1)
			}
		})
	}
	wg.Wait()
	assert.Zero(t, refused.Load(), "reports not accepted by a Monitor on a healthy server")
}

// Thinning keeps what decides the parent.
func thinFinal(t *testing.T, outage bool, steps func(f *fixture)) []metav1.Condition {
	f := newFixture(t)
	f.settle(t)
	f.annotate(oldConfig, newConfig)
	f.report(t, phases.Updated, metav1.ConditionFalse)
	f.report(t, phases.UpdatePrepared, metav1.ConditionTrue)
	var down *atomic.Bool
	if outage {
		down = f.outage(errDown)
		_ = f.ReportDegraded(t.Context(), errors.New("head"))
	}
	steps(f)
	for i := range 80 {
		_ = f.ReportDegraded(t.Context(), fmt.Errorf("cause %d", i))
	}
	_ = f.tell(t, phases.Resumed, metav1.ConditionTrue)
	if down != nil {
		down.Store(false)
	}
	require.NoError(t, f.Flush(t.Context()))
	return f.object(t).Status.Conditions
}

func TestThinningKeepsACompletedParent(t *testing.T) {
	steps := func(f *fixture) {
		_ = f.GenerateAndApplyMachineConfigNode(t.Context(), phases.AppliedFilesAndOS, "A", "a", metav1.ConditionTrue, upgrademonitor.CompletesParent())
		_ = f.GenerateAndApplyMachineConfigNode(t.Context(), phases.AppliedFilesAndOS, "A", "a, and more", metav1.ConditionTrue)
	}
	want, got := thinFinal(t, false, steps), thinFinal(t, true, steps)
	assert.Equal(t, conditions.StatusOf(want, phases.UpdateExecuted), conditions.StatusOf(got, phases.UpdateExecuted))
}

func TestThinningClaimsNothingDone(t *testing.T) {
	steps := func(f *fixture) {
		for _, s := range []struct {
			p phases.Phase
			s metav1.ConditionStatus
		}{{phases.Drained, "True"}, {phases.UpdateExecuted, "True"}, {phases.Drained, "Unknown"}, {phases.Drained, "True"}} {
			_ = f.tell(t, s.p, s.s)
		}
	}
	want, got := thinFinal(t, false, steps), thinFinal(t, true, steps)
	assert.Equal(t, conditions.StatusOf(want, phases.UpdateExecuted), conditions.StatusOf(got, phases.UpdateExecuted))
}

const (
	imageA = "quay.io/mco/os@sha256:1111111111111111111111111111111111111111111111111111111111111111"
	imageB = "quay.io/mco/os@sha256:2222222222222222222222222222222222222222222222222222222222222222"
)

func (f *fixture) images(current, desired string) {
	f.node = f.node.DeepCopy()
	f.node.Annotations[upgrademonitor.CurrentImageAnnotation] = current
	f.node.Annotations[upgrademonitor.DesiredImageAnnotation] = desired
}

func setImageMode(c *upgrademonitor.Config) { c.ImageMode = func() bool { return true } }

// another is a Monitor in another process (or after a restart) on the same object.
func (f *fixture) another(t *testing.T, change ...func(*upgrademonitor.Config)) *fixture {
	t.Helper()
	g := *f
	config := upgrademonitor.Config{Client: f.clientset, NodeName: nodeName, Node: func() (*corev1.Node, error) { return g.node, nil }, Clock: f.clock}
	for _, c := range change {
		c(&config)
	}
	var err error
	g.Monitor, err = upgrademonitor.New(config)
	require.NoError(t, err)
	return &g
}

// The prefix names the image after a reboot too, when the daemon is another process.
func TestImagePrefixAfterReboot(t *testing.T) {
	f := newFixture(t, setImageMode)
	f.images(imageA, imageA)
	f.settle(t)
	f.images(imageA, imageB)
	f.report(t, phases.Updated, metav1.ConditionFalse)
	f.report(t, phases.UpdatePrepared, metav1.ConditionTrue)
	f.report(t, phases.AppliedOSImage, metav1.ConditionTrue)
	f.report(t, phases.RebootedNode, metav1.ConditionUnknown)
	g := f.another(t, setImageMode)
	g.images(imageB, imageB) // the daemon sets currentImage, then reports
	g.report(t, phases.Resumed, metav1.ConditionTrue)
	g.report(t, phases.Updated, metav1.ConditionTrue)
	assert.Equal(t, "Action during update to "+imageB+": about AppliedOSImage", g.condition(t, phases.AppliedOSImage).Message)
}

// The prefix names the config where the object did not show the image yet.
func TestImagePrefixWhenOnlyTheConfigChanged(t *testing.T) {
	f := newFixture(t, setImageMode)
	f.images(imageA, imageA)
	f.annotate(oldConfig, newConfig)
	f.report(t, phases.Updated, metav1.ConditionFalse) // the first report ever
	f.report(t, phases.UpdatePrepared, metav1.ConditionTrue)
	f.report(t, phases.AppliedFiles, metav1.ConditionTrue)
	f.annotate(newConfig, newConfig)
	f.report(t, phases.Updated, metav1.ConditionTrue)
	assert.Equal(t, "Action during update to "+newConfig+": about AppliedFiles", f.condition(t, phases.AppliedFiles).Message)
}

// An image that the CRD cannot hold does not switch image mode off.
func TestInvalidImageIsNotDisabling(t *testing.T) {
	f := newFixture(t, setImageMode)
	f.images(imageA, imageA)
	f.settle(t)
	f.images(imageA, "quay.io/mco/os:latest")
	f.report(t, phases.Updated, metav1.ConditionFalse)
	f.report(t, phases.UpdatePrepared, metav1.ConditionTrue)
	f.report(t, phases.AppliedOSImage, metav1.ConditionTrue)
	f.report(t, phases.Updated, metav1.ConditionTrue)
	assert.NotContains(t, f.condition(t, phases.AppliedOSImage).Message, "disable image mode")
}

// loseAnswer lets the n-th patch from now through, and its answer be lost.
func (f *fixture) loseAnswer(n int) {
	f.clientset.PrependReactor("patch", "*", func(a clienttesting.Action) (bool, runtime.Object, error) {
		n--
		if n != 0 {
			return false, nil, nil
		}
		for _, r := range f.clientset.ReactionChain[1:] {
			if r.Handles(a) {
				if handled, _, err := r.React(a); handled {
					if err != nil {
						return true, nil, err
					}
					return true, nil, errors.New("connection reset")
				}
			}
		}
		return false, nil, nil
	})
}

// A begin that needs no write is remembered.
func TestBeginWithoutAWriteIsRemembered(t *testing.T) {
	const third = "rendered-worker-ccc"
	f := newFixture(t)
	f.settle(t)
	f.annotate(oldConfig, newConfig)
	f.report(t, phases.Updated, metav1.ConditionFalse)
	f.annotate(oldConfig, third) // the admin changed the pool while it was being prepared
	f.report(t, phases.Updated, metav1.ConditionFalse)
	f.report(t, phases.Cordoned, metav1.ConditionTrue)
	f.report(t, phases.Updated, metav1.ConditionFalse) // the retry loop: same target
	assert.Equal(t, metav1.ConditionTrue, f.condition(t, phases.Cordoned).Status, "a repeat for the same target changes no status")
}

// So is one whose answer is lost.
func TestAnswerToABeginLost(t *testing.T) {
	const third = "rendered-worker-ccc"
	f := newFixture(t)
	f.settle(t)
	f.annotate(oldConfig, newConfig)
	f.report(t, phases.Updated, metav1.ConditionFalse)
	f.annotate(oldConfig, third)
	f.loseAnswer(1)
	say := func() error {
		return f.GenerateAndApplyMachineConfigNode(t.Context(), phases.Updated, "Updated", "now for ccc", metav1.ConditionFalse)
	}
	require.ErrorIs(t, say(), upgrademonitor.ErrPending)
	require.NoError(t, f.Flush(t.Context()))
	f.report(t, phases.Cordoned, metav1.ConditionTrue)
	require.NoError(t, say())
	assert.Equal(t, metav1.ConditionTrue, f.condition(t, phases.Cordoned).Status, "a repeat for the same target changes no status")
}

// Its actions are said to be of it, and not of the update before.
func TestPrefixOfABeginWithoutAWrite(t *testing.T) {
	const third = "rendered-worker-ccc"
	f := newFixture(t)
	f.settle(t)
	f.annotate(oldConfig, newConfig)
	f.report(t, phases.Updated, metav1.ConditionFalse)
	f.annotate(oldConfig, third)
	f.report(t, phases.Updated, metav1.ConditionFalse)
	f.report(t, phases.UpdatePrepared, metav1.ConditionUnknown)
	f.report(t, phases.Updated, metav1.ConditionTrue)
	assert.Contains(t, f.condition(t, phases.UpdatePrepared).Message, third)
}

// A caller that repeats what is there does not get the error of another's report.
func TestNoopDoesNotGetAnothersError(t *testing.T) {
	f := newFixture(t)
	f.settle(t)
	inFlight, goOn := make(chan struct{}), make(chan struct{})
	var once sync.Once
	f.clientset.PrependReactor("patch", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
		once.Do(func() { close(inFlight) })
		<-goOn
		return true, nil, apierrors.NewInvalid(kind, nodeName, nil)
	})
	other := make(chan error)
	go func() {
		other <- f.ReportPinnedImageSets(context.Background(), []upgrademonitor.PinnedImageSet{{Name: "a", Generation: 1}})
	}()
	<-inFlight
	assert.NoError(t, f.tell(t, phases.Updated, metav1.ConditionTrue), "what is there already")
	close(goOn)
	assert.Error(t, <-other)
}

// A CRD that is not there yet is not asked for again and again.
func TestNoCRDFewRequests(t *testing.T) {
	f := newFixture(t)
	f.outage(apierrors.NewGenericServerResponse(404, "get", resource, "", "404 page not found", 0, true))
	_ = f.tell(t, phases.Updated, metav1.ConditionTrue)
	n := len(f.requests())
	assert.LessOrEqual(t, n, 2, "requests of one report")
}

// A typed nil is no panic.
func TestTypedNilErrorOfAnImageSet(t *testing.T) {
	f := newFixture(t, func(c *upgrademonitor.Config) { c.Timeout = 100 * time.Millisecond })
	f.settle(t)
	func() {
		defer func() { assert.Nil(t, recover(), "panic") }()
		var none *fs.PathError
		_ = f.ReportPinnedImageSets(t.Context(), []upgrademonitor.PinnedImageSet{{Name: "a", Generation: 1, Err: none}})
	}()
	next := make(chan error, 1)
	go func() { next <- f.ReportDegraded(context.Background(), errors.New("x")) }()
	select {
	case err := <-next:
		assert.NoError(t, err)
	case <-time.After(2 * time.Second):
		assert.Fail(t, "and every later call hangs")
	}
}

// An error counts as it was when it was reported.
func TestErrorTextOfAcceptance(t *testing.T) {
	f := newFixture(t)
	f.settle(t)
	down := f.outage(errDown)
	err := &changing{text: "as reported"}
	require.ErrorIs(t, f.ReportPinnedImageSets(t.Context(), []upgrademonitor.PinnedImageSet{{Name: "a", Generation: 1, Err: err}}), upgrademonitor.ErrPending)
	err.text = "changed later by its owner"
	down.Store(false)
	require.NoError(t, f.Flush(t.Context()))
	assert.Equal(t, "as reported", f.object(t).Status.PinnedImageSets[0].LastFailedGenerationError)
}

type changing struct{ text string }

func (c *changing) Error() string { return c.text }

// A 400 is no 422: it may be a proxy that answers.
func TestBadRequestIsNotForGood(t *testing.T) {
	f := newFixture(t)
	f.settle(t)
	f.failing("patch", apierrors.NewBadRequest("admission webhook \"x\" denied the request"))
	err := f.tell(t, phases.Drained, metav1.ConditionUnknown)
	assert.ErrorIs(t, err, upgrademonitor.ErrPending)
}

// 413 is for good
func TestTooLargeBlocksNothing(t *testing.T) {
	f := newFixture(t)
	f.settle(t)
	f.clientset.PrependReactor("patch", "*", func(a clienttesting.Action) (bool, runtime.Object, error) {
		if strings.Contains(string(a.(clienttesting.PatchAction).GetPatch()), `"name":"big"`) {
			return true, nil, apierrors.NewRequestEntityTooLargeError("limit is 3145728")
		}
		return false, nil, nil
	})
	_ = f.ReportPinnedImageSets(t.Context(), []upgrademonitor.PinnedImageSet{{Name: "big", Generation: 1}})
	assert.NoError(t, f.tell(t, phases.Drained, metav1.ConditionUnknown), "what is behind")
}

// Monitors.Run may be started anew before the last has returned.
func TestMonitorsRunHandover(t *testing.T) {
	client := mcfgfake.NewClientset()
	f := newFixture(t)
	ms, err := upgrademonitor.NewMonitors(upgrademonitor.Config{Client: client, Timeout: time.Second}, func(string) (*corev1.Node, error) { return f.node, nil })
	require.NoError(t, err)
	first, endFirst := context.WithCancel(t.Context())
	firstDone := make(chan struct{})
	go func() { _ = ms.Run(first); close(firstDone) }()
	<-time.After(50 * time.Millisecond)
	go func() { _ = ms.Run(t.Context()) }()
	<-time.After(50 * time.Millisecond)
	endFirst()
	<-firstDone
	m, err := ms.For(nodeName)
	require.NoError(t, err)
	var once sync.Once
	client.PrependReactor("get", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
		fail := false
		once.Do(func() { fail = true })
		return fail, nil, errDown
	})
	require.ErrorIs(t, m.GenerateAndApplyMachineConfigNode(t.Context(), phases.Updated, "Updated", "x", metav1.ConditionTrue), upgrademonitor.ErrPending)
	assert.Eventually(t, func() bool {
		_, err := client.MachineconfigurationV1().MachineConfigNodes().Get(t.Context(), nodeName, metav1.GetOptions{})
		return err == nil
	}, 2*time.Second, 20*time.Millisecond, "the Run that is running writes it")
}

// "one that ends later: accepted, ErrPending wraps it"
func TestPendingWrapsTheContextsError(t *testing.T) {
	f := newFixture(t)
	f.settle(t)
	f.clientset.PrependReactor("patch", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewConflict(resource, nodeName, errors.New("changed"))
	})
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	err := f.GenerateAndApplyMachineConfigNode(ctx, phases.Drained, "D", "d", metav1.ConditionUnknown)
	require.ErrorIs(t, err, upgrademonitor.ErrPending)
	require.Error(t, ctx.Err())
	assert.ErrorIs(t, err, context.DeadlineExceeded)
}

// A panic of the caller's function, recovered, leaves nothing locked.
func TestPanicOfPoolLocksNothing(t *testing.T) {
	var pools []string // the first call is beyond its end
	f := newFixture(t, func(c *upgrademonitor.Config) {
		c.Timeout = 200 * time.Millisecond
		c.Pool = func(*corev1.Node) (string, error) { return pools[0], nil }
	})
	func() {
		defer func() { _ = recover() }()
		_ = f.tell(t, phases.Updated, metav1.ConditionTrue)
	}()
	pools = []string{"worker"}
	assert.NoError(t, f.tell(t, phases.Updated, metav1.ConditionTrue))
}

// A refusal is not decided on what an informer shows before anything was read.
func TestFirstDecisionFromTheCache(t *testing.T) {
	f := newFixture(t)
	f.node.Annotations = nil
	f.settle(t)
	f.report(t, phases.Drained, metav1.ConditionUnknown) // an update by hand
	stale := f.object(t)
	f.report(t, phases.Updated, metav1.ConditionTrue) // it is over; the informer is behind
	g := f.another(t, func(c *upgrademonitor.Config) { c.Lister = listerOf(stale) })
	g.clientset.ClearActions()
	err := g.tell(t, phases.Drained, metav1.ConditionFalse)
	assert.NoError(t, err, "decided without a read: %v", g.requests())
}

// The controller may not write its status during an update (403), and may after it.
func TestLatePendingReportBeginsNoDisruption(t *testing.T) {
	f := newFixture(t)
	f.settle(t)
	f.annotate(oldConfig, newConfig)
	f.report(t, phases.Updated, metav1.ConditionFalse)
	f.report(t, phases.UpdatePrepared, metav1.ConditionTrue)
	g := f.another(t)
	forbidden := apierrors.NewForbidden(resource, nodeName, errors.New("RBAC"))
	f.failing("patch", forbidden)
	require.ErrorIs(t, g.tell(t, phases.Drained, metav1.ConditionTrue), upgrademonitor.ErrPending)
	f.report(t, phases.AppliedFilesAndOS, metav1.ConditionTrue)
	f.annotate(newConfig, newConfig)
	f.report(t, phases.Updated, metav1.ConditionTrue)
	require.NoError(t, g.Flush(t.Context()))
	assert.Equal(t, metav1.ConditionTrue, f.condition(t, phases.Updated).Status, "nobody will end this update")
	t.Log(f.condition(t, phases.Updated).Message)
}
func listerOf(object *mcfgv1.MachineConfigNode) mcfglisters.MachineConfigNodeLister {
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	_ = indexer.Add(object)
	return mcfglisters.NewMachineConfigNodeLister(indexer)
}
