package components

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestAJudgementWhileTheClockIsSetBack by an hour: it is published when it has lasted, not an hour later.
func TestAJudgementWhileTheClockIsSetBack(t *testing.T) {
	available := conditionType{Daemon, Available, Operator}
	published := &metav1.Condition{Type: available.name(), Status: metav1.ConditionTrue}
	js := judgements{}
	js.add(metav1.Condition{Type: available.name(), Status: metav1.ConditionFalse}, epoch)
	now := epoch.Add(-time.Hour)
	c, left := js.current(available, published, daemonGrace, now)
	assert.Equal(t, metav1.ConditionTrue, c.Status)
	assert.Equal(t, daemonGrace, left)
	c, left = js.current(available, published, daemonGrace, now.Add(daemonGrace))
	assert.Equal(t, metav1.ConditionFalse, c.Status)
	assert.Zero(t, left)
}
