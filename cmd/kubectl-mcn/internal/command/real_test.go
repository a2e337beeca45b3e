package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

const real = "../../testdata/real"

// answers are the texts that a screen must contain, and those that it must not contain.
type answers struct{ Says, Never []string }

// realCase is a case of the tables in testdata/real: see README.md there.
type realCase struct {
	File, Situation, At string
	Exit, Wait          int
	answers             `json:",inline"`
	Nodes               map[string]answers
}

func realCases(t *testing.T) []realCase {
	t.Helper()
	var all []realCase
	for _, table := range []string{"cases.yaml", "reports.yaml", "rules.yaml", "objects.yaml", "details.yaml"} {
		text, err := os.ReadFile(filepath.Join(real, table))
		require.NoError(t, err)
		var some []realCase
		require.NoError(t, yaml.UnmarshalStrict(text, &some), table)
		all = append(all, some...)
	}
	require.Greater(t, len(all), 100)
	for _, c := range all {
		require.NotEmpty(t, c.Situation, c.File)
	}
	return all
}

// execute runs a command on the file of the case.
func (c realCase) execute(t *testing.T, args ...string) execution {
	t.Helper()
	return execute(t, "", append(args, "-f", filepath.Join(real, c.File), "--at", c.At)...)
}

// assertIn checks the answers in the output of a command. The text may be wrapped.
func (a answers) assertIn(t *testing.T, got execution) {
	t.Helper()
	text := strings.Join(strings.Fields(got.stdout+got.stderr), " ")
	for _, says := range a.Says {
		assert.Contains(t, text, says)
	}
	for _, never := range a.Never {
		assert.NotContains(t, text, never)
	}
}

// Each situation has the recorded screen at 80 columns, and kubectl mcn, wait and node give the answers of its case.
func TestRealSituationsLookAsRecorded(t *testing.T) {
	t.Parallel()
	for _, c := range realCases(t) {
		t.Run(c.File, func(t *testing.T) {
			got := c.execute(t)
			require.Equal(t, c.Exit, got.code, got.stderr)
			assertFits(t, 80, got.stdout)
			golden(t, "real/"+strings.TrimSuffix(c.File, filepath.Ext(c.File))+".txt", got.stdout)
			c.assertIn(t, got)

			waited := c.execute(t, "wait")
			assert.Equal(t, c.Wait, waited.code, waited.stderr)
			assertFits(t, 80, waited.stdout)
			assert.Less(t, len(waited.stderr), 300)
			for cause := range strings.Lines(waited.stdout + waited.stderr) {
				if len(cause) > 40 && strings.HasPrefix(cause, margin) {
					assert.Equal(t, max(1, strings.Count(got.stdout, cause)), strings.Count(waited.stdout+waited.stderr, cause), "wait repeats no cause")
				}
			}
			if c.Wait != 0 {
				c.assertIn(t, waited)
			}
			for name, node := range c.Nodes {
				got := c.execute(t, "node", name)
				require.Zero(t, got.code, got.stderr)
				assertFits(t, 80, got.stdout)
				node.assertIn(t, got)
			}
		})
	}
}

const margin = "    "

// assertFits fails for control characters, and for a line that is wider than the screen, except a command to run next.
func assertFits(t testing.TB, width int, text string) {
	t.Helper()
	assertPrintable(t, text)
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, margin+"next: ") {
			assert.LessOrEqual(t, len([]rune(strings.TrimSuffix(line, "\n"))), width, line)
		}
	}
}

