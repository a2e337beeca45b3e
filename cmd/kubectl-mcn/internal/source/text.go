package source

import (
	"bytes"
	"regexp"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// getThem tells the user how to write a file that the command can read.
const getThem = "use oc get mcp,machineconfignodes -o yaml --show-managed-fields > FILE"

var (
	// firstLine matches the first line of an object. Prompts and warnings may come before this
	// line.
	firstLine = regexp.MustCompile(`(?m)^(?:[{\[]|---\s*$|#|(?:apiVersion|kind|items|metadata):)`)
	// ofYAML matches a line of YAML as kubectl prints it. Any other line is a warning, or output of
	// a shell, such as a prompt.
	ofYAML = regexp.MustCompile(`^(?:[ #-]|[a-z]\w*:|\.\.\.|$)`)
)

// objectsIn cuts off the text before the first object, and reports whether the objects are JSON. If
// data has no object, it returns a UsageError.
func objectsIn(name string, data []byte) (objects []byte, isJSON bool, _ error) {
	switch {
	case bytes.HasPrefix(data, []byte("PK\x03\x04")), bytes.HasPrefix(data, []byte("\x1f\x8b")):
		return nil, false, Usagef("%s is a zip or gzip archive: unpack it, and name the folder", name)
	case len(bytes.TrimSpace(data)) == 0:
		return nil, false, Usagef("%s is empty: %s", name, getThem)
	}
	// PowerShell writes UTF-16 with a byte order mark.
	data, _, err := transform.Bytes(unicode.BOMOverride(encoding.Nop.NewDecoder()), data)
	if err != nil || bytes.IndexByte(data, 0) >= 0 {
		return nil, false, Usagef("%s is neither YAML nor JSON: %s", name, getThem)
	}
	at := firstLine.FindIndex(data[:min(len(data), 1<<16)])
	if at == nil {
		return nil, false, Usagef("%s is text, and has no objects: %s", name, getThem)
	}
	data = data[at[0]:]
	return data, data[0] == '{' || data[0] == '[', nil
}

// splitYAML splits YAML into documents. A second apiVersion starts a new document, because a file
// may have two outputs of kubectl without a separator.
func splitYAML(data []byte) [][]byte {
	var all [][]byte
	var document []byte
	hasVersion := false
	end := func() {
		all = append(all, document)
		document, hasVersion = nil, false
	}
	for line := range bytes.Lines(data) {
		isVersion := bytes.HasPrefix(line, []byte("apiVersion:"))
		if isVersion && hasVersion || bytes.HasPrefix(line, []byte("---")) {
			end()
		}
		hasVersion = hasVersion || isVersion
		if ofYAML.Match(line) && !bytes.HasPrefix(line, []byte("---")) {
			document = append(document, line...)
		}
	}
	end()
	return all
}
