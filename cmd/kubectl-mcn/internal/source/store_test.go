package source

import (
	"errors"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
)

// TestDeletedNode: a node is left over without its Node, and gone without both of its objects.
func TestDeletedNode(t *testing.T) {
	s := NewStore(cluster.Limits{})
	for _, resource := range []string{coreNodes, machineConfigNodes} {
		s.resources[resource] = &access{listed: true, names: map[string]bool{}}
	}
	meta := metav1.ObjectMeta{Name: "worker-0"}
	s.edit(func() {
		require.NoError(t, s.add(coreNodes, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-1"}}))
		require.NoError(t, s.add(coreNodes, &corev1.Node{ObjectMeta: meta}))
		require.NoError(t, s.add(machineConfigNodes, &mcfgv1.MachineConfigNode{ObjectMeta: meta}))
	})
	assert.Empty(t, s.View(time.Time{}).Leftover)
	s.remove(coreNodes, "worker-0")
	assert.Equal(t, []string{"worker-0"}, s.View(time.Time{}).Leftover)
	s.remove(machineConfigNodes, "worker-0")
	assert.Empty(t, s.View(time.Time{}).Leftover)
}

// TestDeniedNodes: the user may not read Nodes, then the server is away, then the user may read them
// for a while.
func TestDeniedNodes(t *testing.T) {
	clock := clocktesting.NewFakePassiveClock(time.Date(2026, 5, 22, 12, 0, 0, 0, time.UTC))
	pass := func(d time.Duration) { clock.SetTime(clock.Now().Add(d)) }
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: coreNodes}, "", errors.New("no access"))
	s := NewStore(cluster.Limits{})
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
	assert.ErrorIs(t, s.View(clock.Now()).Failure, forbidden, "the Nodes were shown, so they cannot be left out")
}
