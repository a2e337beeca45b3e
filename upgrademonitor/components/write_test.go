package components_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	operatorv1 "github.com/openshift/api/operator/v1"
	applyoperatorv1 "github.com/openshift/client-go/operator/applyconfigurations/operator/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

func TestHealing(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		healthy(t, m)
		want, before := m.conditions(), m.writes()
		stale := slices.Clone(want)
		stale[0].Message, stale[0].Status = "old", yes
		for name, list := range map[string][]metav1.Condition{"removed": nil, "reverted": stale, "some removed": want[3:]} {
			m.setConditions(list)
			pass(time.Hour)
			assert.ElementsMatch(t, want, m.conditions(), name)
		}
		assert.Equal(t, 3, m.writes()-before)
		for range 10 { // in a row
			m.setConditions(nil)
			pass(time.Second)
		}
		pass(time.Hour)
		assert.ElementsMatch(t, want, m.conditions())
		assert.LessOrEqual(t, m.writes()-before, 3+3, "at the pace of all writes")

		foreign := slices.Clone(want)
		foreign[0].ObservedGeneration = 7
		m.setConditions(append(foreign, metav1.Condition{Type: "BootImageUpdateDegraded"}))
		before = m.writes()
		pass(time.Hour)
		assert.Len(t, m.conditions(), 8, "other clients' conditions are kept")
		assert.Equal(t, before, m.writes(), "and their fields are ignored")
	})
}

func TestAnInformerThatLagsWritesNothing(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		m.lag = true
		m.operator(t).sync(nil)
		pass(6 * time.Hour)
		assert.Equal(t, 2, m.writes(), "the cache has neither of the writes")
	})
}

// TestRejectedWrites are retried every 10 minutes, and logged once for each cause.
func TestRejectedWrites(t *testing.T) {
	for name, err := range map[string]error{
		"403": apierrors.NewForbidden(resource, "cluster", nil),
		"404": errNotFound,
		"422": apierrors.NewInvalid(operatorv1.GroupVersion.WithKind("MachineConfiguration").GroupKind(), "cluster", nil),
		"500": apierrors.NewInternalError(errors.New("field not declared in schema")),
	} {
		inBubble(t, func(t *testing.T, m *memory) {
			m.failWith(err)
			var out bytes.Buffer
			ctx := klog.NewContext(t.Context(), textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(&out))))
			p := m.start(ctx, t, m.config(components.Operator))
			p.sync(nil)
			pass(59 * time.Minute)
			assert.Equal(t, 6, m.writes(), name)
			m.failWith(nil)
			pass(10 * time.Minute)
			m.is(t, operatorDegraded, no, "AsExpected")
			p.stop()
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			require.Len(t, lines, 2, "%s: %s", name, lines)
			assert.Contains(t, lines[0], "Failed to write the conditions of a component, retrying")
			assert.Contains(t, lines[1], "Wrote the conditions of a component after a failure")
		})
	}
}

// TestOtherFailuresAreRetriedSoon, also after an outage of hours. The time of the change is published.
func TestOtherFailuresAreRetriedSoon(t *testing.T) {
	for name, err := range map[string]error{
		"500": apierrors.NewInternalError(errors.New("etcdserver: leader changed")), "409": apierrors.NewConflict(resource, "cluster", nil), "503": errDown,
	} {
		inBubble(t, func(t *testing.T, m *memory) {
			p := healthy(t, m)
			m.failWith(err)
			failed := time.Now()
			p.sync(errDaemons)
			pass(6 * time.Hour)
			m.failWith(nil)
			pass(30 * time.Second)
			degraded := m.is(t, operatorDegraded, yes, "OperatorSyncMCDFailed")
			assert.Equal(t, failed.Add(2*time.Minute).Unix(), degraded.LastTransitionTime.Unix(), name)

			m.failWith(err)
			p.Begin(components.OperatorSyncMCP, "")(errDown)
			pass(time.Hour)
			p.Begin(components.OperatorSyncMCP, "")(nil)
			p.sync(nil)
			m.failWith(nil)
			pass(10 * time.Minute)
			assert.Contains(t, m.condition(t, operatorDegraded).Message, ", in OperatorSyncMCP: ", "an error that was never published is the last error all the same")
		})
	}
}

// TestNothingIsWrittenBeforeTheObjectIsReady: the first write is made at the next look.
func TestNothingIsWrittenBeforeTheObjectIsReady(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		m.delete()
		config := m.config(components.Operator)
		config.Ready = func(mc *operatorv1.MachineConfiguration) bool { return len(mc.Status.Conditions) > 0 }
		m.start(t.Context(), t, config).sync(nil)
		pass(time.Hour)
		for n := range 5 { // at once, whatever the pace
			m.create(0)
			pass(30 * time.Second)
			assert.Equal(t, n, m.writes())
			m.setConditions([]metav1.Condition{{Type: "BootImageUpdateDegraded"}})
			pass(30 * time.Second)
			assert.Equal(t, n+1, m.writes())
			m.delete()
			pass(30 * time.Second)
		}
	})
}

// hanging never responds.
type hanging struct{ *memory }

func (hanging) ApplyStatus(ctx context.Context, _ *applyoperatorv1.MachineConfigurationApplyConfiguration, _ metav1.ApplyOptions) (*operatorv1.MachineConfiguration, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestARequestThatHangs is canceled after 10 seconds. Neither a caller nor the end of Run waits for it.
func TestARequestThatHangs(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		config, began := m.config(components.Operator), time.Now()
		config.Client = hanging{m}
		p := m.start(t.Context(), t, config)
		p.sync(errDaemons)
		p.stop()
		assert.Zero(t, time.Since(began))
		var out bytes.Buffer
		p = m.start(klog.NewContext(t.Context(), textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(&out)))), t, config)
		pass(10 * time.Second)
		p.stop()
		assert.Contains(t, out.String(), "context deadline exceeded")
	})
}
