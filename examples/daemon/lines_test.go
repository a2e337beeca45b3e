package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

func TestLines(t *testing.T) {
	at := metav1.NewTime(time.Date(2025, 5, 22, 12, 0, 0, 0, time.UTC))
	object := func(conditions ...metav1.Condition) *mcfgv1.MachineConfigNode {
		return &mcfgv1.MachineConfigNode{Status: mcfgv1.MachineConfigNodeStatus{Conditions: conditions}}
	}
	condition := func(phase phases.Phase, status metav1.ConditionStatus, message string) metav1.Condition {
		return metav1.Condition{Type: string(phase), Status: status, Message: message, LastTransitionTime: at}
	}
	var out strings.Builder
	l := &lines{out: &out, location: time.UTC}
	show := func(object *mcfgv1.MachineConfigNode) string {
		out.Reset()
		require.NoError(t, l.print(object))
		return out.String()
	}

	assert.Equal(t, lineHeader+"12:00:00  Updated                    True     Node Updated\n", show(object(
		condition(phases.Drained, metav1.ConditionFalse, "not yet"), condition(phases.Updated, metav1.ConditionTrue, "Node Updated"))))
	assert.Empty(t, show(l.last.DeepCopy()), "no change")
	assert.Equal(t, `12:00:00    Drained                  Unknown  Draining
12:00:00  Updated                    False    Node needs an update
`, show(object(condition(phases.Drained, metav1.ConditionUnknown, "Draining"), condition(phases.Updated, metav1.ConditionFalse, "Node needs an update"))))
	assert.Equal(t, "            Drained                  Unknown  an error of [31m lines\n",
		show(object(condition(phases.Drained, metav1.ConditionUnknown, "an\nerror\tof\x1b[31m\rlines"), l.last.Status.Conditions[1])), "control characters")
	updated := l.last.Status.Conditions[1]
	assert.NotEmpty(t, show(object(condition(phases.UpdateExecuted, metav1.ConditionUnknown, "Draining"), updated)))
	assert.Empty(t, show(object(condition(phases.UpdateExecuted, metav1.ConditionUnknown, "Applying files"), updated)), "the message of a child")
	assert.Equal(t, "12:00:00  Updated                    True     Node Updated\n", show(object(
		condition(phases.Drained, metav1.ConditionFalse, "Action during update"), condition(phases.Updated, metav1.ConditionTrue, "Node Updated"))),
		"the end of an update is one line")
}

func TestLinesFitTheirWidth(t *testing.T) {
	for _, name := range []string{"update", "rebootless", "fail-drained", "image-mode-image", "image-mode-config", "fail-pin"} {
		golden, err := os.ReadFile(filepath.Join("testdata", name+".golden"))
		require.NoError(t, err)
		_, text, found := strings.Cut(string(golden), lineHeader)
		require.True(t, found, name)
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "daemon: ") {
				break
			}
			assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), lineWidth, "%s: %s", name, line)
		}
	}
	var out strings.Builder
	line(&out, "12:00:00", "Drained", "Unknown", strings.Repeat("ü", 32_768))
	assert.Equal(t, lineWidth+1, utf8.RuneCountInString(out.String()))
	assert.Contains(t, out.String(), "üü...üü")
	assert.Equal(t, "Draining ...o space", shorten("Draining the node: no space", 19))
}
