package simulation

import (
	"context"
	"errors"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestTrackerWaitsForTheVersionOfAnObject(t *testing.T) {
	meta := metav1.ObjectMeta{Name: "worker", ResourceVersion: "1"}
	pool, node := &mcfgv1.MachineConfigPool{ObjectMeta: meta}, &mcfgv1.MachineConfigNode{ObjectMeta: meta}
	tracker := NewTracker()
	tracker.Shown(pool)
	assert.NoError(t, tracker.Wait(t.Context(), pool))

	ctx, cancel := context.WithCancelCause(t.Context())
	interrupt := errors.New("interrupt")
	cancel(interrupt)
	assert.ErrorIs(t, tracker.Wait(ctx, node), interrupt, "of another kind")
	newer := pool.DeepCopy()
	newer.ResourceVersion = "2"
	assert.ErrorIs(t, tracker.Wait(ctx, newer), interrupt)
	ended := make(chan error)
	go func() { ended <- tracker.Wait(t.Context(), newer) }()
	tracker.Shown(newer)
	assert.NoError(t, <-ended)
}
