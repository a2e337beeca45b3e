package pool_test

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/watch"
	k8stesting "k8s.io/client-go/testing"
)

// TestOthersWriteFirst has another process write a condition of its own just before each of the
// first writes: neither is lost.
func TestOthersWriteFirst(t *testing.T) {
	ns, ms := workers(2)
	inBubble(t, func(t *testing.T, c *fakeCluster) {
		left := 3
		c.before = func(name string) error {
			if left--; left >= 0 {
				c.overwrite(name, func(p *mcfgv1.MachineConfigPool) {
					p.Status.Conditions = []mcfgv1.MachineConfigPoolCondition{{Type: mcfgv1.MachineConfigPoolRenderDegraded, Status: corev1.ConditionTrue, Reason: "Again"}}
				})
			}
			return nil
		}
		c.run()
		c.advance(time.Minute)
		status := c.pool("worker").Status
		assert.Equal(t, "Again", condition(t, status, mcfgv1.MachineConfigPoolRenderDegraded).Reason)
		assert.Equal(t, corev1.ConditionTrue, condition(t, status, mcfgv1.MachineConfigPoolDegraded).Status)
		assert.Equal(t, counts{2, 2, 2, 0, 0}, countsOf(status))
		assert.Equal(t, []int{3, 1}, []int{c.conflicts, c.written("worker")})
	}, []*mcfgv1.MachineConfigPool{newPool("worker")}, ns, ms)
}

// TestFailuresAreRetried has the API server fail for a while, and a pool go meanwhile.
func TestFailuresAreRetried(t *testing.T) {
	ns, ms := workers(2)
	inBubble(t, func(t *testing.T, c *fakeCluster) {
		var down atomic.Bool
		down.Store(true)
		c.before = func(name string) error {
			switch {
			case name == "gone":
				return apierrors.NewNotFound(mcfgv1.Resource("machineconfigpools"), name)
			case down.Load():
				return apierrors.NewInternalError(errors.New("etcd has no leader"))
			}
			return nil
		}
		c.run()
		c.advance(10 * time.Minute)
		assert.Equal(t, 0, c.written("worker"))
		tried := len(c.bodies)
		assert.Greater(t, tried, 20, "every 30 seconds at least")
		assert.Less(t, tried, 50, "with backoff")
		down.Store(false)
		c.advance(time.Minute)
		assert.Equal(t, 1, c.written("worker"))
		assert.Len(t, c.bodies, tried+1, "a pool that is gone is not tried again")

		down.Store(true)
		c.changeMCN("worker-0", updating)
		down.Store(false)
		c.advance(2 * time.Second)
		assert.Equal(t, 1, c.written("worker"), "the backoff has begun anew")
	}, []*mcfgv1.MachineConfigPool{newPool("worker"), newPool("gone")}, ns, ms)
}

// TestItsOwnWriteIsRemembered has the informer of pools hear of nothing: the second write is
// computed from what the first has returned.
func TestItsOwnWriteIsRemembered(t *testing.T) {
	ns, ms := workers(2)
	inBubble(t, func(t *testing.T, c *fakeCluster) {
		c.mcfg.PrependWatchReactor("machineconfigpools", func(k8stesting.Action) (bool, watch.Interface, error) {
			return true, watch.NewFake(), nil
		})
		c.run()
		c.advance(time.Minute)
		c.changeMCN("worker-0", updating)
		c.advance(time.Minute)
		c.changeMCN("worker-0", updated)
		c.advance(time.Minute)
		assert.Equal(t, []int{0, 3}, []int{c.conflicts, c.written("worker")})
	}, []*mcfgv1.MachineConfigPool{newPool("worker")}, ns, ms)
}

// TestPatch is what a write carries: what Status computes, null for what goes, nothing of others.
func TestPatch(t *testing.T) {
	p := newPool("worker", func(p *mcfgv1.MachineConfigPool) {
		p.Status.Configuration.Name = oldConfig
		p.Status.Configuration.Source = []corev1.ObjectReference{{Name: "00-worker"}}
		p.Status.CertExpirys = []mcfgv1.CertExpiry{{Bundle: "ca", Subject: "CN=ca"}}
		p.Status.OSImageStream.Name = "rhel-10"
	})
	inBubble(t, func(t *testing.T, c *fakeCluster) {
		c.run()
		require.Len(t, c.bodies, 1)
		var body struct {
			Metadata map[string]any
			Status   map[string]any
		}
		require.NoError(t, json.Unmarshal([]byte(c.bodies[0]), &body))
		assert.Equal(t, map[string]any{"resourceVersion": "101"}, body.Metadata)
		assert.ElementsMatch(t, []string{
			"observedGeneration", "machineCount", "updatedMachineCount", "readyMachineCount", "unavailableMachineCount", "degradedMachineCount",
			"configuration", "conditions", "poolSynchronizersStatus",
		}, slices.Collect(maps.Keys(body.Status)))
		assert.Equal(t, map[string]any{"name": newConfig, "source": nil}, body.Status["configuration"])
		assert.InDelta(t, 0, body.Status["machineCount"], 0, "a zero is written too")
		assert.Empty(t, c.pool("worker").Status.Configuration.Source)
		assert.Equal(t, p.Status.CertExpirys, c.pool("worker").Status.CertExpirys)
		assert.Equal(t, "rhel-10", c.pool("worker").Status.OSImageStream.Name)

		c.changePool("worker", func(p *mcfgv1.MachineConfigPool) { p.Generation++ })
		c.advance(time.Minute)
		assert.Len(t, c.bodies, 2)
		assert.NotContains(t, c.bodies[1], "configuration", "it has not changed")
	}, []*mcfgv1.MachineConfigPool{p}, nil, nil)
}
