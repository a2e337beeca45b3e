package command

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	operatorv1 "github.com/openshift/api/operator/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/terminal"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

var updateGolden = flag.Bool("update", false, "write the golden files")

// golden compares a text with a file in testdata. The flag -update writes the file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *updateGolden {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}

// with adds a condition to a pool.
func with(p *mcfgv1.MachineConfigPool, kind mcfgv1.MachineConfigPoolConditionType, ago time.Duration, message string) *mcfgv1.MachineConfigPool {
	p.Status.Conditions = append(p.Status.Conditions, mcfgv1.MachineConfigPoolCondition{
		Type: kind, Status: corev1.ConditionTrue, Message: message, LastTransitionTime: metav1.NewTime(now.Add(-ago)),
	})
	return p
}

func doneNodes(n int) []runtime.Object {
	var all []runtime.Object
	for i := range n {
		mcn := newNode(fmt.Sprintf("worker-%d", i), "worker", oldConfig, now.Add(-24*time.Hour))
		update(mcn, newConfig, now.Add(-2*time.Hour), "")
		all = append(all, mcn)
	}
	return all
}

// setCondition sets a singleton condition.
func setCondition(n *mcfgv1.MachineConfigNode, p phases.Phase, ago time.Duration, message string) {
	for i := range n.Status.Conditions {
		if c := &n.Status.Conditions[i]; c.Type == string(p) {
			c.Status, c.Reason, c.Message, c.LastTransitionTime = metav1.ConditionTrue, string(p), message, metav1.NewTime(now.Add(-ago))
		}
	}
}

// config returns a rendered MachineConfig of a release.
func config(name, release string) *mcfgv1.MachineConfig {
	return &mcfgv1.MachineConfig{
		TypeMeta:   metav1.TypeMeta{APIVersion: mcfgv1.GroupVersion.String(), Kind: "MachineConfig"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{"machineconfiguration.openshift.io/release-image-version": release}},
	}
}

func configuration(conditions ...metav1.Condition) *operatorv1.MachineConfiguration {
	mc := &operatorv1.MachineConfiguration{TypeMeta: metav1.TypeMeta{APIVersion: operatorv1.GroupVersion.String(), Kind: "MachineConfiguration"}, ObjectMeta: metav1.ObjectMeta{Name: "cluster"}}
	mc.Status.Conditions = conditions
	return mc
}

func unhealthy() *operatorv1.MachineConfiguration {
	condition := func(a components.Aspect, status metav1.ConditionStatus, reason, message string) metav1.Condition {
		return metav1.Condition{Type: components.TypeOf(components.Operator, a), Status: status, Reason: reason, Message: message, LastTransitionTime: metav1.NewTime(now.Add(-12 * time.Minute))}
	}
	return configuration(
		condition(components.Available, metav1.ConditionTrue, "AsExpected", ""),
		metav1.Condition{
			Type: components.TypeOf(components.Bootstrap, components.Progressing), Status: metav1.ConditionFalse, Reason: "Complete",
			Message: "Bootstrap completed at 2026-03-04T10:16:05Z, after 21m8s", LastTransitionTime: metav1.NewTime(now.Add(-4 * time.Hour)),
		},
		condition(components.Degraded, metav1.ConditionTrue, string(components.OperatorSyncMCD), "timed out waiting for DaemonSet machine-config-daemon: 5 of 6 pods are ready"))
}