// The screens of three nodes are as recorded, and a name that fits no node or several nodes is explained.
func TestRealNodesLookAsRecorded(t *testing.T) {
	t.Parallel()
	files := map[string]realCase{}
	for _, c := range realCases(t) {
		files[c.File] = c
	}
	for name, node := range map[string]string{"drain-degraded-76m.yaml": "ip-10-0-37-66", "image-mode-pull-failed.yaml": "ip-10-0-89", "rollout-in-progress.yaml": "ip-10-0-79-1.ec2.internal"} {
		got := files[name].execute(t, "node", node)
		require.Zero(t, got.code, got.stderr)
		assertFits(t, 80, got.stdout)
		golden(t, "real/node-"+strings.TrimSuffix(name, ".yaml")+".txt", got.stdout)
		golden(t, "real/node-"+name, files[name].execute(t, "node", node, "-o", "yaml").stdout)
	}
	got := execute(t, "", "node", "ip-10", "-f", filepath.Join(real, "drain-failing-35m.yaml"))
	assert.Equal(t, exitUsage, got.code)
	assert.Contains(t, got.stderr, `"ip-10" is the start of 5 names, such as ip-10-0-14-203.us-east-2.compute.internal and ip-10-0-`)
	const alone = "ip-10-0-11-26.us-west-2.compute.internal"
	got = execute(t, "", "node", alone, "-f", filepath.Join(real, "node-in-no-pool.yaml"), "--at", "now")
	assert.Equal(t, exitUsage, got.code)
	assert.Contains(t, got.stderr, `no MachineConfigPool selects the node "`+alone+`", so it gets no updates: check its labels`)
	got = execute(t, "", "node", "n1", "-f", filepath.Join(real, "two-custom-pools-done.yaml"), "--at", "now")
	assert.Equal(t, exitUsage, got.code)
	assert.Contains(t, got.stderr, `several MachineConfigPools select the node "n1", so it is in no pool: check its labels`)
	got = execute(t, "", "-o", "jsonpath={.unselected}", "-f", filepath.Join(real, "node-in-no-pool.yaml"), "--at", "now")
	assert.Equal(t, `["`+alone+`"]`, got.stdout)
}

// For any input, the command prints a screen, or one sentence that says what to do.
func TestBadInputGetsAScreenOrOneSentence(t *testing.T) {
	t.Parallel()
	bad := func(name string) string {
		text, err := os.ReadFile(filepath.Join(real, "bad", name))
		require.NoError(t, err)
		return string(text)
	}
	list := asList(t, rollout()...)
	one := bad("one-node.yaml")
	const use = "use oc get mcp,machineconfignodes,nodes -o yaml --show-managed-fields > FILE"
	for name, test := range map[string]struct {
		in, stdout, stderr string
	}{
		"describe":                   {bad("describe.txt"), "", "stdin is incomplete or damaged: use oc get"},
		"a table":                    {bad("table.txt"), "", "stdin is incomplete or damaged: use oc get"},
		"an empty list":              {bad("empty-list.yaml"), "", "no MachineConfigNodes and no MachineConfigPools in stdin: " + use},
		"a ClusterVersion":           {bad("cluster-version.yaml"), "", "no MachineConfigNodes and no MachineConfigPools in stdin: " + use},
		"truncated JSON":             {bad("truncated.json"), "", "stdin is incomplete or damaged: use oc get"},
		"truncated YAML":             {bad("truncated.yaml"), "", "stdin is incomplete or damaged: use oc get"},
		"two nodes of the same name": {bad("same-name-twice.yaml"), "ip-10-0-37-66", ""},
		"nothing":                    {"", "", "no MachineConfigNodes and no MachineConfigPools in stdin: " + use},
		"binary":                     {"{\x00\x01", "", "stdin is incomplete or damaged: use oc get"},
		"text":                       {"all work and no play\n", "", "stdin is incomplete or damaged: use oc get"},
		"CRLF":                       {strings.ReplaceAll(list, "\n", "\r\n"), "worker-4", ""},
		"two outputs":                {one + one, "", "stdin is incomplete or damaged: use oc get"},
		"JSON, twice":                {list + list, "worker-4", ""},
		"no kind":                    {`{"a":1}`, "", "no MachineConfigNodes and no MachineConfigPools in stdin: " + use},
		"no name":                    {`{"kind":"MachineConfigNode"}`, "", "stdin is incomplete or damaged: use oc get"},
		"wrong types":                {`{"kind":"MachineConfigNode","metadata":{"name":"a"},"spec":7}`, "", "stdin is incomplete or damaged: use oc get"},
		"other kinds":                {list + `{"kind":"Pod"}`, "worker-4", ""},
		"a hosted cluster":           {`{"kind":"Node","metadata":{"name":"a","labels":{"hypershift.openshift.io/nodePool":"b"}}}`, "", "stdin is from a hosted cluster of HyperShift"},
		"a NodePool":                 {`{"apiVersion":"hypershift.openshift.io/v1beta1","kind":"NodePool"}`, "", "stdin is from a hosted cluster of HyperShift"},
		"other labels":               {`{"kind":"Node","metadata":{"name":"a","labels":{"kubernetes.io/os":"linux"}}}`, "", "no MachineConfigNodes and no MachineConfigPools in stdin: use"},
		"a management cluster":       {list + `{"kind":"Node","metadata":{"name":"a","labels":{"hypershift.openshift.io/control-plane":"true"}}}`, "worker-4", ""},
		"an operator's dump":         {list + `{"apiVersion":"machineconfiguration.openshift.io/v1","kind":"MachineOSBuild"}`, "worker-4", ""},
		"a list without items":       {`{"kind":"MachineConfigNodeList","items":null}`, "", "no MachineConfigNodes and no MachineConfigPools in stdin: use"},
		"items are a string":         {`{"kind":"List","items":"a"}`, "", "stdin is incomplete or damaged: use oc get"},
		"an item that is a string":   {`{"kind":"List","items":["a"]}` + list, "", "stdin is incomplete or damaged: use oc get"},
		"a MachineConfig":            {`{"kind":"MachineConfig","metadata":{"name":"a"}}`, "", "no MachineConfigNodes and no MachineConfigPools in stdin: use"},
		"an empty document":          {"---\n" + one + "---\n", "ip-10-0-37-66", ""},
		"kind comes first":           {"kind: MachineConfigPool\nmetadata: {name: infra}\n---\nkind: MachineConfigPool\nmetadata: {name: virt}\n", "virt", ""},
		"a list of one kind":         {`{"kind":"MachineConfigPoolList","items":[{"metadata":{"name":"infra"}}]}`, "infra", ""},
		"no conditions":              {`{"kind":"MachineConfigNode","metadata":{"name":"a"}}`, "1 unreported", ""},
	} {
		got := execute(t, test.in, "-f", "-", "--at", "2026-03-04T14:16:05Z")
		assert.Equal(t, test.stdout == "", got.code == exitUsage, "%s: %s", name, got.stderr)
		assert.Contains(t, got.stdout, test.stdout, name)
		assert.Contains(t, got.stderr, test.stderr, name)
		assert.LessOrEqual(t, strings.Count(got.stderr, "\n"), 1, got.stderr)
		assert.NotRegexp(t, `json|unmarshal|decod|yaml: `, got.stderr, name)
		assert.Equal(t, test.stderr != "", got.stderr != "", "%s: %s", name, got.stderr)
		assertPrintable(t, got.stdout+got.stderr)
	}
}

