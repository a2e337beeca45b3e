package rollout_test

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	clienttesting "k8s.io/client-go/testing"

	"github.com/openshift/upgrademonitor/upgrademonitor/rollout"
)

// If each write conflicts, a sync makes three attempts, and is retried with backoff.
func TestASyncMakesThreeAttempts(t *testing.T) {
	inBubble(t, fourPools, one("worker"), func(t *testing.T, c *cluster) {
		c.run()
		c.failPatches(apierrors.NewConflict(mcfgv1.Resource("machineconfignodes"), "node", errors.New("modified")))
		c.writes()
		c.changeNode(desires("rendered-2")) // returns before the retry
		assert.Equal(t, []string{"patch node", "patch node", "patch node"}, c.writes())
		c.failPatches(nil)
		c.advance(time.Minute)
		assert.Equal(t, "worker rendered-2", c.spec())
	})
}

// If the read after a conflict fails, the sync is retried later, and the log names the object.
func TestAFailedReadAfterAConflictIsRetried(t *testing.T) {
	inBubble(t, fourPools, one("worker"), func(t *testing.T, c *cluster) {
		c.failOnce("create", "machineconfignodes", apierrors.NewAlreadyExists(mcfgv1.Resource("machineconfignodes"), "node"))
		c.failOnce("get", "machineconfignodes", apierrors.NewServiceUnavailable("outage"))
		c.run()
		c.advance(time.Minute)
		assert.Equal(t, []string{"create node", "create node"}, c.writes())
		c.stop()
		assert.Contains(t, c.log.String(), `err="read MachineConfigNode node: outage"`)
	})
}

// After a sync has succeeded, the pause before the first retry of the next failure is short again. Each cause of a
// failure is logged once.
func TestASuccessResetsTheBackoff(t *testing.T) {
	inBubble(t, fourPools, one("worker"), func(t *testing.T, c *cluster) {
		c.run()
		outage := apierrors.NewServiceUnavailable("outage")
		c.failPatches(outage)
		c.changeNode(desires("rendered-2"))
		c.advance(time.Hour)
		c.writes()
		c.failPatches(apierrors.NewUnauthorized("another outage"))
		c.advance(time.Minute)
		assert.Len(t, c.writes(), 2, "the longest pause between two retries is 30 seconds")
		c.failPatches(nil)
		c.advance(time.Minute)
		assert.Equal(t, "worker rendered-2", c.spec())

		c.failPatches(outage)
		c.changeNode(desires("rendered-3"))
		c.failPatches(nil)
		c.advance(time.Second)
		assert.Equal(t, "worker rendered-3", c.spec())
		c.stop()
		assert.Equal(t, 2, strings.Count(c.log.String(), `err="patch MachineConfigNode node: outage"`))
		assert.Equal(t, 1, strings.Count(c.log.String(), `err="patch MachineConfigNode node: another outage"`))
	})
}

// Failing returns the number of nodes that fail, the time of the first failure and the newest error. A failure ends when the
// node is synced, or when Run ends.
func TestFailingReturnsTheNodesThatCannotBeSynced(t *testing.T) {
	inBubble(t, fourPools, append(one("worker"), newNode("b", "worker")), func(t *testing.T, c *cluster) {
		assertFailing := func(wantN int, wantSince time.Time, cause string) {
			t.Helper()
			n, since, newest := c.controller.Failing()
			assert.Equal(t, wantN, n)
			assert.True(t, since.Equal(wantSince), "%s", since)
			if cause == "" {
				assert.NoError(t, newest)
			} else {
				assert.ErrorContains(t, newest, cause)
			}
		}
		c.run()
		assertFailing(0, time.Time{}, "")

		c.failPatches(apierrors.NewServiceUnavailable("outage"))
		start := time.Now()
		c.changeNode(desires("rendered-2"))
		assertFailing(1, start, "patch MachineConfigNode node: outage")
		c.advance(time.Hour)
		c.failPatches(apierrors.NewUnauthorized("another outage"))
		c.changeNodeNamed("b", desires("rendered-2"))
		assertFailing(2, start, "patch MachineConfigNode b: another outage")

		c.failPatches(nil)
		c.advance(time.Minute)
		assertFailing(0, time.Time{}, "")

		c.failPatches(apierrors.NewServiceUnavailable("outage"))
		c.changeNode(desires("rendered-3"))
		assertFailing(1, time.Now(), "outage")
		c.stop()
		assertFailing(0, time.Time{}, "")
	})
}