// situations are clusters in typical states.
var situations = map[string]func() []runtime.Object{
	"stuck": func() []runtime.Object { // maxUnavailable 2
		all := rollout()
		two := intstr.FromInt32(2)
		all[1].(*mcfgv1.MachineConfigPool).Spec.MaxUnavailable = &two
		return all
	},
	"cannot-render": func() []runtime.Object {
		p := with(newPool("worker", newConfig), "RenderDegraded", 100*time.Minute,
			"Failed to render configuration for pool worker: could not generate rendered MachineConfig: duplicate osImageURL")
		all := append([]runtime.Object{with(p, "Degraded", 100*time.Minute, "")}, doneNodes(3)...)
		n := all[3].(*mcfgv1.MachineConfigNode)
		setCondition(n, phases.PinnedImageSetsDegraded, 95*time.Minute, "One or more PinnedImageSet is experiencing an error.")
		n.Status.PinnedImageSets = []mcfgv1.MachineConfigNodeStatusPinnedImageSet{{
			Name: "test-pinned", DesiredGeneration: 1, LastFailedGeneration: 1, LastFailedGenerationError: "no space left on device"}}
		return all
	},
	"degraded": func() []runtime.Object { // three nodes have the same cause, and another node is degraded
		all := rollout()
		for i := 6; i < 9; i++ {
			n := newNode(fmt.Sprintf("worker-%d", i), "worker", oldConfig, now.Add(-24*time.Hour))
			at := update(n, newConfig, now.Add(-80*time.Minute), phases.Drained)
			if report(n, phases.Drained, metav1.ConditionUnknown, at, evictionFailed); i == 7 {
				setCondition(n, phases.NodeDegraded, 35*time.Minute, "Node worker-7 upgrade failure. disk full")
			}
			all = append(all, n)
		}
		idle := doneNodes(10)[9].(*mcfgv1.MachineConfigNode)
		setCondition(idle, phases.NodeDegraded, 200*time.Minute, "unexpected on-disk state validating against rendered-worker-22222222: content mismatch for file \"/etc/x\"")
		return append(all, idle)
	},
	"slow": func() []runtime.Object { // one of four takes longer than a third of the limit
		all := append([]runtime.Object{newPool("worker", newConfig)}, doneNodes(1)...)
		for i := 1; i < 5; i++ {
			n := newNode(fmt.Sprintf("worker-%d", i), "worker", oldConfig, now.Add(-24*time.Hour))
			update(n, newConfig, now.Add(time.Duration(-7-5*i)*time.Minute), phases.Drained)
			all = append(all, n)
		}
		return all
	},
	"paused": func() []runtime.Object {
		p := newPool("worker", "rendered-worker-33333333")
		p.Spec.Paused, p.Status.MachineCount = true, 4
		p.Status.Conditions[0].LastTransitionTime = metav1.NewTime(now.Add(-2 * time.Hour))
		return append([]runtime.Object{p, unhealthy()}, doneNodes(3)...)
	},
	"blocked": func() []runtime.Object { // a node that is not ready takes the only place
		p := newPool("worker", "rendered-worker-33333333")
		p.Status.MachineCount, p.Status.UnavailableMachineCount = 3, 1
		return append([]runtime.Object{p}, doneNodes(3)...)
	},
	"long-names": func() []runtime.Object {
		all := []runtime.Object{newPool("worker", newConfig)}
		for i := range 3 {
			n := newNode(fmt.Sprintf("ip-10-0-%d-%s.eu-central-1.compute.internal", i, strings.Repeat("x", 70)), "worker", oldConfig, now.Add(-24*time.Hour))
			at := update(n, newConfig, now.Add(-5*time.Minute), phases.Drained)
			if i == 2 {
				report(n, phases.NodeDegraded, metav1.ConditionTrue, at, "节点升级失败: \x1b[2J磁盘已满")
			}
			all = append(all, n)
		}
		return all
	},
}

// The screens of each situation fit 40 and 140 columns, and are as recorded.
func TestScreensFitNarrowAndWideTerminals(t *testing.T) {
	t.Parallel()
	for name, objects := range situations {
		list := asList(t, objects()...)
		for _, width := range []int{40, 140} {
			t.Run(fmt.Sprint(name, "-", width), func(t *testing.T) {
				got := executeAt(t, width, list, "-f", "-")
				require.Zero(t, got.code, got.stderr)
				assertFits(t, width, got.stdout)
				golden(t, fmt.Sprintf("%s-%d.txt", name, width), got.stdout)
			})
		}
	}
}

