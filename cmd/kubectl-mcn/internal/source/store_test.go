package source

import (
	"context"
	"errors"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	operatorv1 "github.com/openshift/api/operator/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	clocktesting "k8s.io/utils/clock/testing"
)

// A deleted object is gone at once. A node is gone when both its Node and its MachineConfigNode are deleted.
func TestADeletedObjectIsGoneAtOnce(t *testing.T) {
	node, mcn, configuration := &corev1.Node{}, &mcfgv1.MachineConfigNode{}, &operatorv1.MachineConfiguration{}
	node.Name, mcn.Name, configuration.Name = "worker-0", "worker-0", "cluster"
	mcn.Status.Conditions = []metav1.Condition{{Type: "Updated", Status: metav1.ConditionTrue}}
	configuration.Status.Conditions = mcn.Status.Conditions
	s := NewStore()
	for _, resource := range []string{coreNodes, machineConfigNodes, configurations} {
		s.resources[resource] = &access{listed: true, names: map[string]bool{}}
	}
	known := func() (all [][2]bool) {
		for _, n := range s.objects().Nodes {
			all = append(all, [2]bool{n.HasNode, n.HasObject})
		}
		return all
	}
	for _, names := range [][2]string{{coreNodes, machineConfigNodes}, {machineConfigNodes, coreNodes}} {
		require.NoError(t, errors.Join(s.add(coreNodes, node), s.add(machineConfigNodes, mcn)))
		assert.Equal(t, [][2]bool{{true, true}}, known())
		s.remove(names[0], "worker-0")
		assert.Equal(t, [][2]bool{{names[0] != coreNodes, names[0] == coreNodes}}, known())
		s.remove(names[1], "worker-0")
		assert.Empty(t, known())
		assert.Empty(t, s.resources[coreNodes].names)
	}
	s.resources[machineConfigs] = &access{listed: true, names: map[string]bool{}}
	require.NoError(t, s.add(machineConfigs, &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "99-worker"}}))
	assert.False(t, s.View(time.Time{}).IsMissing("99-worker"))
	s.remove(machineConfigs, "99-worker")
	assert.True(t, s.View(time.Time{}).IsMissing("99-worker"))
	require.NoError(t, s.add(configurations, configuration))
	assert.Len(t, s.View(time.Time{}).Components, 1)
}

// While the pages of a new list arrive, the objects of the last list stay.
func TestObjectsStayUntilTheLastPage(t *testing.T) {
	s := NewStore()
	s.resources[coreNodes] = &access{names: map[string]bool{}}
	page := func(name string) *corev1.NodeList {
		return &corev1.NodeList{Items: []corev1.Node{{ObjectMeta: metav1.ObjectMeta{Name: name}}}}
	}
	for _, tc := range []struct {
		name            string
		isFirst, isLast bool
		want            int
	}{{"a", true, false, 1}, {"b", false, true, 2}, {"a", true, false, 2}, {"c", false, true, 2}} {
		require.NoError(t, s.putPage(coreNodes, page(tc.name), tc.isFirst, tc.isLast))
		assert.Len(t, s.objects().Nodes, tc.want)
	}
}

// Nodes that the user may not read are left out, until the user may read them. If the user loses the permission
// later, this is a failure.
func TestDeniedNodesMayBecomeReadable(t *testing.T) {
	clock := clocktesting.NewFakePassiveClock(time.Date(2026, 5, 22, 12, 0, 0, 0, time.UTC))
	pass := func(d time.Duration) { clock.SetTime(clock.Now().Add(d)) }
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: coreNodes}, "", errors.New("no access"))
	s := NewStore()
	for _, resource := range []string{machineConfigPools, machineConfigNodes, coreNodes} {
		s.resources[resource] = &access{names: map[string]bool{}}
	}
	r := reader{Cluster: &Cluster{Config: &rest.Config{}, Rollout: true, Clock: clock}, store: s, name: coreNodes, follow: true}

	r.failed(t.Context(), "list", forbidden)
	assert.Contains(t, s.View(clock.Now()).Denied, coreNodes)
	pass(time.Hour)
	r.failed(t.Context(), "list", errors.New("connection refused"))
	lost := clock.Now()
	pass(maxReconnect)
	assert.Equal(t, lost, s.View(clock.Now()).LastContact)

	r.responded("list")
	require.NoError(t, s.putPage(coreNodes, &corev1.NodeList{}, true, true))
	assert.Empty(t, s.View(clock.Now()).Denied)
	r.failed(t.Context(), "list", forbidden)
	pass(maxReconnect)
	assert.ErrorIs(t, s.View(clock.Now()).Failure, forbidden, "Nodes that were shown before cannot be left out")
}

// A cluster without the resource MachineConfiguration never counts as an API server that is down.
func TestAMissingOptionalResourceIsNoOutage(t *testing.T) {
	clock := clocktesting.NewFakePassiveClock(time.Date(2026, 5, 22, 12, 0, 0, 0, time.UTC))
	s := NewStore()
	s.resources[configurations] = &access{names: map[string]bool{}}
	r := reader{Cluster: &Cluster{Config: &rest.Config{}, Rollout: true, Clock: clock}, store: s, name: configurations, follow: true}
	for range 2 {
		r.failed(t.Context(), "list", apierrors.NewNotFound(schema.GroupResource{Resource: configurations}, ""))
		v := s.View(clock.Now().Add(time.Hour))
		assert.NoError(t, v.Failure)
		assert.True(t, s.resources[configurations].listed)
	}
}

// The age of a view is the age of its oldest resource. A request that is canceled because the command ends is no
// failure.
func TestAViewIsAsOldAsItsOldestResource(t *testing.T) {
	begin := time.Date(2026, 5, 22, 12, 0, 0, 0, time.UTC)
	lost, failure := begin.Add(2*time.Hour), errors.New("connection refused")
	s := NewStore()
	s.resources[coreNodes] = &access{listed: true, responded: begin.Add(time.Hour), lost: lost, failure: failure}
	s.resources[machineConfigPools] = &access{listed: true, responded: begin, lost: lost, failure: failure}
	assert.Equal(t, begin, s.View(lost.Add(time.Hour)).LastContact)

	s.resources = map[string]*access{coreNodes: {}}
	r := reader{Cluster: &Cluster{Config: &rest.Config{}, Clock: clocktesting.NewFakePassiveClock(begin)}, store: s, name: coreNodes, follow: true}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r.failed(ctx, "list", context.Canceled)
	assert.NoError(t, s.View(lost).Failure)
}

// A node without a MachineConfigNode is shown, even if the MachineConfigNodes of other nodes are newer than its Node.
func TestANodeWithoutAMachineConfigNodeIsShown(t *testing.T) {
	s := NewStore()
	s.facts.Older = time.Unix(1, 0)
	s.Put(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-0"}})
	assert.Equal(t, "worker-0", s.objects().Nodes[0].Name)
}
