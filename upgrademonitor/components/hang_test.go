package components_test

import (
	"context"
	"sync"
	"testing"
	"time"

	operatorv1 "github.com/openshift/api/operator/v1"
	applyoperatorv1 "github.com/openshift/client-go/operator/applyconfigurations/operator/v1"
	"github.com/stretchr/testify/assert"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// stuck is a client whose writes hang until it is released, whatever their context.
type stuck struct {
	*memory
	released chan struct{}
}

func (s stuck) ApplyStatus(ctx context.Context, mc *applyoperatorv1.MachineConfigurationApplyConfiguration, options metav1.ApplyOptions) (*operatorv1.MachineConfiguration, error) {
	<-s.released
	return s.memory.ApplyStatus(ctx, mc, options)
}

// TestAClientThatIgnoresItsContext holds neither Flush nor Run nor the turn to write.
func TestAClientThatIgnoresItsContext(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		client := stuck{m, make(chan struct{})}
		release := sync.OnceFunc(func() { close(client.released) })
		defer release()
		p := m.start(t, components.Operator, func(c *components.Config) { c.Client, c.Timeout = client, 3*time.Second })
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		assert.ErrorIs(t, p.Flush(ctx), context.DeadlineExceeded)
		assert.InDelta(t, 6, time.Since(began).Seconds(), 0.1, "Run and Flush have waited for Timeout each")
		p.sync(components.OperatorSync, components.OperatorSyncMCD, nil)
		began = time.Now()
		p.stop()
		assert.Less(t, time.Since(began), time.Second)

		release()
		pass(time.Minute)
		p = m.start(t, components.Operator)
		p.sync(components.OperatorSync, components.OperatorSyncMCD, nil)
		pass(time.Hour)
		assert.Equal(t, metav1.ConditionFalse, m.condition(t, operatorDegraded).Status, "what was written late is healed")
	})
}

// stuckLeases hang in the same way.
type stuckLeases struct {
	*leases
	released chan struct{}
}

func (s stuckLeases) Get(ctx context.Context, name string, options metav1.GetOptions) (*coordinationv1.Lease, error) {
	<-s.released
	return s.leases.Get(ctx, name, options)
}

func TestALeaseClientThatIgnoresItsContext(t *testing.T) {
	inBubble(t, func(t *testing.T, _ *memory) {
		client := stuckLeases{&leases{}, make(chan struct{})}
		defer close(client.released)
		watch := watchLease(t, client, func(c *components.LeaseConfig) { c.Timeout = 3 * time.Second })
		pass(5 * time.Minute)
		began := time.Now()
		watch.stop()
		assert.Less(t, time.Since(began), time.Second)
		assert.Equal(t, "Unknown NoData", watch.last())
	})
}
