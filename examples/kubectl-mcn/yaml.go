package main

import (
	"bytes"
	encoding "encoding/json"
	"io"
	"strconv"
	"strings"
	"unicode"

	sigsyaml "sigs.k8s.io/yaml"
)

// writeYAML prints a value as YAML, with the same content as its JSON. A text with characters that
// YAML does not allow, or that a terminal obeys, is in double quotes, with escapes.
func writeYAML(w io.Writer, v any) error {
	b, err := encoding.Marshal(v)
	if err != nil {
		return err
	}
	var tree any
	d := encoding.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&tree); err != nil {
		return err
	}
	var quoted []string
	if b, err = sigsyaml.Marshal(replaceOdd(tree, &quoted)); err != nil {
		return err
	}
	_, err = strings.NewReplacer(quoted...).WriteString(w, string(b))
	return err
}

// replaceOdd replaces each text that must be quoted by a mark that YAML leaves as it is. It appends
// pairs of a mark and a quoted text.
func replaceOdd(v any, quoted *[]string) any {
	switch v := v.(type) {
	case map[string]any:
		for key := range v {
			v[key] = replaceOdd(v[key], quoted)
		}
	case []any:
		for i := range v {
			v[i] = replaceOdd(v[i], quoted)
		}
	case string:
		if strings.IndexFunc(v, isOdd) < 0 {
			return v
		}
		mark := string(markRune) + strconv.Itoa(len(*quoted)) + string(markRune)
		*quoted = append(*quoted, mark, strconv.Quote(v)) // all escapes of Go are those of YAML, too
		return mark
	}
	return v
}

// markRune is at both ends of a mark. It is for private use, and so it is odd: no other text has it.
const markRune = '\ue000'

func isOdd(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }
