package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/upgrademonitor/phases"
)

// serve starts an API server, and returns a Cluster and a client for it.
func serve(t *testing.T, handler http.HandlerFunc) (*Cluster, rest.Interface) {
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	c := &Cluster{Config: &rest.Config{Host: server.URL}, RequestTimeout: time.Minute}
	client, err := clientOf(c.Config, "/apis", mcfgv1.GroupVersion, mcfgv1.Install)
	require.NoError(t, err)
	return c, client
}

// A watch that reconnects within two seconds is not an outage, even if there were many outages before.
func TestOutagesAreSeparate(t *testing.T) {
	clock := clocktesting.NewFakePassiveClock(time.Date(2026, 5, 22, 12, 0, 0, 0, time.UTC))
	s := NewStore()
	s.resources[coreNodes] = &access{listed: true, watched: true}
	r := reader{Cluster: &Cluster{Config: &rest.Config{}, Clock: clock}, store: s, name: coreNodes, follow: true}
	pass := func(d time.Duration) { clock.SetTime(clock.Now().Add(d)) }
	for range 2 {
		r.responded("watch")
		responded := clock.Now()
		pass(time.Hour)
		for range 2 {
			r.failed(t.Context(), "watch", errors.New("connection reset"))
			assert.Zero(t, s.View(clock.Now()).LastContact)
			pass(time.Second)
		}
		assert.Equal(t, responded, s.View(clock.Now()).LastContact)
	}
}

// A watch that is rejected after a first watch is an outage, and does not end the command.
func TestAccessThatIsWithdrawnIsAnOutage(t *testing.T) {
	clock := clocktesting.NewFakePassiveClock(time.Date(2026, 5, 22, 12, 0, 0, 0, time.UTC))
	s := NewStore()
	s.resources[machineConfigPools] = &access{listed: true}
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: machineConfigPools}, "", errors.New("no access"))
	r := reader{Cluster: &Cluster{Config: &rest.Config{}, Clock: clock}, store: s, name: machineConfigPools, follow: true, fail: func(err error) { assert.NoError(t, err) }}
	r.responded("watch")
	r.failed(t.Context(), "watch", forbidden)
	assert.ErrorIs(t, s.View(clock.Now().Add(maxReconnect)).Failure, forbidden)
}

// The pages of a list replace the objects of the list before.
func TestALaterListReplacesTheObjects(t *testing.T) {
	s := NewStore()
	s.resources[coreNodes] = &access{names: map[string]bool{}}
	put := func(name string, isFirst, isLast bool) {
		page := &corev1.NodeList{Items: []corev1.Node{{ObjectMeta: metav1.ObjectMeta{Name: name}}}}
		require.NoError(t, s.putPage(coreNodes, page, isFirst, isLast))
	}
	for _, names := range [][2]string{{"a", "b"}, {"b", "c"}} {
		put(names[0], true, false)
		put(names[1], false, true)
		var known []string
		for _, n := range s.objects().Nodes {
			known = append(known, n.Name)
		}
		assert.ElementsMatch(t, names, known)
	}
}

// A reflector requests resourceVersion 0, or after an outage the last version that it has seen. The reader requests the
// newest version instead, because a watch cannot start at an older version that the API server has compacted.
func TestAListRequestsTheNewestVersion(t *testing.T) {
	for _, version := range []string{"0", "7"} {
		s := NewStore()
		s.resources[coreNodes] = &access{names: map[string]bool{}}
		server := &cache.ListWatch{ListWithContextFunc: func(_ context.Context, o metav1.ListOptions) (runtime.Object, error) {
			assert.Equal(t, metav1.ListOptions{Limit: pageSizeNodes}, o, version)
			return &corev1.NodeList{ListMeta: metav1.ListMeta{ResourceVersion: "8"}}, nil
		}}
		r := reader{Cluster: &Cluster{Clock: clocktesting.NewFakePassiveClock(time.Time{}), RequestTimeout: time.Minute}, store: s, name: coreNodes, server: server}
		page, err := r.list(t.Context(), metav1.ListOptions{ResourceVersion: version, Limit: pageSizeNodes})
		require.NoError(t, err)
		l, err := meta.ListAccessor(page)
		require.NoError(t, err)
		assert.Equal(t, "8", l.GetResourceVersion(), "the watch starts at the version of the list")
	}
}

// silent is an API server that does not respond.
type silent struct{}

func (silent) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// The screen waits for an optional object, but not as long as for the lists.
func TestAnOptionalObjectIsAwaitedForTwoSecondsAtMost(t *testing.T) {
	for timeout, want := range map[time.Duration]time.Duration{time.Minute: 2 * time.Second, time.Second: time.Second} {
		synctest.Test(t, func(t *testing.T) {
			client, err := clientOf(&rest.Config{Transport: silent{}}, "/apis", mcfgv1.GroupVersion, mcfgv1.Install)
			require.NoError(t, err)
			began := time.Now()
			c := &Cluster{RequestTimeout: timeout}
			require.ErrorIs(t, c.getJSON(t.Context(), client.Get(), &metav1.PartialObjectMetadata{}), context.DeadlineExceeded)
			assert.Equal(t, want, time.Since(began))
		})
	}
}

// A config that was read, that does not exist, or that the user may not read, is not read again. After any other failure,
// the config is read again.
func TestConfigsAreReadOnce(t *testing.T) {
	for status, isKnown := range map[int]bool{http.StatusOK: true, http.StatusForbidden: true, http.StatusNotFound: true, http.StatusServiceUnavailable: false} {
		c, client := serve(t, func(w http.ResponseWriter, r *http.Request) {
			assert.Equal(t, "/apis/machineconfiguration.openshift.io/v1/machineconfigs/rendered-worker-1", r.URL.Path)
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, `{"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadata"}`)
		})
		s, pool := NewStore(), &mcfgv1.MachineConfigPool{}
		pool.Status.Configuration.Name = "rendered-worker-1"
		s.Put(pool)
		assert.Equal(t, []string{"rendered-worker-1"}, s.unknownConfigs())
		c.readConfigs(t.Context(), s, client)
		assert.Equal(t, isKnown, len(s.unknownConfigs()) == 0, status)
	}
}

// Of MachineConfigs, only the metadata is read, and only once: each rendered config by its name, and a list for each pool
// with a new target and a selector. The server may respond from its cache.
func TestTheMetadataOfConfigsIsReadOnce(t *testing.T) {
	type request struct{ path, accept, version, selector string }
	var got []request
	c, client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "{}")
		q := r.URL.Query()
		got = append(got, request{strings.TrimPrefix(r.URL.Path, configsPath), r.Header.Get("Accept"), q.Get("resourceVersion"), q.Get("labelSelector")})
	})
	s := NewStore()
	selecting := func(role string) *metav1.LabelSelector {
		return &metav1.LabelSelector{MatchLabels: map[string]string{"role": role}}
	}
	for name, p := range map[string]struct {
		target   string
		selector *metav1.LabelSelector
	}{
		"gpu":   {"new-gpu", &metav1.LabelSelector{}},
		"infra": {"new-infra", selecting("infra")},
		"done":  {"old", selecting("done")},
		"odd":   {"new-infra", &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "role", Operator: "Likes"}}}},
	} {
		pool := &mcfgv1.MachineConfigPool{ObjectMeta: metav1.ObjectMeta{Name: name}}
		pool.Spec.Configuration.Name, pool.Status.Configuration.Name = p.target, "old"
		pool.Spec.Configuration.Source, pool.Status.Configuration.Source = []corev1.ObjectReference{{Name: "a"}}, []corev1.ObjectReference{{Name: "a"}}
		pool.Spec.MachineConfigSelector = p.selector
		s.Put(pool)
	}
	s.Put(&mcfgv1.MachineConfigPool{ObjectMeta: metav1.ObjectMeta{Name: "without a config"}})
	fresh := &mcfgv1.MachineConfigPool{ObjectMeta: metav1.ObjectMeta{Name: "without a last config"}}
	fresh.Spec.Configuration.Name, fresh.Spec.Configuration.Source, fresh.Spec.MachineConfigSelector = "old", []corev1.ObjectReference{{Name: "a"}}, selecting("fresh")
	s.Put(fresh)
	s.Put(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "w-1", Annotations: map[string]string{
		"machineconfiguration.openshift.io/currentConfig": "old", "machineconfiguration.openshift.io/desiredConfig": "withdrawn",
	}}})
	c.readConfigs(t.Context(), s, client)
	c.readConfigs(t.Context(), s, client)
	const one, list = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
	s.putSources("new", []metav1.PartialObjectMetadata{{ObjectMeta: metav1.ObjectMeta{Name: "watched"}}}, "watched")
	assert.NotContains(t, s.facts.Configs, "watched", "a reader keeps it up to date")
	assert.Equal(t, []request{{"/new-gpu", one, "0", ""}, {"/new-infra", one, "0", ""}, {"/old", one, "0", ""}, {"/withdrawn", one, "0", ""}, {"", list, "0", "role=infra"}}, got)
}

