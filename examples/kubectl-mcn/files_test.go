package main

import (
	encoding "encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/openshift/upgrademonitor/examples/internal/program"
	"github.com/openshift/upgrademonitor/phases"
)

// mustGather creates a folder as oc adm must-gather does.
func mustGather(t *testing.T, objects ...runtime.Object) string {
	t.Helper()
	root := t.TempDir()
	files := map[string]string{
		"timestamp":         "2026-03-04 14:10:00.123456789 +0000 UTC m=+0.1\n2026-03-04 14:16:05.5 +0000 UTC m=+365.4\n",
		"event-filter.html": "<html>",
		"image/namespaces/openshift-machine-config-operator/pods/p/p.yaml": "kind: Pod",
		"image/cluster-scoped-resources/core/nodes/worker-0.yaml":          "kind: Node",
	}
	for _, obj := range objects {
		b, err := sigsyaml.Marshal(obj)
		require.NoError(t, err)
		resource := nodesResource
		if _, ok := obj.(*mcfgv1.MachineConfigPool); ok {
			resource = poolsResource
		}
		files[filepath.Join("image/cluster-scoped-resources/machineconfiguration.openshift.io", resource, obj.(metav1.Object).GetName()+".yaml")] = "---\n" + string(b)
	}
	for name, text := range files {
		path := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return root
}

func TestMustGather(t *testing.T) {
	got := execute(t, "", "-f", mustGather(t, rollout()...))
	assert.Zero(t, got.code, got.stderr)
	assert.Empty(t, got.stderr, "other files of a must-gather are ignored")
	golden(t, "snapshot.txt", got.stdout)
}

// recorded returns the output of oc get machineconfignodes -w -o json --output-watch-events.
func recorded(t testing.TB) string {
	t.Helper()
	var b strings.Builder
	event := func(kind string, obj runtime.Object) {
		text, err := encoding.MarshalIndent(map[string]any{"type": kind, "object": obj}, "", "    ")
		require.NoError(t, err)
		b.Write(text)
		b.WriteByte('\n')
	}
	for i, name := range []string{"worker-0", "worker-1", "worker-2"} {
		n := newNode(name, "worker", oldConfig, now.Add(-24*time.Hour))
		event("ADDED", n)
		if i == 2 {
			event("DELETED", n)
			continue
		}
		update(n, newConfig, now.Add(time.Duration(10*i-30)*time.Minute), "", func() { event("MODIFIED", n) })
	}
	return b.String()
}

func TestRecordedWatch(t *testing.T) {
	got := execute(t, recorded(t), "timeline", "-f", "-")
	assert.Zero(t, got.code, got.stderr)
	golden(t, "recorded-timeline.txt", got.stdout)

	got = execute(t, recorded(t), "-w", "-f", "-")
	assert.Zero(t, got.code, got.stderr)
	golden(t, "recorded-moves.txt", got.stdout)

	got = execute(t, recorded(t), "-w", "-o", "json", "-f", "-")
	assert.Zero(t, got.code, got.stderr)
	golden(t, "recorded-moves.json", got.stdout)

	got = execute(t, recorded(t), "timeline", "-o", "csv", "-f", "-")
	assert.Zero(t, got.code, got.stderr)
	assert.Contains(t, got.stdout, "\nworker,worker-1,Drained,2026-03-04T13:58:05Z,2026-03-04T13:59:05Z,60\n")

	got = execute(t, recorded(t), "timeline", "-o", "svg", "-f", "-")
	assert.Zero(t, got.code, got.stderr)
	assert.True(t, strings.HasPrefix(got.stdout, "<svg "))
}

// TestTheFirstMovesOfARecordedWatch: the objects that a watch begins with exist at once.
func TestTheFirstMovesOfARecordedWatch(t *testing.T) {
	got := execute(t, recordedRollout(t), "-w", "-f", "-")
	assert.Zero(t, got.code, got.stderr)
	assert.True(t, strings.HasPrefix(got.stdout, "12:16:05 master 3/3\n12:16:05 worker 8/8\n13:41:15 worker 7/8 worker-1 begun"), got.stdout)
}

func TestBadFiles(t *testing.T) {
	list := asList(t, rollout()...)
	empty := &mcfgv1.MachineConfigNode{TypeMeta: metav1.TypeMeta{Kind: "MachineConfigNode"}, ObjectMeta: metav1.ObjectMeta{Name: "bare"}}
	evil := newNode("evil", "worker", oldConfig, now)
	update(evil, newConfig, now, phases.Drained, noop)
	report(evil, phases.Drained, metav1.ConditionUnknown, now, strings.Repeat("\x1b[2J\x9b2J\x07\u202e\r\n", 3000))
	for name, test := range map[string]struct {
		in, stdout, stderr string
		code               int
	}{
		"nothing":            {"", "", "no MachineConfigNodes and no MachineConfigPools in -", program.ExitUsage},
		"no JSON":            {"{nope", "", "cannot read -", program.ExitUsage},
		"text":               {"hello", "", "cannot read -: it holds no Kubernetes objects", program.ExitUsage},
		"a number":           {"7", "", "it holds no Kubernetes objects", program.ExitUsage},
		"an empty list":      {`{"kind":"List","items":[]}`, "", "no MachineConfigNodes", program.ExitUsage},
		"truncated":          {list[:len(list)-300], "", "it ends in the middle of an object", program.ExitUsage},
		"a truncated watch":  {recorded(t)[:20000], "worker", "-: the rest is skipped: it ends in the middle of an object", program.ExitSuccess},
		"other kinds":        {asList(t, append(rollout(), &corev1.Pod{TypeMeta: metav1.TypeMeta{Kind: "Pod"}}, &corev1.Pod{TypeMeta: metav1.TypeMeta{Kind: "Pod"}})...), "worker-4", "skipped what is no MachineConfigNode or MachineConfigPool: 2 Pod", program.ExitSuccess},
		"only other kinds":   {asList(t, &corev1.Pod{TypeMeta: metav1.TypeMeta{Kind: "Pod"}}), "", "1 Pod", program.ExitUsage},
		"no kind":            {`{"a":1}`, "", "1 without a kind", program.ExitUsage},
		"no name":            {`{"kind":"MachineConfigNode"}`, "", "1 MachineConfigNode without a name", program.ExitUsage},
		"wrong types":        {`{"kind":"MachineConfigNode","metadata":{"name":7}}`, "", "MachineConfigNode that cannot be read", program.ExitUsage},
		"no conditions":      {asList(t, empty), "1 unreported", "", program.ExitSuccess},
		"YAML":               {"---\n---\nkind: MachineConfigPool\nmetadata: {name: infra}\n---\nkind: MachineConfigNode\nmetadata: {name: n}\nspec: {pool: {name: infra}}\n", "infra", "", program.ExitSuccess},
		"escape sequences":   {asList(t, evil), "evil", "", program.ExitSuccess},
		"a list of one kind": {`{"kind":"MachineConfigPoolList","items":[{"metadata":{"name":"infra"}}]}`, "infra", "", program.ExitSuccess},
		"one object":         {`{"kind":"MachineConfigPool","metadata":{"name":"infra"}}`, "infra", "", program.ExitSuccess},
	} {
		t.Run(name, func(t *testing.T) {
			for _, args := range [][]string{{"-f", "-"}, {"-f", "-", "-o", "json"}, {"-f", "-", "-o", "yaml"}, {"-f", "-", "-o", "wide"}, {"-f", "-", "-w"}, {"timeline", "-f", "-", "-o", "svg"}} {
				got := execute(t, test.in, args...)
				assert.Equal(t, test.code, got.code, "%v: %s", args, got.stderr)
				assert.Contains(t, got.stderr, test.stderr, "%v", args)
				assertPrintable(t, got.stdout)
				assertPrintable(t, got.stderr)
				if len(args) == 2 {
					assert.Contains(t, got.stdout, test.stdout)
				}
			}
		})
	}
}

// assertPrintable fails for a text with control characters of a terminal.
func assertPrintable(t testing.TB, text string) {
	t.Helper()
	if i := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u202e' }); i >= 0 {
		t.Fatalf("control character %q in %q", text[i], text[max(0, i-40):i+1])
	}
}

