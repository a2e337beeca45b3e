package componentview_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/examples/internal/componentview"
	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

var (
	update = flag.Bool("update", false, "write the golden files")
	now    = time.Date(2026, 5, 22, 12, 0, 0, 0, time.UTC)
)

func condition(c components.Component, a components.Aspect, status metav1.ConditionStatus, reason, message string, ago time.Duration) metav1.Condition {
	return metav1.Condition{Type: components.TypeOf(c, a), Status: status, Reason: reason, Message: message, LastTransitionTime: metav1.NewTime(now.Add(-ago))}
}

var conditions = []metav1.Condition{
	condition(components.Operator, components.Available, "True", "AsExpected", "", 72*time.Hour),
	condition(components.Operator, components.Degraded, "True", "OperatorSyncMCDFailed", "timed out waiting for DaemonSet machine-config-daemon: 5 of 6 \x1b[31mpods are ready", 14*time.Minute),
	condition(components.Operator, components.Progressing, "True", "OperatorSyncMCPRequired", "OperatorSyncMCPRequired has been running since 2026-05-22T11:55:00Z", 3*time.Minute),
	condition(components.Controller, components.Available, "True", "AsExpected", "", 72*time.Hour),
	condition(components.Controller, components.Degraded, "False", "AsExpected", "Last error, resolved 2026-05-22T10:00:00Z, in SyncMCCMachineConfigPool: worker: no such config", 2*time.Hour),
	condition(components.Controller, components.Progressing, "False", "AsExpected", "", 72*time.Hour),
	condition(components.Daemon, components.Degraded, "Unknown", "NoData", "No MachineConfigNode found", time.Hour),
}

func TestScreens(t *testing.T) {
	for name, tc := range map[string]struct {
		list    []metav1.Condition
		options componentview.Options
	}{
		"narrow":    {conditions, componentview.Options{Width: 80}},
		"any-width": {conditions, componentview.Options{}},
		"wide":      {conditions, componentview.Options{Wide: true, Width: 140}},
		"empty":     {nil, componentview.Options{Width: 80}},
		"bootstrap": {[]metav1.Condition{condition(components.Bootstrap, components.Progressing, "True", "BootstrapProgression", "", time.Minute)}, componentview.Options{Width: 80}},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			require.NoError(t, componentview.Render(&out, tc.list, now, tc.options))
			golden := filepath.Join("testdata", name+".golden")
			if *update {
				require.NoError(t, os.MkdirAll("testdata", 0o755))
				require.NoError(t, os.WriteFile(golden, []byte(out.String()), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err, "run go test -update")
			assert.Equal(t, string(want), out.String())
			assert.NotContains(t, out.String(), "\x1b")
			for line := range strings.Lines(out.String()) {
				if tc.options.Width > 0 {
					assert.LessOrEqual(t, len(line)-1, tc.options.Width)
				}
			}
		})
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestErrorsOfTheWriterAreReturned(t *testing.T) {
	assert.ErrorContains(t, componentview.Render(fullDisk{}, conditions, now, componentview.Options{}), "no space left")
}