// A budget that was deleted, or whose pod is no longer refused, is forgotten.
func TestBudgetsAreReplaced(t *testing.T) {
	s := NewStore()
	s.Put(&policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop"}})
	(&Cluster{}).readPods(t.Context(), s, nil)
	assert.Empty(t, s.View(time.Time{}).Budgets)
}

// newRefused returns the object of a draining node. The eviction of the pod shop/<node> is refused.
func newRefused(node string, conditions ...metav1.Condition) *mcfgv1.MachineConfigNode {
	mcn := &mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: node}}
	mcn.Status.Conditions = append([]metav1.Condition{
		{Type: string(phases.Updated), Status: metav1.ConditionFalse, Reason: "Updated"},
		{Type: string(phases.Drained), Status: metav1.ConditionUnknown, Reason: "Drained", LastTransitionTime: metav1.Unix(1, 0),
			Message: `error when evicting pods/"` + node + `" -n "shop": global timeout reached: 1m30s`},
	}, conditions...)
	return mcn
}

// The last budgets stay on the screen while the API server does not respond.
func TestBudgetsAreKeptIfTheyCannotBeRead(t *testing.T) {
	c, client := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	s := NewStore()
	s.Put(newRefused("web-0"))
	s.Put(&policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop"}})
	c.readPods(t.Context(), s, client)
	assert.Len(t, s.View(time.Time{}).Budgets, 1)
}

// An entry names at most ten pods, so no more than ten are read.
func TestAtMostTenPodsAreRead(t *testing.T) {
	requests := map[string]int{}
	c, client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requests[path.Dir(r.URL.Path)]++
		_, _ = io.WriteString(w, `{"items":[{"metadata":{"name":"web","namespace":"shop"}}]}`)
	})
	s := NewStore()
	for i := range 12 {
		s.Put(newRefused(fmt.Sprint("web-", i)))
	}
	c.readPods(t.Context(), s, client)
	assert.Equal(t, map[string]int{"/apis/policy/v1/namespaces/shop": 1, "/api/v1/namespaces/shop/pods": 10}, requests)
}

// If a budget refuses a pod because others are not healthy, its pods are listed. A pod that no longer exists is forgotten,
// unless an error names it.
func TestThePodsOfABudgetThatWaitsAreListed(t *testing.T) {
	const (
		shop   = "/api/v1/namespaces/shop/pods"
		budget = `{"metadata":{"name":"%s","namespace":"%s"},"spec":{"selector":{"matchLabels":%s}},"status":{"disruptionsAllowed":%d,"currentHealthy":1,"expectedPods":%d}}`
		pod    = `{"metadata":{"name":"%s","namespace":"shop","labels":{"app":"web"}}}`
	)
	list := func(items ...string) string { return `{"items":[` + strings.Join(items, ",") + `]}` }
	web := []string{fmt.Sprintf(pod, "web-0"), fmt.Sprintf(pod, "web-1"), fmt.Sprintf(pod, "web-2")}
	for labels, want := range map[string]struct{ selector, others string }{`{"app":"web"}`: {"app=web", "shop/db test/web"}, "{}": {"", "test/web"}} {
		responses := map[string]string{
			"/apis/policy/v1/namespaces/shop/poddisruptionbudgets": list(fmt.Sprintf(budget, "web", "shop", labels, 0, 100), fmt.Sprintf(budget, "db", "shop", `{"app":"db"}`, 0, 100),
				fmt.Sprintf(budget, "loose", "shop", labels, 1, 100), fmt.Sprintf(budget, "web", "test", labels, 0, 100), fmt.Sprintf(budget, "large", "shop", labels, 0, 101)),
			shop + "/web-0": web[0], shop: list(web[0], web[1]),
		}
		var lists []string
		c, client := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if path.Base(r.URL.Path) == pods {
				lists = append(lists, r.URL.Path+r.URL.Query().Get("labelSelector"))
			}
			if r.URL.Path == shop+"/gone-0" {
				w.WriteHeader(http.StatusNotFound)
			} else if responses[r.URL.Path] == "" {
				w.WriteHeader(http.StatusForbidden)
			}
			_, _ = io.WriteString(w, responses[r.URL.Path])
		})
		s := NewStore()
		s.Put(newRefused("web-0"))
		s.Put(newRefused("gone-0"))
		s.Put(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "db"}})
		s.Put(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "test", Name: "web", Labels: map[string]string{"app": "web"}}})
		assertKnown := func(listed string) {
			c.readPods(t.Context(), s, client)
			var names []string
			for name := range s.View(time.Time{}).Pods {
				names = append(names, name.String())
			}
			assert.ElementsMatch(t, strings.Fields("shop/gone-0 shop/web-0 "+listed+" "+want.others), names, labels)
		}
		assertKnown("shop/web-1")
		responses[shop] = list(web[0], web[2])
		assertKnown("shop/web-2")
		delete(responses, shop)
		assertKnown("shop/web-2")
		assertKnown("shop/web-2")
		assert.Equal(t, []string{shop + want.selector, shop + want.selector, shop + want.selector}, lists, "a list that is denied is not requested again")
		assert.ErrorContains(t, s.View(time.Time{}).Denied["list "+pods], "not allowed to list pods on ")
	}
}

