package screen

import (
	"regexp"
	"strings"
)

// different matches the parts of a message that differ between nodes with the same cause: times,
// addresses, digests, UUIDs and other hashes, long numbers, and paths.
var different = regexp.MustCompile(
	`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S*|\b\d{1,2}:\d\d:\d\d(\.\d+)?|\b\d+(\.\d+)?(ms|h|m|s)(\d+(\.\d+)?(ms|m|s))*\b` +
		`|\b\d+\.\d+\.\d+\.\d+(:\d+)?|\b[0-9a-f]{8,}(-[0-9a-f]{4,})*\b|\d{4,}|(/[\w.@:+~-]+)+/?`)

// masked returns a message without the parts that differ between nodes with the same cause. node is
// the name of the node.
func masked(message, node string) string {
	host, _, _ := strings.Cut(node, ".")
	message = strings.ReplaceAll(message, host, "")
	return different.ReplaceAllString(message, "*")
}
