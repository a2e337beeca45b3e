package components_test

import (
	"testing"
	"testing/synctest"
	"time"

	operatorv1 "github.com/openshift/api/operator/v1"
	"github.com/stretchr/testify/assert"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

var errNotFound = apierrors.NewNotFound(operatorv1.Resource("machineconfigurations"), "cluster")

func unchanged(mc *operatorv1.MachineConfiguration) *operatorv1.MachineConfiguration { return mc }

// TestNotFoundAlthoughItIsThere: that others write the object makes no write of it sooner.
func TestNotFoundAlthoughItIsThere(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		m.failWith(errNotFound)
		m.start(t, components.Operator)
		for range 720 {
			pass(5 * time.Second)
			m.change(unchanged)
		}
		pass(0)
		assert.Equal(t, 7, m.writes(), "once each MaxInterval")
	})
}

// TestAnotherObject is written at once, and then at the usual pace.
func TestAnotherObject(t *testing.T) {
	another := func(m *memory) {
		m.change(func(*operatorv1.MachineConfiguration) *operatorv1.MachineConfiguration {
			return &operatorv1.MachineConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "cluster", UID: "another"}}
		})
	}
	for name, replace := range map[string]func(m *memory){
		"deleted and created": func(m *memory) {
			m.change(func(*operatorv1.MachineConfiguration) *operatorv1.MachineConfiguration { return nil })
			synctest.Wait()
			m.create()
		},
		"between two looks of the informer": another,
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, m *memory) {
				m.failWith(errNotFound)
				m.start(t, components.Operator)
				pass(time.Minute)
				assert.Equal(t, 1, m.writes())
				m.failWith(apierrors.NewServiceUnavailable("down"))
				replace(m)
				synctest.Wait()
				assert.Equal(t, 2, m.writes(), "at once")
				m.change(unchanged)
				pass(time.Minute)
				assert.Equal(t, 2, m.writes(), "once")
				m.failWith(nil)
				pass(components.DefaultMaxInterval)
				assert.Len(t, m.conditions(), 3)
			})
		})
	}
}