// If the user may not read budgets and pods, they are requested once, and each view says so.
func TestDeniedBudgetsAndPodsAreReadOnce(t *testing.T) {
	requests := 0
	c, client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		requests++
		w.WriteHeader(http.StatusForbidden)
	})
	s := NewStore()
	s.Put(newRefused("web-0"))
	for range 2 {
		c.readPods(t.Context(), s, client)
		assert.ErrorContains(t, s.View(time.Time{}).Denied["list "+budgets], "not allowed to list poddisruptionbudgets on ")
	}
	assert.Equal(t, 2, requests)
}

// A pod that was evicted and does not end has no budget that refuses it.
func TestBudgetsAreReadOnlyWhereAnEvictionWasRefused(t *testing.T) {
	requests := map[string]int{}
	c, client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requests[path.Dir(r.URL.Path)]++
		_, _ = io.WriteString(w, `{}`)
	})
	mcn := newRefused("web-0")
	mcn.Status.Conditions[1].Message = `error when waiting for pod "web-0" in namespace "shop" to terminate: global timeout reached: 1m30s`
	s := NewStore()
	s.Put(mcn)
	c.readPods(t.Context(), s, client)
	assert.Equal(t, map[string]int{"/api/v1/namespaces/shop/pods": 1}, requests)
}

// The number of pods that are read is limited, so the order of the reads is the order of the entries on the screen.
func TestThePodsOfDegradedNodesAreReadFirst(t *testing.T) {
	s := NewStore()
	later := newRefused("b")
	later.Status.Conditions[1].LastTransitionTime = metav1.Unix(2, 0)
	s.Put(later)
	for _, name := range []string{"f", "e", "d", "c"} {
		s.Put(newRefused(name))
	}
	s.Put(newRefused("g", metav1.Condition{Type: string(phases.NodeDegraded), Status: metav1.ConditionTrue}))
	var names []string
	for _, pod := range s.namedPods() {
		names = append(names, pod.Name)
	}
	assert.Equal(t, []string{"g", "c", "d", "e", "f", "b"}, names, "pods of degraded nodes come first, then those of the nodes that have been draining for longest")
}

func TestAllTimeoutsHaveTheSameExplanation(t *testing.T) {
	c := &Cluster{Config: &rest.Config{Host: "https://api"}, RequestTimeout: time.Second}
	dial := &url.Error{Op: "Get", URL: "https://api", Err: &net.OpError{Op: "dial", Net: "tcp", Err: os.ErrDeadlineExceeded}}
	for _, err := range []error{dial, context.DeadlineExceeded} {
		assert.EqualError(t, c.explain("list", coreNodes, err), "the cluster https://api does not respond within 1s: is it up, and reachable from here?")
	}
}
