package main

import (
	"bytes"
	encoding "encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	sigsyaml "sigs.k8s.io/yaml"
)

// hostileTexts are hard to write as YAML.
var hostileTexts = []string{
	"", "null", "12", "~", "a: b", "- a", "#", " a ", "'", `"`, `\u202e`, "two\nlines\n", "a\ttab", "\r", "\x00", "\x1b[2J", "a\x7fb", "\u0080\u0085\u009f",
	"\u00a0", "\u00ad", "\u200b\u202e", "\u2028\u2029", "\ufeff", "\ufffe\uffff", "\U000e0001", "\U0010ffff", "\U0001f600", "\xff", "\ue000", "\ue0000\ue000", "\ue0002\ue000\x7f",
	"two\nlines\x7f",
}

// TestYAMLIsTheJSON reads the YAML of hostile texts back.
func TestYAMLIsTheJSON(t *testing.T) {
	d := document{Pools: []documentPool{{Name: "worker"}}}
	for _, text := range hostileTexts {
		n := 1234567
		d.Pools[0].Nodes = append(d.Pools[0].Nodes, documentNode{Name: "worker-0", Message: text, Steps: []documentStep{{Seconds: &n}}})
	}
	want, err := encoding.Marshal(d)
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, writeYAML(&out, d))
	assertPrintable(t, out.String())
	got, err := sigsyaml.YAMLToJSON(out.Bytes())
	require.NoError(t, err, out.String())
	assert.JSONEq(t, string(want), string(got))
	assert.Contains(t, out.String(), "seconds: 1234567\n")
	assert.Contains(t, out.String(), `message: "\x1b[2J"`)
}
