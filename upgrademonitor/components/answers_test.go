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

// liar is a client, or a proxy, that gives wrong answers.
type liar struct {
	*memory
	answer func(mc *object) *object
	reach  bool // the API server has the write all the same
	asked  atomic.Int32
	honest atomic.Bool
}

func (l *liar) ApplyStatus(ctx context.Context, mc *applyoperatorv1.MachineConfigurationApplyConfiguration, options metav1.ApplyOptions) (*object, error) {
	l.asked.Add(1)
	if l.honest.Load() {
		return l.memory.ApplyStatus(ctx, mc, options)
	}
	if !l.reach {
		now, err := l.Get(ctx, "cluster", metav1.GetOptions{})
		return l.answer(now), err
	}
	written, err := l.memory.ApplyStatus(ctx, mc, options)
	return l.answer(written), err
}

func (m *memory) versionNow() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.version
}

// TestWrongAnswers are not believed: what they are about is written again.
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
				client, o := &liar{memory: m, answer: answer}, &recorder{}
				p := m.start(t, components.Operator, func(c *components.Config) { c.Client, c.Observer = client, o })
				p.sync(components.OperatorSync, components.OperatorSyncMCD, nil)
				pass(time.Hour)
				assert.ErrorContains(t, p.Flush(t.Context()), "the answer is not the MachineConfiguration")
				assert.Empty(t, m.conditions())
				assert.LessOrEqual(t, client.asked.Load(), int32(11), "at the usual pace")
				assert.Empty(t, o.healths, "nothing is known to be written")
				client.honest.Store(true)
				pass(components.DefaultMaxInterval)
				assert.Equal(t, no, m.condition(t, operatorDegraded).Status)
				assert.Equal(t, 1, m.writes())
				pass(24 * time.Hour)
				assert.Equal(t, 1, m.writes())
			})
		})
	}
}

// TestAWriteWhoseAnswerIsWrong has been made: it is made again, which changes nothing.
func TestAWriteWhoseAnswerIsWrong(t *testing.T) {
	for name, answer := range map[string]func(mc *object) *object{
		"another name": func(mc *object) *object { mc.Name = "other"; return mc },
		"no version":   func(mc *object) *object { mc.ResourceVersion = ""; return mc },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, m *memory) {
				client := &liar{memory: m, answer: answer, reach: true}
				p := m.start(t, components.Operator, func(c *components.Config) { c.Client = client })
				assert.ErrorContains(t, p.Flush(t.Context()), "the answer is not the MachineConfiguration")
				version := m.versionNow()
				client.honest.Store(true)
				pass(24 * time.Hour)
				assert.Equal(t, version, m.versionNow())
				assert.Equal(t, 3, m.writes())
			})
		})
	}
}
