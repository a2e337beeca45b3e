package source

import (
	"bytes"
	"regexp"
)

// getThem tells the user how to write a file that the command can read.
const getThem = "use oc get mcp,machineconfignodes -o yaml --show-managed-fields > FILE"

// firstLine matches the first line of an object. Prompts and warnings may come before this line.
var firstLine = regexp.MustCompile(`(?m)^(?:[{\[]|---\s*$|#|(?:apiVersion|kind|items|metadata):)`)

// objectsIn cuts off the text before the first object, and reports whether the objects are JSON. If
// data has no object, it returns a UsageError.
func objectsIn(name string, data []byte) (objects []byte, isJSON bool, _ error) {
	switch {
	case len(bytes.TrimSpace(data)) == 0:
		return nil, false, Usagef("%s is empty: %s", name, getThem)
	case bytes.IndexByte(data, 0) >= 0: // an archive, or UTF-16
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
		if !bytes.HasPrefix(line, []byte("---")) {
			document = append(document, line...)
		}
	}
	end()
	return all
}
