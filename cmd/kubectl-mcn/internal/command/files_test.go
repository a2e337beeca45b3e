package command

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/sets"
)

// assertPrintable fails for a text with control characters of a terminal.
func assertPrintable(t testing.TB, text string) {
	t.Helper()
	if i := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u202e' }); i >= 0 {
		t.Fatalf("control character %q in %q", text[i], text[max(0, i-40):i+1])
	}
}

func TestWrongUsageGetsOneLine(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "a.txt"), nil, 0o600))
	t.Setenv("KUBECONFIG", filepath.Join(folder, "missing"))
	list := asList(t, rollout()...)
	for want, args := range map[string]string{
		"the folder has no .yaml or .json files":                               "-f " + folder,
		"cannot read /missing: stat /missing: no such file or directory":       "-f /missing",
		"no cluster is configured in " + folder + "/missing: set --kubeconfig": "worker",
		"cannot use the kubeconfig: stat /missing":                             "--kubeconfig /missing",
		`unknown pool "infra": the pools are master, worker; for a node`:       "infra -f -",
		`unknown node "worker-9"`:                                              "node worker-9 -f -",
		`--output "xml": use wide, json, yaml`:                                 "-o xml -f -",
		"--watch needs a terminal":                                             "-w -f -",
		"--watch cannot be used with -o yaml":                                  "-w -o yaml -f -",
		`--at "noon": use a time like`:                                         "--at noon -f -",
		"--at requires -f":                                                     "--at now",
		"unknown flag: --nope; see kubectl mcn wait --help":                    "wait --nope",
		"--from is empty":                                                      "wait --from , -f -",
		`unexpected argument "x"`:                                              "components x",
		`--at "later": use a time like`:                                        "wait --at later -f -",
		"name one node; see kubectl mcn node --help":                           "node -f -",
		`--output "jsonpath={.pools": unclosed action`:                         "-o jsonpath={.pools -f -",
		"--from is empty: set it to the config of the pool":                    "wait --from= -f -",
		"cannot use the kubeconfig: host must be a URL":                        "-s http://[::1",
		"nothing listens at http://127.0.0.1:1: is the cluster up":             "-s http://127.0.0.1:1",
		"--removed requires --machineconfig":                                   "wait worker --removed -f -",
		"--machineconfig requires the names of the pools that select it":       "wait --machineconfig 99-a -f -",
	} {
		got := execute(t, list, strings.Fields(args)...)
		assert.Equal(t, exitUsage, got.code, args)
		assert.Empty(t, got.stdout, args)
		assert.Contains(t, got.stderr, want, args)
		assert.Equal(t, 1, strings.Count(got.stderr, "\n"), got.stderr)
	}
}

// The command reads a pipe, /dev/stdin, and a folder that also has files, folders and links that cannot be read.
// Users of other programs expect that <(...) and /dev/stdin can be passed, see
// https://github.com/carvel-dev/ytt/issues/12 and https://github.com/stackrox/kube-linter/issues/702.
func TestPipesAndMixedFoldersAreRead(t *testing.T) {
	t.Parallel()
	list := asList(t, rollout()...)
	read, write, err := os.Pipe()
	require.NoError(t, err)
	go func() {
		_, _ = write.WriteString(list)
		_ = write.Close()
	}()
	got := execute(t, "", "-f", fmt.Sprintf("/dev/fd/%d", read.Fd()))
	assert.Contains(t, got.stdout, "from a pipe\n6 nodes: 3 done, 1 updating")
	assert.Empty(t, got.stderr)

	folder := t.TempDir()
	inFolder := func(name string) string { return filepath.Join(folder, name) }
	require.NoError(t, os.Mkdir(inFolder("deep"), 0o700))
	require.NoError(t, os.WriteFile(inFolder("deep/dump.json"), []byte(list), 0o600))
	require.NoError(t, syscall.Mkfifo(inFolder("fifo.json"), 0o600))
	show := func() execution { return execute(t, "", "-f", folder, "--at", now.Format(time.RFC3339)) }
	got = show()
	assert.Contains(t, got.stdout, "6 nodes: 3 done, 1 updating", "a FIFO is skipped")
	assert.Empty(t, got.stderr)
	require.NoError(t, os.Symlink("missing", inFolder("broken.yaml")))
	got = show()
	assert.Contains(t, got.stdout, "6 nodes: 3 done, 1 updating")
	assert.Contains(t, got.stderr, "broken.yaml: no such file or directory; all other objects are shown\n")
	require.NoError(t, os.Symlink("loop.yaml", inFolder("loop.yaml")))
	require.NoError(t, os.WriteFile(inFolder("secret.yaml"), []byte(list), 0))
	require.NoError(t, os.Mkdir(inFolder("private"), 0))
	got = show()
	assert.Contains(t, got.stdout, "6 nodes: 3 done, 1 updating")
	assert.Regexp(t, `^[^\n]*; [1-3] more cannot be read; all other objects are shown\n$`, got.stderr)
	if os.Getuid() != 0 { // root may read the file
		assert.Contains(t, execute(t, "", "-f", inFolder("private")).stderr, "cannot read the folder private: permission denied\n")
	}

	for name, bytes := range map[string]string{"dump.tar.gz": "\x1f\x8b\x08", "dump.zip": "PK\x03\x04", "dump.tar": strings.Repeat("\x00", 257) + "ustar\x0000"} {
		require.NoError(t, os.Mkdir(inFolder(name+".d"), 0o755))
		file := filepath.Join(inFolder(name+".d"), name)
		require.NoError(t, os.WriteFile(file, []byte(bytes), 0o600))
		got = execute(t, "", "-f", file)
		assert.Equal(t, exitUsage, got.code)
		assert.Equal(t, "kubectl mcn: "+name+" is an archive: unpack it, and pass the folder or the file in it\n", got.stderr)
		assert.Contains(t, execute(t, "", "-f", filepath.Dir(file)).stderr, name+" is an archive: unpack it\n")
	}
}

