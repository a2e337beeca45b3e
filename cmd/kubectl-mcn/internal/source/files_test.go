package source

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
)

func TestTheOriginNamesFilesStdinAndPipes(t *testing.T) {
	for want, names := range map[string][]string{
		"stdin":          {"-"},
		"stdin, stdin":   {"/dev/stdin", "/proc/self/fd/0"},
		"a pipe, a pipe": {"/dev/fd/63", "/proc/self/fd/11"},
		"a.yaml, b":      {"/tmp/a.yaml", "dumps/b/"},
	} {
		assert.Equal(t, want, (&Files{Names: names}).Origin())
	}
}

// The time of a dump is the newest heartbeat of its Nodes, whatever the order of the conditions. Objects that are more than ten
// minutes newer were added later.
func TestTheNewestHeartbeatIsTheTimeOfADump(t *testing.T) {
	const node = `{"kind":"Node","metadata":{"name":"a"},"status":{"conditions":[
		{"type":"Ready","lastHeartbeatTime":"2026-05-22T12:00:00Z"},{"type":"DiskPressure","lastHeartbeatTime":"2026-05-22T11:40:00Z"}]}}`
	for last, isLater := range map[string]bool{"12:10:00": false, "12:10:01": true} {
		d := decoder{}
		require.NoError(t, d.decode("", "", []byte(node+`{"kind":"MachineConfigNode","metadata":{"name":"b"},"status":{"conditions":[{"lastTransitionTime":"2026-05-22T`+last+`Z"}]}}`)))
		assert.Equal(t, isLater, !d.older().IsZero(), last)
	}
}

func TestAByteOrderMarkOrAZeroTellsTheEncoding(t *testing.T) {
	for in, want := range map[string]string{
		"kind": "kind", "\ufeffkind": "kind", "\xff\xfek\x00\xac\x20": "k\u20ac", "\xfe\xff\x00k\x20\xac": "k\u20ac", "\xff\xfe": "", "\xff\xfek\x00\xac": "k",
		"k\x00\xac\x20": "k\u20ac", "\x00k\x20\xac": "k\u20ac", "": "", "k": "k",
	} {
		assert.Equal(t, want, string(asUTF8([]byte(in))), "%q", in)
	}
}

// A file may be the output of several commands, in YAML or in JSON.
func TestAFileMayHaveSeveralDocuments(t *testing.T) {
	const yaml, json = "kind: Node\nmetadata:\n  name: a\n", `{"kind":"Node","metadata":{"name":"a"}}`
	const list = "apiVersion: v1\nitems:\n- kind: Node\n  metadata:\n    name: a\nkind: List\n"
	for _, text := range []string{
		yaml + "---\n" + yaml, yaml + "...\n" + yaml, yaml + "...\n---\n" + yaml, list + list,
		json + json, "[" + json + ",\n" + json + "]\n", "- kind: Node\n  metadata:\n    name: a\n- kind: Node\n  metadata:\n    name: a\n", "\n" + json + "\n" + json, "---\n" + json + "\n---\n" + json,
	} {
		d := decoder{}
		require.NoError(t, d.decode("", "", []byte(text)), text)
		assert.Len(t, d.objects, 2, text)
	}
}

// Nodes in an archive of the Insights operator have no kind, and neither have the items of a list. The folder tells it.
func TestTheFolderTellsTheKindOfAnObjectWithoutKind(t *testing.T) {
	for _, text := range []string{`{"metadata":{"name":"a"}}`, `{"kind":"List","items":[{"metadata":{"name":"a"}}]}`} {
		d := decoder{}
		require.NoError(t, d.decode("", "Node", []byte(text)))
		require.Len(t, d.objects, 1)
		assert.IsType(t, &corev1.Node{}, d.objects[0].Object)
	}
}
