package components_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
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

var (
	resource    = operatorv1.Resource("machineconfigurations")
	errNotFound = apierrors.NewNotFound(resource, "cluster")
	errConflict = apierrors.NewConflict(resource, "cluster", nil)
	errDown     = apierrors.NewServiceUnavailable("down")
)

// setConditions has another process write the whole status.
func (m *memory) setConditions(list []metav1.Condition) {
	m.change(func(mc *operatorv1.MachineConfiguration) *operatorv1.MachineConfiguration {
		mc.Status.Conditions = list
		return mc
	})
}

func (m *memory) delete() {
	m.change(func(*operatorv1.MachineConfiguration) *operatorv1.MachineConfiguration { return nil })
}

func TestHealing(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		healthy(t, m)
		want, before := m.conditions(), m.writes()
		stale := slices.Clone(want)
		stale[0].Message, stale[0].Status = "old", yes
		for name, list := range map[string][]metav1.Condition{"taken away": nil, "taken back": stale, "some taken away": want[3:]} {
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

		m.setConditions(append(want, metav1.Condition{Type: "BootImageUpdateDegraded"}))
		pass(time.Hour)
		assert.Len(t, m.conditions(), 8, "those of others are kept")
	})
}

func TestAnInformerThatLagsWritesNothing(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		m.lag = true
		p := m.start(t, components.Operator)
		p.sync(components.OperatorSync, components.OperatorSyncMCD, nil)
		pass(6 * time.Hour)
		assert.Equal(t, 2, m.writes(), "the cache has neither of the writes")
	})
}

// TestRejectedWrites are made once each MaxInterval, and logged once for each cause.
func TestRejectedWrites(t *testing.T) {
	for name, err := range map[string]error{
		"403": apierrors.NewForbidden(resource, "cluster", nil),
		"404": errNotFound,
		"422": apierrors.NewInvalid(operatorv1.GroupVersion.WithKind("MachineConfiguration").GroupKind(), "cluster", nil),
		"500": apierrors.NewInternalError(errors.New("field not declared in schema")),
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, m *memory) {
				m.failWith(err)
				var out bytes.Buffer
				ctx := klog.NewContext(t.Context(), textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(&out))))
				p := m.startIn(ctx, t, components.Operator)
				p.sync(components.OperatorSync, components.OperatorSyncMCD, nil)
				pass(time.Hour)
				assert.LessOrEqual(t, m.writes(), 7)
				m.failWith(nil)
				pass(10 * time.Minute)
				assert.Equal(t, no, m.condition(t, operatorDegraded).Status)
				p.stop()
				lines := strings.Split(strings.TrimSpace(out.String()), "\n")
				require.Len(t, lines, 2, "%s", lines)
				assert.Contains(t, lines[0], "Failed to write the conditions of a component, retrying")
				assert.Contains(t, lines[1], "Wrote the conditions of a component again")
			})
		})
	}
}

// TestAMissingAnswerIsRetriedSoon: a 500 that is no rejection delays a condition by the shortest interval.
func TestAMissingAnswerIsRetriedSoon(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p := healthy(t, m)
		pass(6 * time.Hour)
		m.failWith(apierrors.NewInternalError(errors.New("etcdserver: leader changed")))
		p.sync(components.OperatorSync, components.OperatorSyncMCD, errDaemons)
		pass(2*time.Minute + time.Second)
		assert.NotEqual(t, yes, m.condition(t, operatorDegraded).Status)
		m.failWith(nil)
		pass(time.Minute)
		assert.Equal(t, yes, m.condition(t, operatorDegraded).Status)
	})
}

func TestAnHoursOutage(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p := healthy(t, m)
		before := m.writes()
		m.failWith(errDown)
		failed := time.Now()
		p.sync(components.OperatorSync, components.OperatorSyncMCD, errDaemons)
		pass(time.Hour)
		assert.LessOrEqual(t, m.writes()-before, 10)
		m.failWith(nil)
		pass(10 * time.Minute)
		degraded := m.condition(t, operatorDegraded)
		assert.Equal(t, yes, degraded.Status)
		assert.Equal(t, failed.Add(2*time.Minute).Unix(), degraded.LastTransitionTime.Unix(), "of the change, not of the write")
	})
}