// The outputs of the other commands and formats are as recorded.
func TestOtherCommandsLookAsRecorded(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		situation string
		width     int
		args      []string
	}{
		"node.txt":          {"stuck", 80, []string{"node", "worker-4"}},
		"node-40.txt":       {"stuck", 40, []string{"node", "worker-4"}},
		"wide.txt":          {"stuck", 80, []string{"-o", "wide"}},
		"stuck.json":        {"stuck", 80, []string{"-o", "json"}},
		"node.yaml":         {"stuck", 80, []string{"node", "worker-4", "-o", "yaml"}},
		"components.txt":    {"paused", 80, []string{"components"}},
		"components-40.txt": {"paused", 40, []string{"components"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := executeAt(t, test.width, asList(t, situations[test.situation]()...), append(test.args, "-f", "-")...)
			require.Zero(t, got.code, got.stderr)
			assertPrintable(t, got.stdout)
			golden(t, name, got.stdout)
		})
	}
}

// The document says of each pool what its line and its entry on the screen say.
func TestTheDocumentHasTheStateOfAPool(t *testing.T) {
	t.Parallel()
	const state = `go-template={{range .pools}}{{if eq .name "worker"}}{{.complete}} {{.updated}} {{.paused}} {{.blocked}} {{.stalled}} {{.unavailable}} {{.maxUnavailable}} {{or .fromStatus false}}{{end}}{{end}}`
	stalled := newPool("worker", "rendered-worker-33333333")
	stalled.Status.Conditions[0].LastTransitionTime = metav1.NewTime(now.Add(-3 * time.Hour))
	counted := newPool("worker", newConfig)
	counted.Status.MachineCount = 2
	for want, objects := range map[string][]runtime.Object{
		"false false false true false 1 1 false":  situations["blocked"](),
		"false false true false false 0 1 false":  situations["paused"](),
		"false false false false false 2 2 false": situations["stuck"](),
		"false false false false true 0 1 false":  append(doneNodes(1), stalled),
		"false true false false false 0 1 false":  append(doneNodes(1), with(updatedPool("worker", newConfig), "RenderDegraded", 0, "")),
		"true true false false false 0 1 false":   append(doneNodes(1), updatedPool("worker", newConfig)),
		"false false false false false 0 1 true":  {counted},
	} {
		assert.Equal(t, want, execute(t, asList(t, objects...), "-f", "-", "-o", state).stdout)
	}
}

// With -w, a screen that fits is shown whole, and the screen of a file is drawn once.
func TestAScreenThatFitsIsShownWhole(t *testing.T) {
	t.Parallel()
	list, size := asList(t, rollout()...), 0
	redraw := func(out io.Writer, in string, height int, args ...string) (code int, stderr string) {
		var errOut bytes.Buffer
		c := testCommand(out, &errOut)
		c.In = strings.NewReader(in)
		c.terminal = terminal.Terminal{IsTerminal: true, Size: func() (int, int) { return 80, height }}
		return c.run(t.Context(), append(args, "-w")), errOut.String()
	}
	for _, height := range []int{0, 100} {
		var out bytes.Buffer
		code, stderr := redraw(&out, list, height, "-f", "-")
		assert.Zero(t, code, stderr)
		assert.Equal(t, 1, strings.Count(out.String(), "POOL "))
		assert.Contains(t, out.String(), "kubectl mcn node worker-4 shows details\r\n")
		size = strings.Count(out.String(), "\r\n")
	}
	for height, want := range map[int]string{size + 1: "shows details\r\n", size: "\r\n\x1b[K... 2 more lines\r\n"} {
		var out bytes.Buffer
		code, stderr := redraw(&out, list, height, "-f", "-")
		assert.Zero(t, code, stderr)
		assert.Contains(t, out.String(), want)
		assert.Equal(t, height-1, strings.Count(out.String(), "\r\n"), "the last row stays free for the cursor")
	}
	code, stderr := redraw(io.Discard, list, 24, "infra", "-f", "-")
	assert.Equal(t, exitUsage, code)
	assert.Contains(t, stderr, `unknown pool "infra"`)
	code, stderr = redraw(&full{}, list, 24, "-f", "-")
	assert.Equal(t, exitFailed, code)
	assert.Equal(t, "kubectl mcn: no space left on device\n", stderr)
}

// full is a file on a disk that is full at the first write only.
type full struct{ hasSpace bool }

func (f *full) Write(b []byte) (int, error) {
	if !f.hasSpace {
		f.hasSpace = true
		return 0, syscall.ENOSPC
	}
	return len(b), nil
}

