package upgrademonitor_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/ktesting"

	"github.com/openshift/upgrademonitor/phases"
)

// logLines records the lines that are logged through a context.
type logLines struct {
	mu    sync.Mutex
	lines []string
}

func (l *logLines) context(ctx context.Context) context.Context {
	config := ktesting.NewConfig(ktesting.AnyToString(func(value any) string { return fmt.Sprint(value) }))
	return klog.NewContext(ctx, ktesting.NewLogger(l, config))
}

// Helper, Name and Log make it a ktesting.TL.
func (l *logLines) Helper() {}

func (l *logLines) Name() string { return "" }

func (l *logLines) Log(args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, fmt.Sprint(args...))
}

// take returns the lines since the last call.
func (l *logLines) take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	lines := l.lines
	l.lines = nil
	return lines
}

// A failure to write is logged as an error when it begins, again when its cause changes, and once
// when it is over.
func TestFailureIsLoggedOnce(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := newFixture(t)
		f.reportUpdated(t)
		ctx, log := t.Context(), &f.log
		forbidden := apierrors.NewForbidden(resource, nodeName, errors.New("RBAC"))
		report := func() error {
			return f.GenerateAndApplyMachineConfigNode(ctx, phases.Drained, "Draining", "Evicting", metav1.ConditionUnknown)
		}

		denied := f.outage(forbidden)
		for range 5 {
			require.NoError(t, report())
		}
		lines := log.take()
		require.Len(t, lines, 1)
		for _, part := range []string{"Failed to write the MachineConfigNode", "RBAC", `node="worker-0"`, "scope/manifests/guard.yaml"} {
			assert.Contains(t, lines[0], part, "the cause and advice")
		}

		denied.Store(false)
		down := f.outage(errDown)
		for range 5 {
			require.NoError(t, report())
		}
		lines = log.take()
		require.Len(t, lines, 1, "another cause")
		assert.Contains(t, lines[0], "down")

		down.Store(false)
		require.NoError(t, f.Flush(ctx))
		require.NoError(t, report())
		lines = log.take()
		require.Len(t, lines, 1, "it is over")
		assert.Contains(t, lines[0], "works again")
	})
}

// A report that needs no attention is not logged.
func TestQuietInTheGoodCase(t *testing.T) {
	f := newFixture(t)
	ctx := f.log.context(t.Context())
	require.NoError(t, f.GenerateAndApplyMachineConfigNodeSpec(ctx))
	require.NoError(t, f.Track(ctx, phases.Drained, "Draining", func(context.Context) error { return nil }))
	require.NoError(t, f.GenerateAndApplyMachineConfigNode(ctx, phases.Updated, "Updated", "", metav1.ConditionTrue))
	f.Report(ctx, phases.Resumed, "", metav1.ConditionTrue)
	assert.Empty(t, f.log.take())
}
