package election_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/openshift/upgrademonitor/examples/internal/election"
	"github.com/openshift/upgrademonitor/examples/internal/memory"
)

const leaseName = "operator"

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// replica is one operator in an election.
type replica struct {
	leads   chan context.Context // receives the context of the controllers
	waits   chan string          // receives the holder that it waits for
	ended   chan error
	stop    context.CancelFunc
	finish  chan struct{} // closed: the controllers return once their context has ended
	leaving func()        // called when they return
}

func newReplica(t *testing.T, kube kubernetes.Interface, identity string, lead func(context.Context) error) *replica {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r := &replica{
		leads: make(chan context.Context, 1), waits: make(chan string, 10), ended: make(chan error, 1),
		stop: cancel, finish: make(chan struct{}), leaving: func() {},
	}
	if lead == nil {
		lead = func(ctx context.Context) error {
			r.leads <- ctx
			<-ctx.Done()
			<-r.finish
			r.leaving()
			return nil
		}
	}
	e := election.Election{
		Leases: kube.CoordinationV1(), Namespace: "default", Name: leaseName, Identity: identity, Duration: time.Second,
		Waiting: func(holder string) { r.waits <- holder },
	}
	go func() { r.ended <- e.Run(ctx, lead) }()
	t.Cleanup(cancel)
	return r
}

func lease(t *testing.T, kube kubernetes.Interface) *coordinationv1.Lease {
	t.Helper()
	l, err := kube.CoordinationV1().Leases("default").Get(t.Context(), leaseName, metav1.GetOptions{})
	require.NoError(t, err)
	return l
}

func TestOneReplicaLeads(t *testing.T) {
	kube := memory.Kube()
	first := newReplica(t, kube, "first", nil)
	leading := <-first.leads
	second := newReplica(t, kube, "second", nil)
	assert.Equal(t, "first", <-second.waits)
	assert.Equal(t, "first", *lease(t, kube).Spec.HolderIdentity)
	assert.NoError(t, leading.Err())

	// The first one holds the Lease until its controllers have returned.
	first.leaving = func() { assert.Equal(t, "first", *lease(t, kube).Spec.HolderIdentity) }
	first.stop()
	<-leading.Done()
	assert.Empty(t, second.leads)
	close(first.finish)
	require.NoError(t, <-first.ended)

	<-second.leads
	assert.Equal(t, "second", *lease(t, kube).Spec.HolderIdentity)
	second.stop()
	close(second.finish)
	require.NoError(t, <-second.ended)
	assert.Empty(t, *lease(t, kube).Spec.HolderIdentity, "the last one releases the Lease")
	assert.Empty(t, first.waits)
}

func TestLostLeaseIsAnError(t *testing.T) {
	kube := memory.Kube()
	r := newReplica(t, kube, "first", nil)
	leading := <-r.leads
	close(r.finish)
	taken := lease(t, kube)
	taken.Spec.HolderIdentity = new(string)
	*taken.Spec.HolderIdentity = "second"
	for { // between two renewals
		_, err := kube.CoordinationV1().Leases("default").Update(t.Context(), taken, metav1.UpdateOptions{})
		if err == nil {
			break
		}
		taken.ResourceVersion = lease(t, kube).ResourceVersion
	}
	assert.EqualError(t, <-r.ended, "lost the Lease default/operator: another replica may be the leader")
	assert.Error(t, leading.Err())
}

func TestControllersThatFailReleaseTheLease(t *testing.T) {
	kube := memory.Kube()
	failure := errors.New("no informer")
	r := newReplica(t, kube, "first", func(context.Context) error { return failure })
	assert.ErrorIs(t, <-r.ended, failure)
	assert.Empty(t, *lease(t, kube).Spec.HolderIdentity)
}

func TestStopWhileWaiting(t *testing.T) {
	kube := memory.Kube()
	first := newReplica(t, kube, "first", nil)
	<-first.leads
	second := newReplica(t, kube, "second", nil)
	<-second.waits
	second.stop()
	require.NoError(t, <-second.ended)
	assert.Equal(t, "first", *lease(t, kube).Spec.HolderIdentity)
	assert.Empty(t, second.leads)
	first.stop()
	close(first.finish)
	require.NoError(t, <-first.ended)
}