// A command that cannot write its output fails, and says why in one line.
func TestAFailedWriteFailsTheCommand(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"", "-o json", "node worker-4", "node worker-4 -o yaml", "components", "wait"} {
		var stderr bytes.Buffer
		c := testCommand(&full{}, &stderr)
		c.In = strings.NewReader(asList(t, append(rollout(), unhealthy())...))
		assert.Equal(t, exitFailed, c.run(t.Context(), append(strings.Fields(args), "-f", "-")), args)
		assert.Equal(t, "kubectl mcn: no space left on device\n", stderr.String(), args)
	}
}

func TestAFailedReadOfStdinIsWrongUsage(t *testing.T) {
	t.Parallel()
	var stderr bytes.Buffer
	c := testCommand(io.Discard, &stderr)
	c.In = iotest.ErrReader(syscall.EIO)
	assert.Equal(t, exitUsage, c.run(t.Context(), []string{"-f", "-"}))
	assert.Equal(t, "kubectl mcn: cannot read -: input/output error\n", stderr.String())
}

func TestTimesAreInTheTimeZoneOfTheUser(t *testing.T) {
	t.Parallel()
	var stdout, stderr bytes.Buffer
	c := testCommand(&stdout, &stderr)
	c.In, c.clock = strings.NewReader(asList(t, rollout()...)), clocktesting.NewFakeClock(now.In(time.FixedZone("JST", 9*3600)))
	require.Zero(t, c.run(t.Context(), []string{"-f", "-"}), stderr.String())
	assert.Contains(t, stdout.String(), "2026-03-04 23:16:05 JST")
	assert.Contains(t, stdout.String(), "Draining for 72m (since 22:04:05)")
	c.In = strings.NewReader(asList(t, rollout()...))
	require.Zero(t, c.run(t.Context(), []string{"node", "worker-4", "-f", "-"}), stderr.String())
	assert.Contains(t, stdout.String(), "\nrequested  2026-03-04 22:02:05 JST, ")
	stdout.Reset()
	c.In = strings.NewReader(asList(t, rollout()...))
	require.Zero(t, c.run(t.Context(), []string{"-f", "-", "-o", "jsonpath={.time}"}), stderr.String())
	assert.Equal(t, "2026-03-04T14:16:05Z", stdout.String(), "a document has UTC")
}

// At most three causes have an entry. A line says how to see the other causes.
func TestAtMostThreeCausesHaveAnEntry(t *testing.T) {
	t.Parallel()
	all := append([]runtime.Object{newPool("worker", newConfig)}, doneNodes(6)...)
	for i, obj := range all[1:] {
		setCondition(obj.(*mcfgv1.MachineConfigNode), phases.NodeDegraded, time.Hour, fmt.Sprintf("disk %d is full", i))
	}
	list := asList(t, all...)
	got := execute(t, list, "-f", "-").stdout
	assert.Equal(t, 3, strings.Count(got, " is full"), got)
	assert.Contains(t, got, "\n! 3 nodes stuck for other causes: see kubectl mcn -o wide\n")
	got = execute(t, list, "-f", "-", "-o", "wide").stdout
	assert.Contains(t, got, "disk 5 is full")
	assert.Contains(t, got, "  worker-5           Degraded    60m     7m  disk 5 is full\n")
	assert.NotContains(t, got, "for other causes")

	for _, obj := range all[5:] { // the last three nodes have the same cause
		setCondition(obj.(*mcfgv1.MachineConfigNode), phases.NodeDegraded, time.Hour, "disk 3 is full")
	}
	assert.Contains(t, execute(t, asList(t, all...), "-f", "-").stdout, "\n! 3 nodes stuck for other causes: see kubectl mcn -o wide\n", "the line counts nodes, and not causes")
}

