package pool_test

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
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

// TestOthersWriteFirst: another process writes its own condition just before each of the first
// writes. Neither is lost.
func TestOthersWriteFirst(t *testing.T) {
	ns, ms := workers(2)
	inBubble(t, func(t *testing.T, c *fakeCluster) {
		remaining := 3
		c.before = func(name string) error {
			if remaining--; remaining >= 0 {
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
		assert.Equal(t, []int{3, 1}, []int{c.conflicted(), c.written("worker")})
	}, []*mcfgv1.MachineConfigPool{newPool("worker")}, ns, ms)
}

// TestFailuresAreRetried: the API server fails for a while, and a pool is deleted meanwhile.
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
		lines := c.logged()
		require.Len(t, lines, 1, "logged once")
		assert.Regexp(t, `^E.*"Failed to sync MachineConfigPool, retrying" err=".*etcd has no leader".* name="worker"`, lines[0])
		tried := len(c.tried())
		assert.Greater(t, tried, 20, "every 30 seconds at least")
		assert.Less(t, tried, 50, "with backoff")
		down.Store(false)
		c.advance(time.Minute)
		assert.Equal(t, 1, c.written("worker"))
		assert.Len(t, c.tried(), tried+1, "a deleted pool is not retried")
		lines = c.logged()
		require.Len(t, lines, 1, "the recovery is logged once")
		assert.Regexp(t, `^I.*"Synced MachineConfigPool again" failedAttempts=\d+ name="worker"`, lines[0])

		down.Store(true)
		c.changeMCN("worker-0", updating)
		down.Store(false)
		c.advance(2 * time.Second)
		assert.Equal(t, 1, c.written("worker"), "the backoff was reset")
	}, []*mcfgv1.MachineConfigPool{newPool("worker"), newPool("gone")}, ns, ms)
}

// TestFailuresAreLogged once for each cause, with advice: a missing CRD, missing permissions,
// conflicts that persist.
func TestFailuresAreLogged(t *testing.T) {
	ns, ms := workers(1)
	inBubble(t, func(t *testing.T, c *fakeCluster) {
		resource := mcfgv1.Resource("machineconfigpools")
		for _, test := range []struct {
			name string
			err  error
			want string // part of the line; "": no line
		}{
			{"no CRD", apierrors.NewGenericServerResponse(http.StatusNotFound, "patch", resource, "worker", "404 page not found", 0, true), "install the CRD"},
			{"no permission", apierrors.NewForbidden(resource, "worker", errors.New("cannot patch machineconfigpools/status")), "grant the service account"},
			{"conflicts", apierrors.NewConflict(resource, "worker", errors.New("modified")), "modified"},
			{"an object that was deleted", apierrors.NewNotFound(resource, "worker"), ""},
		} {
			c.before = func(string) error { return test.err }
			_, stop := c.run()
			c.advance(time.Hour)
			lines := c.logged()
			if test.want == "" {
				assert.Empty(t, lines, test.name)
			} else if assert.Len(t, lines, 1, test.name) {
				assert.Contains(t, lines[0], test.want)
			}
			stop()
			c.logged()
		}
	}, []*mcfgv1.MachineConfigPool{newPool("worker")}, ns, ms)
}

// TestItsOwnWriteIsRemembered: the informer of pools receives no event, and the second write is
// computed from the response to the first.
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
		assert.Equal(t, []int{0, 3}, []int{c.conflicted(), c.written("worker")})
	}, []*mcfgv1.MachineConfigPool{newPool("worker")}, ns, ms)
}

// TestPatch: a write carries what Status computes, null for removed fields, nothing of others.
func TestPatch(t *testing.T) {
	p := newPool("worker", func(p *mcfgv1.MachineConfigPool) {
		p.Status.Configuration.Name = oldConfig
		p.Status.Configuration.Source = []corev1.ObjectReference{{Name: "00-worker"}}
		p.Status.CertExpirys = []mcfgv1.CertExpiry{{Bundle: "ca", Subject: "CN=ca"}}
		p.Status.OSImageStream.Name = "rhel-10"
	})
	inBubble(t, func(t *testing.T, c *fakeCluster) {
		c.run()
		require.Len(t, c.tried(), 1)
		var body struct {
			Metadata map[string]any
			Status   map[string]any
		}
		require.NoError(t, json.Unmarshal([]byte(c.tried()[0]), &body))
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
		assert.Len(t, c.tried(), 2)
		assert.NotContains(t, c.tried()[1], "configuration", "it has not changed")
	}, []*mcfgv1.MachineConfigPool{p}, nil, nil)
}
