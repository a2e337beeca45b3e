package upgrademonitor_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// If the life ends in the pause after a conflict, no request follows, and the caller returns at
// once.
func TestTheLifeEndsInAPause(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.fails(errConflict)
		returned := make(chan time.Duration, 1)
		go func() {
			returned <- took(func() { f.Report(t.Context(), phases.Drained, "draining", metav1.ConditionUnknown) })
		}()
		synctest.Wait()
		require.Len(t, f.requests(), 1)
		f.takes(hangs)
		f.end()
		assert.Zero(t, <-returned)
		pass(time.Hour)
		assert.Empty(t, f.requests())
	})
}

// If the life ends between a call and its first request, the call does not wait for Timeout.
func TestTheLifeEndsBeforeTheFirstRequest(t *testing.T) {
	f := newFixture(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for range 1000 {
		life, cancel := context.WithCancel(t.Context())
		m, err := upgrademonitor.New(life, upgrademonitor.Config{Client: clientsetOn(t, f), NodeName: nodeName, Node: f.view, Timeout: time.Hour})
		require.NoError(t, err)
		go cancel()
		m.ReportDegraded(ctx, nil)
		require.NoError(t, ctx.Err(), "the call waits")
	}
}

// After the life of the Monitor, its requests end with the callers that wait for them.
func TestNoRequestWithoutACaller(t *testing.T) {
	for name, tc := range map[string]struct {
		hangs []string
		call  func(*testing.T, *fixture, context.Context)
	}{
		"two reports": {nil, func(_ *testing.T, f *fixture, ctx context.Context) {
			go f.Report(ctx, phases.Drained, "draining", metav1.ConditionUnknown)
			pass(time.Second)
			f.Report(ctx, phases.Cordoned, "cordoning", metav1.ConditionUnknown)
		}},
		"the spec": {[]string{"patch"}, func(t *testing.T, f *fixture, ctx context.Context) {
			f.annotate(oldConfig, newConfig)
			assert.Error(t, f.GenerateAndApplyMachineConfigNodeSpec(ctx))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, f *fixture) {
				f.end()
				synctest.Wait()
				f.takes(hangs, tc.hangs...)
				ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
				defer cancel()
				tc.call(t, f, ctx)
				synctest.Wait()
				f.recovers()
				f.requests()
				pass(time.Hour)
				assert.Empty(t, f.requests())
				assert.Empty(t, f.log.take())
			})
		})
	}
}

// A life that ends by a deadline cancels its request without a failure.
func TestALifeWithADeadline(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		life, cancel := context.WithTimeout(f.log.context(t.Context()), 3*time.Second)
		defer cancel()
		m, err := upgrademonitor.New(life, upgrademonitor.Config{Client: clientsetOn(t, f), NodeName: nodeName, Node: f.view})
		require.NoError(t, err)
		f.takes(hangs)
		assert.Equal(t, 3*time.Second, took(func() { m.Report(t.Context(), phases.Drained, "draining", metav1.ConditionUnknown) }))
		synctest.Wait()
		lines := f.log.take()
		require.Len(t, lines, 1, "%v", lines)
		assert.Contains(t, lines[0], "call Flush")
	})
}