// TestNodesWithTheSameCauseShareAnEntry lists which nodes share the entry of a node whose drain waits for the Pod db-0.
func TestNodesWithTheSameCauseShareAnEntry(t *testing.T) {
	t.Parallel()
	pod := func(namespace, name string) string {
		return fmt.Sprintf("error when evicting pods/%q -n %q: global timeout reached: 1m30s", name, namespace)
	}
	stuck := func(node, config string, step phases.Phase, message string) *mcfgv1.MachineConfigNode {
		n := newNode(node, "worker", oldConfig, now.Add(-24*time.Hour))
		at := update(n, config, now.Add(-2*time.Hour), step)
		report(n, step, metav1.ConditionUnknown, at, message)
		return n
	}
	for name, test := range map[string]struct {
		config, message string
		entries         int
	}{
		"another Pod of the namespace": {newConfig, pod("shop", "db-1"), 1},
		"a Pod of another namespace":   {newConfig, pod("blog", "db-0"), 2},
		"another error":                {newConfig, "connection refused", 2},
		"a withdrawn config":           {"rendered-worker-33333333", pod("shop", "db-0"), 2},
	} {
		nodes := []runtime.Object{newPool("worker", newConfig), stuck("worker-0", newConfig, phases.Drained, pod("shop", "db-0")), stuck("worker-1", test.config, phases.Drained, test.message)}
		got := execute(t, asList(t, nodes...), "-f", "-").stdout
		assert.Equal(t, test.entries, strings.Count(got, "\n! worker-"), "%s: %s", name, got)
	}
	nodes := []runtime.Object{newPool("worker", newConfig), stuck("worker-0", newConfig, phases.AppliedFilesAndOS, "no reply"), stuck("worker-1", newConfig, phases.RebootedNode, "no reply")}
	assert.Equal(t, 2, strings.Count(execute(t, asList(t, nodes...), "-f", "-").stdout, "\n! worker-"), "another step")
}

// Nodes share an entry if their messages differ only in numbers, or in names that contain the name of the node.
func TestNumbersAndNamesOfANodeAreTheSameCause(t *testing.T) {
	t.Parallel()
	for _, message := range []string{
		"request 0a1b2c3d-99a%d-4c01-8def-0123456789ab failed", "read tcp 10.0.0.%d:48201: i/o timeout", "run-u%[1]d4567.service failed",
		"lookup worker-%d on 10.0.0.1: no such host", "csr of worker-%d.example.com is denied",
		"worker-%d has no rendered-worker-1f0a7de73db2c6e4", // worker-1 is the beginning of another word
	} {
		all := append([]runtime.Object{newPool("worker", newConfig)}, doneNodes(2)...)
		for i, obj := range all[1:] {
			obj.(*mcfgv1.MachineConfigNode).Name += ".example.com"
			setCondition(obj.(*mcfgv1.MachineConfigNode), phases.NodeDegraded, time.Hour, fmt.Sprintf(message, i))
		}
		assert.Contains(t, execute(t, asList(t, all...), "-f", "-").stdout, "\n    the same: worker-", message)
	}
}

func TestEachHelpFitsATerminal(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{}, {"node"}, {"wait"}, {"components"}} {
		got := execute(t, "", append(args, "--help")...)
		assert.Zero(t, got.code)
		golden(t, strings.Join(append([]string{"help"}, args...), "-")+".txt", got.stdout)
		assert.LessOrEqual(t, strings.Count(got.stdout, "\n"), 28, "%v: %s", args, got.stdout)
		for line := range strings.Lines(got.stdout) {
			assert.LessOrEqual(t, len(line), 81, line)
		}
	}
	assert.Contains(t, execute(t, "", "--help").stdout, "--kubeconfig")
	assert.Contains(t, execute(t, "", "completion", "bash").stdout, "__complete")
	assert.Contains(t, execute(t, "", "__complete", "").stdout, "\nhelp\tHelp about any command\nnode\t", "each command that is offered does what its line says")
	for args, want := range map[string]string{"": ":4\n", "node ": ":4\n", "wait ": ":4\n", "node -f ": ":0\n"} {
		got := execute(t, "", append([]string{"__complete"}, strings.Split(args, " ")...)...).stdout
		assert.Equal(t, want, got[strings.LastIndex(got, ":"):], "4 is without files: %q", args)
	}
	assert.Regexp(t, `^kubectl mcn version (\(devel\)|v\S+), go1\.\S+\n$`, execute(t, "", "--version").stdout)
}
