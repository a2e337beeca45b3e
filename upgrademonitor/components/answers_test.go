package components_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	operatorv1 "github.com/openshift/api/operator/v1"
	applyoperatorv1 "github.com/openshift/client-go/operator/applyconfigurations/operator/v1"
	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

type object = operatorv1.MachineConfiguration

// brokenProxy is a client whose answers are wrong.
type brokenProxy struct {
	*memory
	answer   func(mc *object) *object
	reach    bool // the API server has the write all the same
	asked    atomic.Int32
	repaired atomic.Bool
}

func (b *brokenProxy) ApplyStatus(ctx context.Context, mc *applyoperatorv1.MachineConfigurationApplyConfiguration, options metav1.ApplyOptions) (*object, error) {
	b.asked.Add(1)
	if b.repaired.Load() {
		return b.memory.ApplyStatus(ctx, mc, options)
	}
	if !b.reach {
		now, err := b.Get(ctx, "cluster", metav1.GetOptions{})
		return b.answer(now), err
	}
	written, err := b.memory.ApplyStatus(ctx, mc, options)
	return b.answer(written), err
}

func (m *memory) versionNow() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.version
}

// TestWrongAnswers are errors: the conditions are written again.
func TestWrongAnswers(t *testing.T) {
	for name, answer := range map[string]func(mc *object) *object{
		"none":         func(*object) *object { return nil },
		"empty":        func(*object) *object { return &object{} },
		"another name": func(mc *object) *object { mc.Name = "other"; return mc },
		"no version":   func(mc *object) *object { mc.ResourceVersion = ""; return mc },
		"as it was, with a version that is never reached": func(mc *object) *object { mc.ResourceVersion = "9000000000"; return mc },
		"another status": func(mc *object) *object {
			mc.ResourceVersion, mc.Status.Conditions = "9000000000", []metav1.Condition{condition(operatorDegraded, yes)}
			return mc
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, m *memory) {
				client, o := &brokenProxy{memory: m, answer: answer}, &recorder{}
				p := m.start(t, components.Operator, func(c *components.Config) { c.Client, c.Observer = client, o })
				p.sync(components.OperatorSync, components.OperatorSyncMCD, nil)
				pass(time.Hour)
				assert.ErrorContains(t, p.Flush(t.Context()), "the answer is not the MachineConfiguration")
				assert.Empty(t, m.conditions())
				assert.LessOrEqual(t, client.asked.Load(), int32(11), "at the usual pace")
				assert.Empty(t, o.healths, "nothing is known to be written")
				client.repaired.Store(true)
				pass(components.DefaultMaxInterval)
				assert.Equal(t, no, m.condition(t, operatorDegraded).Status)
				assert.Equal(t, 1, m.writes())
				pass(24 * time.Hour)
				assert.Equal(t, 1, m.writes())
			})
		})
	}
}

// TestAWriteWhoseAnswerIsWrong is repeated, which changes nothing.
func TestAWriteWhoseAnswerIsWrong(t *testing.T) {
	for name, answer := range map[string]func(mc *object) *object{
		"another name": func(mc *object) *object { mc.Name = "other"; return mc },
		"no version":   func(mc *object) *object { mc.ResourceVersion = ""; return mc },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, m *memory) {
				client := &brokenProxy{memory: m, answer: answer, reach: true}
				p := m.start(t, components.Operator, func(c *components.Config) { c.Client = client })
				assert.ErrorContains(t, p.Flush(t.Context()), "the answer is not the MachineConfiguration")
				version := m.versionNow()
				client.repaired.Store(true)
				pass(24 * time.Hour)
				assert.Equal(t, version, m.versionNow())
				assert.Equal(t, 3, m.writes())
			})
		})
	}
}