// Each write is logged, and only the line about a deletion has a reason.
func TestEachWriteIsLogged(t *testing.T) {
	inBubble(t, fourPools, one("worker"), func(t *testing.T, c *cluster) {
		c.verbosity = 2
		c.run()
		c.replaceNode(newNode("node", "infra"))
		c.stop()
		lines := strings.Split(c.log.String(), "\n")
		assert.Contains(t, lines[0], `"Wrote MachineConfigNode" verb="create" node="node"`)
		assert.NotContains(t, lines[0], "reason")
		assert.Contains(t, lines[1], `"Wrote MachineConfigNode" reason="the MachineConfigNode belongs to a previous Node with the same name" verb="delete" node="node"`)
	})
}

// A request that is canceled because Run ends is not a failure.
func TestARequestThatRunCancelsIsNoFailure(t *testing.T) {
	inBubble(t, fourPools, one("worker"), func(t *testing.T, c *cluster) {
		sent := false
		c.run(sendNodes(t, func(r *http.Request) error {
			sent = true
			<-r.Context().Done()
			return r.Context().Err()
		}))
		c.stop()
		assert.True(t, sent)
		assert.Empty(t, c.log.String())
	})
}

// Run syncs as many nodes at the same time as it has workers.
func TestRunSyncsAsManyNodesAsItHasWorkers(t *testing.T) {
	inBubble(t, fourPools, append(one("worker"), newNode("b"), newNode("c")), func(t *testing.T, c *cluster) {
		c.workers = 2
		var sent atomic.Int32
		c.run(sendNodes(t, func(r *http.Request) error {
			sent.Add(1)
			<-r.Context().Done()
			return r.Context().Err()
		}))
		assert.EqualValues(t, 2, sent.Load())
	})
}

// If another process deletes the object before a write, the write is not a failure. The object is
// created again.
func TestAnObjectThatAnotherProcessDeletesIsCreatedAgain(t *testing.T) {
	for verb, change := range map[string]func(c *cluster){
		"patch":  func(c *cluster) { c.changeNode(func(n *corev1.Node) { n.Labels["role-infra"] = "" }) },
		"delete": func(c *cluster) { c.replaceNode(newNode("node", "infra")) },
	} {
		inBubble(t, fourPools, one("worker"), func(t *testing.T, c *cluster) {
			c.run()
			var once sync.Once
			c.mcfg.PrependReactor(verb, "machineconfignodes", func(a clienttesting.Action) (bool, runtime.Object, error) {
				once.Do(func() { require.NoError(t, c.mcfg.Tracker().Delete(a.GetResource(), "", "node")) })
				return false, nil, nil
			})
			change(c)
			assert.Equal(t, "infra rendered-1", c.spec(), verb)
			c.stop()
			assert.Empty(t, c.log.String(), verb)
		})
	}
}

// sendNodes sets a client of Nodes that calls send for each request. The request fails with the error of send.
func sendNodes(t *testing.T, send func(*http.Request) error) func(*rollout.Config) {
	client, err := kubernetes.NewForConfig(&rest.Config{Transport: roundTripper(send)})
	require.NoError(t, err)
	return func(c *rollout.Config) { c.KubeClient = client }
}

type roundTripper func(*http.Request) error

func (r roundTripper) RoundTrip(request *http.Request) (*http.Response, error) {
	return nil, r(request)
}

// The requests of a sync have a deadline, even if Config.Timeout is not positive.
func TestTheRequestsOfASyncHaveADeadline(t *testing.T) {
	for timeout, want := range map[time.Duration]time.Duration{
		time.Minute:  time.Minute,
		0:            10 * time.Second,
		-time.Minute: 10 * time.Second,
	} {
		inBubble(t, fourPools, one("worker"), func(t *testing.T, c *cluster) {
			var left time.Duration
			c.run(sendNodes(t, func(r *http.Request) error {
				deadline, _ := r.Context().Deadline()
				left = time.Until(deadline)
				return errors.New("no route")
			}), func(c *rollout.Config) { c.Timeout = timeout })
			assert.Equal(t, want, left, "Timeout %v", timeout)
		})
	}
}

// When a Node is deleted, the controller forgets that its pools conflicted.
func TestTheConflictOfADeletedNodeIsForgotten(t *testing.T) {
	inBubble(t, fourPools, one("infra", "gpu"), func(t *testing.T, c *cluster) {
		c.run()
		for range 2 {
			require.Len(t, c.events.Events, 1)
			<-c.events.Events
			c.done(nil, c.kube.CoreV1().Nodes().Delete(t.Context(), "node", metav1.DeleteOptions{}))
			c.createNode(newNode("node", "infra", "gpu")) // with the same UID, which a real cluster never has
		}
	})
}