func TestAMissingObjectIsWaitedFor(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		m.delete()
		p := m.start(t, components.Operator)
		p.sync(components.OperatorSync, components.OperatorSyncMCD, nil)
		pass(time.Hour)
		assert.Zero(t, m.writes())
		assert.True(t, apierrors.IsNotFound(p.Flush(t.Context())))
		for n := range 3 {
			m.create()
			synctest.Wait()
			assert.Equal(t, n+1, m.writes(), "at once")
			m.delete()
			pass(time.Second)
		}
	})
}

func TestNothingIsWrittenBeforeReady(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p := m.start(t, components.Operator, func(c *components.Config) {
			c.Ready = func(mc *operatorv1.MachineConfiguration) bool { return len(mc.Status.Conditions) > 0 }
		})
		pass(time.Hour)
		assert.NoError(t, p.Flush(t.Context()))
		assert.Zero(t, m.writes())
		m.setConditions([]metav1.Condition{{Type: "BootImageUpdateDegraded"}})
		synctest.Wait()
		assert.Equal(t, 1, m.writes())
	})
}

func TestFlush(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p := healthy(t, m)
		before := m.writes()
		p.Begin(components.OperatorSyncMCD, "").End(errDaemons)
		p.stop()
		pass(2 * time.Minute)
		assert.NoError(t, p.Flush(t.Context()))
		assert.NoError(t, p.Flush(t.Context()))
		assert.Equal(t, before+1, m.writes())
		assert.Equal(t, yes, m.condition(t, operatorDegraded).Status)

		p.Begin(components.OperatorSyncMCD, "").End(nil)
		m.failWith(errDown)
		assert.ErrorIs(t, p.Flush(t.Context()), errDown)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		assert.ErrorIs(t, p.Flush(ctx), context.Canceled)
	})
}

// TestClear removes the own conditions, and no others.
func TestClear(t *testing.T) {
	others := metav1.Condition{Type: "BootImageUpdateDegraded", Status: no}
	for name, tc := range map[string]struct {
		before []metav1.Condition
		fails  []error
		want   error
	}{
		"alone":               {},
		"others":              {before: []metav1.Condition{others}},
		"others write, too":   {before: []metav1.Condition{others}, fails: []error{errConflict, errConflict}},
		"it does not respond": {fails: []error{errDown}, want: errDown},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, m *memory) {
				m.create(tc.before...)
				p := m.start(t, components.Operator)
				p.sync(components.OperatorSync, components.OperatorSyncMCD, nil)
				require.NoError(t, p.Flush(t.Context()))
				m.mu.Lock()
				fails := tc.fails
				m.fail = func() (err error) {
					if len(fails) > 0 {
						err, fails = fails[0], fails[1:]
					}
					return err
				}
				m.mu.Unlock()
				assert.ErrorIs(t, p.Clear(t.Context()), tc.want)
				after := m.writes()
				p.sync(components.OperatorSync, components.OperatorSyncMCD, errDaemons)
				pass(time.Hour)
				assert.NoError(t, p.Flush(t.Context()))
				assert.Equal(t, after, m.writes(), "nothing more")
				if tc.want == nil {
					assert.Equal(t, tc.before, m.conditions())
					assert.NoError(t, p.Clear(t.Context()), "again")
					m.start(t, components.Operator)
					assert.Greater(t, m.writes(), after, "the next process")
				}
			})
		})
	}
	inBubble(t, func(t *testing.T, m *memory) {
		m.delete()
		assert.NoError(t, m.start(t, components.Operator).Clear(t.Context()), "there is no object")
	})
}

// hanging never answers.
type hanging struct{ *memory }

func (hanging) ApplyStatus(ctx context.Context, _ *applyoperatorv1.MachineConfigurationApplyConfiguration, _ metav1.ApplyOptions) (*operatorv1.MachineConfiguration, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestARequestThatHangs ends after Timeout, and nobody waits for it.
func TestARequestThatHangs(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		began := time.Now()
		p := m.start(t, components.Operator, func(c *components.Config) { c.Client = hanging{m} })
		p.Begin(components.OperatorSyncMCD, "").End(errDaemons)
		assert.Zero(t, time.Since(began))
		assert.ErrorIs(t, p.Flush(t.Context()), context.DeadlineExceeded)
		assert.Equal(t, 20*time.Second, time.Since(began), "those of Run and Flush")
	})
}
