package rollout_test

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
)

// failPatches makes the patches of objects fail while the returned value is not nil.
func (f *fixture) failPatches() *atomic.Pointer[error] {
	var failure atomic.Pointer[error]
	f.mcfg.PrependReactor("patch", "machineconfignodes", func(clienttesting.Action) (bool, runtime.Object, error) {
		if err := failure.Load(); err != nil {
			return true, nil, *err
		}
		return false, nil, nil
	})
	return &failure
}

// TestAttemptsOfASync: if every write conflicts, a sync makes three attempts, and is retried later.
func TestAttemptsOfASync(t *testing.T) {
	inBubble(t, fourPools, one("worker"), func(t *testing.T, f *fixture) {
		f.run()
		conflict := error(apierrors.NewConflict(mcfgv1.Resource("machineconfignodes"), "node", errors.New("modified")))
		failure := f.failPatches()
		failure.Store(&conflict)
		f.writes()
		f.changeNode(desires("rendered-2")) // returns while the retry waits
		assert.Equal(t, []string{"patch node", "patch node", "patch node"}, f.writes())
		failure.Store(nil)
		f.advance(time.Minute)
		assert.Equal(t, "worker rendered-2", f.spec())
	})
}

// TestBackoffIsReset: after a sync that succeeds, the first retry of the next failure comes soon,
// however long the last outage was.
func TestBackoffIsReset(t *testing.T) {
	inBubble(t, fourPools, one("worker"), func(t *testing.T, f *fixture) {
		f.run()
		outage := error(apierrors.NewServiceUnavailable("outage"))
		failure := f.failPatches()
		failure.Store(&outage)
		f.changeNode(desires("rendered-2"))
		f.advance(time.Hour)
		f.writes()
		f.advance(time.Minute)
		assert.Len(t, f.writes(), 2, "a retry every 30 seconds")
		failure.Store(nil)
		f.advance(time.Minute)
		assert.Equal(t, "worker rendered-2", f.spec())

		failure.Store(&outage)
		f.changeNode(desires("rendered-3"))
		failure.Store(nil)
		f.advance(time.Second)
		assert.Equal(t, "worker rendered-3", f.spec())
	})
}

// TestConflictOfADeletedNode: the controller does not remember the conflict of a Node that is deleted.
func TestConflictOfADeletedNode(t *testing.T) {
	inBubble(t, fourPools, one("infra", "gpu"), func(t *testing.T, f *fixture) {
		f.run()
		for range 2 {
			require.Len(t, f.events.Events, 1)
			<-f.events.Events
			f.done(nil, f.kube.CoreV1().Nodes().Delete(t.Context(), "node", metav1.DeleteOptions{}))
			f.createNode(newNode("node", "infra", "gpu")) // with the same UID, which a real cluster never has
		}
	})
}