// Control characters and colors in the texts of objects do not reach the terminal.
func TestControlCharactersAreNotPrinted(t *testing.T) {
	t.Parallel()
	const head = "kind: MachineConfigNode\nmetadata: {name: node-0}\nspec: {pool: {name: i}}\nstatus:\n  conditions:\n  - type: NodeDegraded\n    status: 'True'\n    message: "
	for in, want := range map[string]string{
		`"\e[0m\e[31merror: \e[0mdisk\x7f\x9f full\e[2J"`: `error: disk\x7f\u009f full\x1b[2J`,
		"\x1b[31mdisk\x7f full":                           "\ufffd[31mdisk\ufffd full",
		"disk\ufeff füll":                                 "disk\ufffd füll",
	} {
		got := execute(t, head+in+"\n", "-f", "-")
		assert.Contains(t, got.stdout, want)
		assert.Empty(t, got.stderr)
		got = execute(t, head+in+"\n", "-f", "-", "-o", "yaml")
		assert.Zero(t, got.code, got.stderr)
		assert.Contains(t, got.stdout, "disk")
		assertPrintable(t, got.stdout)
		assert.NotContains(t, got.stdout, "[31merror")
	}
}

func FuzzFiles(f *testing.F) {
	f.Add("{}", uint8(80))
	f.Add(`{"apiVersion":"machineconfiguration.openshift.io/v1","kind":"MachineConfigPoolList","items":[{"metadata":{"name":"infra\u001b[2J"}}]}`, uint8(3))
	f.Add("apiVersion: v1\nkind: MachineConfigNode\nmetadata: {name: n}\nspec: {pool: {name: i}}\nstatus: {conditions: [{type: NodeDegraded, status: 'True', message: \"\\e[2J\"}]}\n", uint8(40))
	f.Add(asList(f, rollout()...), uint8(3))
	f.Fuzz(func(t *testing.T, in string, width uint8) {
		if strings.Count(in, "&") > 3 {
			t.Skip("YAML aliases can grow exponentially")
		}
		for _, args := range [][]string{{"-f", "-"}, {"wait", "-f", "-"}, {"node", "n", "-f", "-"}, {"components", "-f", "-"}} {
			got := executeAt(t, int(width), in, args...)
			assertPrintable(t, got.stdout+got.stderr)
		}
	})
}

// The YAML block of docs/kubectl-mcn.md has exactly the fields of a pool and its nodes.
func TestThePageHasEachField(t *testing.T) {
	page, err := os.ReadFile("../../../../docs/kubectl-mcn.md")
	require.NoError(t, err)
	_, block, _ := strings.Cut(string(page), "```yaml\n")
	block, _, _ = strings.Cut(block, "```")
	fields := jsonFields(reflect.TypeFor[documentPool]())
	fields.Insert("kind", "time", "from", "updatingTo", "pools", "done", "updating", "stuck", "waiting", "idle", "unreported", "missing") // the names of the counts are keys of a map
	words := sets.New(regexp.MustCompile(`\w+`).FindAllString(block, -1)...)
	assert.Empty(t, fields.Difference(words).UnsortedList(), "fields that the page lacks")
	shown := sets.New[string]()
	for _, match := range regexp.MustCompile(`(?m)(?:^[ -]*|[{,] ?)(\w+):`).FindAllStringSubmatch(block, -1) {
		shown.Insert(match[1])
	}
	assert.Empty(t, shown.Difference(fields).UnsortedList(), "fields that only the page has")
}

// jsonFields returns the JSON names of the fields of a type, including those of nested types.
func jsonFields(of reflect.Type) sets.Set[string] {
	fields := sets.New[string]()
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || of == reflect.TypeFor[time.Time]() {
		return fields
	}
	for i := range of.NumField() {
		name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		if name != "" {
			fields.Insert(name)
		}
		fields = fields.Union(jsonFields(of.Field(i).Type))
	}
	return fields
}