// Ages are computed at --at, or else at the time when the file was written. If the file was copied a day later, they are
// computed at the newest time in the file. Of a folder, the newest file counts.
func TestAgesAreComputedWhenTheFileWasWritten(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := filepath.Join(folder, "dump.json")
	require.NoError(t, os.WriteFile(file, []byte(asList(t, rollout()...)), 0o644))
	written := now.Add(8 * 60e9)
	require.NoError(t, os.Chtimes(file, written, written))
	got := execute(t, "", "-f", file)
	assert.Contains(t, got.stdout, "2026-03-04 14:24:05 UTC, from dump.json\n6 nodes: 3 done, 1 updating, 1 stuck, 1 waiting\n")
	assert.Contains(t, got.stdout, "Draining for 80m")
	assert.Empty(t, got.stderr)
	got = execute(t, "", "-f", file, "--at", "2026-03-04T15:16:05Z")
	assert.Contains(t, got.stdout, "Draining for 132m")

	older := filepath.Join(folder, "older.json")
	require.NoError(t, os.WriteFile(older, []byte(asList(t, rollout()...)), 0o644))
	require.NoError(t, os.Chtimes(older, now, now))
	assert.Contains(t, execute(t, "", "-f", folder).stdout, "2026-03-04 14:24:05 UTC")

	copied := now.Add(24 * 3600e9)
	require.NoError(t, os.Chtimes(file, copied, copied))
	got = execute(t, "", "-f", file)
	assert.Contains(t, got.stdout, "Draining for 71m")
	assert.Equal(t, "kubectl mcn: ages are computed at 2026-03-04T14:15:05Z, the newest time in dump.json: --at sets another time\n", got.stderr)
	assert.Contains(t, execute(t, "", "wait", "-f", file).stdout, "14:15:05 worker 3/6", "wait prints the same time")
	earlier := strings.ReplaceAll(asList(t, rollout()...), "2026-03-", "2026-02-")
	assert.Contains(t, execute(t, earlier, "-f", "-").stderr, "the newest time in stdin", "a pipe has no time of its own")
	got = execute(t, "", "-f", filepath.Join(real, "oc-adm-inspect"))
	assert.Contains(t, got.stdout, "2026-05-20 10:30:00 UTC", "the time of a Pod's file in the checkout does not count")
}