func TestFolderWithoutObjects(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "a.txt"), nil, 0o600))
	got := execute(t, "", "-f", folder)
	assert.Equal(t, program.ExitUsage, got.code)
	assert.Contains(t, got.stderr, "has no objects of machineconfiguration.openshift.io")
}

func FuzzFiles(f *testing.F) {
	f.Add("{}", uint8(80))
	f.Add(`{"kind":"MachineConfigPoolList","items":[{"metadata":{"name":"infra\u001b[2J"}}]}`, uint8(3))
	f.Add("kind: MachineConfigNode\nmetadata: {name: n}\nspec: {pool: {name: i}}\nstatus: {conditions: [{type: NodeDegraded, status: 'True', message: \"\\e[2J\"}]}\n", uint8(40))
	f.Fuzz(func(t *testing.T, in string, width uint8) {
		if strings.Count(in, "&") > 3 {
			t.Skip("aliases of YAML that grow")
		}
		for _, args := range [][]string{{"-f", "-"}, {"-f", "-", "-o", "json"}, {"-f", "-", "-w"}, {"timeline", "-f", "-"}} {
			var stdout, stderr strings.Builder
			p := testProgram(&stdout, &stderr)
			p.In = strings.NewReader(in)
			p.terminal.Size = func() (int, int) { return int(width), 0 }
			exit(t.Context(), p, args)
			assertPrintable(t, stdout.String())
			assertPrintable(t, stderr.String())
			if args[len(args)-1] == "-" && width > 0 {
				for _, line := range strings.Split(stdout.String(), "\n") {
					if len(line) > int(width) && args[0] == "-f" {
						t.Fatalf("a line of %d columns: %q", len(line), line)
					}
				}
			}
		}
	})
}
