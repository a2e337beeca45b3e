package docs_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/upgrademonitortest"
)

// migration/calls.go replaces each form of a call, and removes only the log line that follows the call.
func TestCallsAreReplaced(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "calls.go")
	require.NoError(t, os.WriteFile(file, []byte(read(t, "docs/testdata/calls/before.go.txt")), 0o600))
	out, err := exec.CommandContext(t.Context(), "go", "run", "migration/calls.go", "dn.monitor", file).CombinedOutput()
	require.NoError(t, err, string(out))
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, read(t, "docs/testdata/calls/after.go.txt"), string(got))
}

type daemon struct{ monitor *upgrademonitor.Monitor }

// endOfUpdate has the lines that migration/daemon.md puts at the end of update.
func (dn *daemon) endOfUpdate(ctx context.Context, fileUpdate, osUpdate bool, message string) {
	var last upgrademonitor.Option // for the step that completes UpdateExecuted; nil has no effect
	if !osUpdate {
		dn.monitor.NotRequired(ctx, phases.ImagePulledFromRegistry, "The OS does not change")
		dn.monitor.NotRequired(ctx, phases.AppliedOSImage, "The OS does not change")
		last = upgrademonitor.CompletesParent()
	}
	if fileUpdate {
		dn.monitor.Report(ctx, phases.AppliedFiles, "Applied files", metav1.ConditionTrue, last)
	} else {
		dn.monitor.NotRequired(ctx, phases.AppliedFiles, "No file changes", last)
	}
	if osUpdate {
		dn.monitor.Report(ctx, phases.AppliedOSImage, "Applied new OS config", metav1.ConditionTrue, upgrademonitor.CompletesParent())
	}
	dn.monitor.Report(ctx, phases.AppliedFilesAndOS, message, metav1.ConditionTrue, upgrademonitor.CompletesParent())
}

// In both modes, UpdateExecuted turns True once, whether the update changes files, the OS, both or nothing. In image mode,
// a phase runs only if there is something to change.
func TestEndOfUpdateCompletesUpdateExecuted(t *testing.T) {
	const files, image, both = "AppliedFiles: False Unknown True\n", "AppliedOSImage: False Unknown True\n", "AppliedFilesAndOS: False Unknown True\n"
	for _, isImageMode := range []bool{false, true} {
		for _, has := range [][2]bool{{true, true}, {true, false}, {false, true}, {false, false}} {
			client := upgrademonitortest.NewClientset(t)
			node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-0", UID: "1"}}
			monitor, err := upgrademonitor.New(t.Context(), upgrademonitor.Config{
				Client: client, NodeName: node.Name, Node: func() (*corev1.Node, error) { return node, nil }, ImageMode: func() bool { return isImageMode },
			})
			require.NoError(t, err)
			for p, isRun := range map[phases.Phase]bool{phases.AppliedFiles: has[0], phases.AppliedOSImage: has[1], phases.AppliedFilesAndOS: true} {
				if isRun {
					monitor.Report(t.Context(), p, "Applying", metav1.ConditionUnknown)
				}
			}
			(&daemon{monitor}).endOfUpdate(t.Context(), has[0], has[1], "Applied")
			want := "UpdateExecuted: False Unknown True\n"
			for i, text := range []string{files, image} {
				if isImageMode && has[i] {
					want += text
				}
			}
			if !isImageMode {
				want += both
			}
			assert.Equal(t, want, upgrademonitortest.Transitions(t, client, node.Name)+"\n", "image mode %t, files and OS %v", isImageMode, has)
			mcn, err := client.MachineconfigurationV1().MachineConfigNodes().Get(t.Context(), node.Name, metav1.GetOptions{})
			require.NoError(t, err)
			if message := conditions.Find(mcn.Status.Conditions, phases.UpdateExecuted).Message; has[0] || has[1] {
				assert.Contains(t, message, "Applied", "the message is that of work that was done")
			}
		}
	}
	source := read(t, "docs/migration_test.go")
	lines := regexp.MustCompile(`(?m)^\s+`)
	for _, p := range pages(t) {
		if p.name == "docs/migration/daemon.md" {
			assert.Contains(t, lines.ReplaceAllString(source, ""), lines.ReplaceAllString(p.code[0], ""))
		}
	}
}
