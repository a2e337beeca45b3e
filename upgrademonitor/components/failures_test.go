package components_test

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	operatorv1 "github.com/openshift/api/operator/v1"
	"github.com/stretchr/testify/assert"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

func TestHealing(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p := healthy(t, m)
		want, before := m.conditions(), m.writes()
		stale := slices.Clone(want)
		stale[0].Message, stale[0].Status = "old", metav1.ConditionTrue
		for name, list := range map[string][]metav1.Condition{"taken away": nil, "taken back": stale, "some taken away": want[3:]} {
			m.change(func(mc *operatorv1.MachineConfiguration) *operatorv1.MachineConfiguration {
				mc.Status.Conditions = list
				return mc
			})
			pass(time.Hour)
			assert.ElementsMatch(t, want, m.conditions(), name)
		}
		assert.Equal(t, 3, m.writes()-before)

		for range 10 { // in a row
			m.change(func(mc *operatorv1.MachineConfiguration) *operatorv1.MachineConfiguration {
				mc.Status.Conditions = nil
				return mc
			})
			pass(time.Second)
		}
		pass(time.Hour)
		assert.ElementsMatch(t, want, m.conditions())
		assert.LessOrEqual(t, m.writes()-before, 3+3, "at the interval of all writes")

		m.change(func(mc *operatorv1.MachineConfiguration) *operatorv1.MachineConfiguration {
			mc.Status.Conditions = append(mc.Status.Conditions, metav1.Condition{Type: "BootImageUpdateDegraded"}, metav1.Condition{Type: bootstrap, Status: "False"})
			return mc
		})
		pass(time.Hour)
		assert.Len(t, m.conditions(), 7, "the own old one is removed again, those of others are kept")
		p.stop()
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

func TestRejectedWrites(t *testing.T) {
	resource := operatorv1.Resource("machineconfigurations")
	for name, err := range map[string]error{
		"403": apierrors.NewForbidden(resource, "cluster", nil),
		"404": apierrors.NewNotFound(resource, "cluster"),
		"422": apierrors.NewInvalid(operatorv1.GroupVersion.WithKind("MachineConfiguration").GroupKind(), "cluster", nil),
		"500": apierrors.NewInternalError(errors.New("field not declared in schema")),
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, m *memory) {
				m.failWith(err)
				m.start(t, components.Operator)
				pass(time.Hour)
				assert.Equal(t, 7, m.writes(), "once each MaxInterval")
				m.failWith(nil)
				pass(10 * time.Minute)
				assert.Len(t, m.conditions(), 3)
			})
		})
	}
}

func TestAnHoursOutage(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p := healthy(t, m)
		before := m.writes()
		m.failWith(apierrors.NewServiceUnavailable("down"))
		failed := time.Now()
		p.sync(components.OperatorSync, components.OperatorSyncMCD, errDaemons)
		pass(time.Hour)
		tried := m.writes() - before
		t.Logf("%d attempts in an hour", tried)
		assert.LessOrEqual(t, tried, 10)
		m.failWith(nil)
		pass(10 * time.Minute)
		degraded := m.condition(t, operatorDegraded)
		assert.Equal(t, metav1.ConditionTrue, degraded.Status)
		assert.Equal(t, failed.Add(2*time.Minute).Unix(), degraded.LastTransitionTime.Unix(), "of the change, not of the write")
	})
}

func TestAMissingObjectIsWaitedFor(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		m.change(func(*operatorv1.MachineConfiguration) *operatorv1.MachineConfiguration { return nil })
		p := m.start(t, components.Operator)
		p.sync(components.OperatorSync, components.OperatorSyncMCD, nil)
		pass(time.Hour)
		assert.Zero(t, m.writes())
		assert.True(t, apierrors.IsNotFound(p.Flush(t.Context())))
		m.create()
		synctest.Wait()
		assert.Equal(t, 1, m.writes(), "at once")
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
		m.change(func(mc *operatorv1.MachineConfiguration) *operatorv1.MachineConfiguration {
			mc.Status.Conditions = []metav1.Condition{{Type: "BootImageUpdateDegraded"}}
			return mc
		})
		synctest.Wait()
		assert.Equal(t, 1, m.writes())
		assert.Len(t, m.conditions(), 4)
	})
}
