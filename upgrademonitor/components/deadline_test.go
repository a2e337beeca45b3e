package components_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// TestAStepThatTimesOut has a step fail by the deadline of its own context, over and over: that is an
// error like any other.
func TestAStepThatTimesOut(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p := healthy(t, m)
		for range 10 {
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			assert.Error(t, p.Track(ctx, components.OperatorSyncMCD, "", func(ctx context.Context) error {
				<-ctx.Done()
				return fmt.Errorf("wait for the daemons: %w", ctx.Err())
			}))
			cancel()
		}
		degraded := m.condition(t, operatorDegraded)
		assert.Equal(t, metav1.ConditionTrue, degraded.Status)
		assert.Equal(t, "wait for the daemons: context deadline exceeded", degraded.Message)
	})
}
