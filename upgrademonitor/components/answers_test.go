package components_test

import (
	"context"
	"testing"
	"time"

	operatorv1 "github.com/openshift/api/operator/v1"
	applyoperatorv1 "github.com/openshift/client-go/operator/applyconfigurations/operator/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// liar is a client, or a proxy, that writes nothing, and answers with something else.
type liar struct {
	*memory
	answer func(mc *operatorv1.MachineConfiguration) *operatorv1.MachineConfiguration // nil: the truth
	asked  int
	write  func() (*operatorv1.MachineConfiguration, error) // what it was asked for last
}

func (l *liar) ApplyStatus(ctx context.Context, mc *applyoperatorv1.MachineConfigurationApplyConfiguration, options metav1.ApplyOptions) (*operatorv1.MachineConfiguration, error) {
	l.asked++
	l.write = func() (*operatorv1.MachineConfiguration, error) { return l.memory.ApplyStatus(ctx, mc, options) }
	if l.answer == nil {
		return l.write()
	}
	return l.answer(l.object.DeepCopy()), nil
}

// TestWrongAnswers are not believed: what they are about is written again.
func TestWrongAnswers(t *testing.T) {
	type object = operatorv1.MachineConfiguration
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
				client := &liar{memory: m, answer: answer}
				o := &recorder{}
				p := m.start(t, components.Operator, func(c *components.Config) { c.Client, c.Observer = client, o })
				p.sync(components.OperatorSync, components.OperatorSyncMCD, nil)
				pass(time.Hour)
				assert.ErrorContains(t, p.Flush(t.Context()), "the answer is not the MachineConfiguration")
				assert.Empty(t, m.conditions())
				assert.LessOrEqual(t, client.asked, 11, "at the usual pace")
				assert.Empty(t, o.healths, "nothing is known to be written")
				client.answer = nil
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
	type object = operatorv1.MachineConfiguration
	for name, answer := range map[string]func(mc *object){
		"another name": func(mc *object) { mc.Name = "other" },
		"no version":   func(mc *object) { mc.ResourceVersion = "" },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, m *memory) {
				client := &liar{memory: m}
				client.answer = func(*object) *object {
					mc, err := client.write()
					require.NoError(t, err)
					answer(mc)
					return mc
				}
				p := m.start(t, components.Operator, func(c *components.Config) { c.Client = client })
				assert.ErrorContains(t, p.Flush(t.Context()), "the answer is not the MachineConfiguration")
				version := m.object.ResourceVersion
				client.answer = nil
				pass(24 * time.Hour)
				assert.Equal(t, version, m.object.ResourceVersion)
				assert.Equal(t, 3, m.writes())
			})
		})
	}
}
