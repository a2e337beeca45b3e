package componentview_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/examples/internal/componentview"
	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// TestHostileMessages has messages with control characters, others that turn the direction of the text
// around, and wide ones.
func TestHostileMessages(t *testing.T) {
	message := "a\u202eb\u2066c\x1b]0;title\x07 \u009b31m \u2028 \xff " + strings.Repeat("漢字", 40) + "… [truncated]"
	list := []metav1.Condition{
		condition(components.Operator, components.Degraded, "True", "OperatorSyncMCDFailed", message, 14*time.Minute),
		condition(components.Operator, components.Progressing, "True", "Reason\u202e\x1b[31m", message, 14*time.Minute),
		condition(components.Controller, components.Degraded, "False", "AsExpected", "Last error, resolved 2026-05-22T10:00:00Z, in SyncMCC: "+message, time.Hour),
	}
	for _, width := range []int{0, 1, 2, 3, 20, 80} {
		var out strings.Builder
		require.NoError(t, componentview.Render(&out, list, now, componentview.Options{Width: width}))
		for line := range strings.Lines(out.String()) {
			line = strings.TrimSuffix(line, "\n")
			assert.Regexp(t, `^[ -~]*$`, line)
			assert.True(t, width == 0 || len(line) <= width, "%d columns: %s", width, line)
		}
	}
}

func TestMissingTimes(t *testing.T) {
	var out strings.Builder
	list := []metav1.Condition{
		{Type: components.TypeOf(components.Operator, components.Degraded), Status: "True", Reason: "OperatorSyncMCDFailed", Message: "timed out"},
		{Type: components.TypeOf(components.Operator, components.Available), Status: "True", Reason: "AsExpected"},
	}
	require.NoError(t, componentview.Render(&out, list, now, componentview.Options{}))
	assert.Regexp(t, `operator +- +Unhealthy +- +OperatorSyncMCD: timed out\n`, out.String())
	assert.Contains(t, out.String(), "! OperatorSyncMCD for -\n")
}
