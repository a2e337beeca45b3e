package screen

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mattn/go-runewidth"
)

const (
	// ellipsis marks text that was cut.
	ellipsis = "..."
	// longestName is the longest name of an object. Longer words are broken.
	longestName = 253
)

// columns measures text as terminals do, in any locale.
var columns = &runewidth.Condition{}

// Width returns how many columns a clean text takes.
func Width(s string) int { return columns.StringWidth(s) }

// Clean returns text on one line, in at most width columns; 0 is no limit. White space becomes one
// space; control characters, and others that are not printable, are escaped as in a Go string, so that no
// object of a cluster can send a control sequence to the terminal.
func Clean(s string, width int) string { return Cut(clean(s), width) }

func clean(s string) string {
	quoted := strconv.Quote(strings.Join(strings.Fields(s), " "))
	return printable.Replace(quoted[1 : len(quoted)-1])
}

// printable undoes the escapes of what is printable.
var printable = strings.NewReplacer(`\"`, `"`, `\\`, `\`)

// Cut returns clean text in at most width columns; 0 is no limit.
func Cut(s string, width int) string {
	if width <= 0 || Width(s) <= width {
		return s
	}
	tail := ellipsis[:min(len(ellipsis), width-1)]
	return strings.TrimRight(columns.Truncate(s, width-len(tail), ""), " ") + tail
}

// short returns a clean name in at most width columns. Of a name with a domain it keeps the host;
// of another one both ends, as the nodes of one pool differ at the end.
func short(name string, width int) string {
	if width <= 0 || Width(name) <= width {
		return name
	}
	if host, _, ok := strings.Cut(name, "."); ok && host != "" && Width(host) <= width {
		return host
	}
	const gap = ".."
	if width <= 2*len(gap) {
		return columns.Truncate(name, width, "")
	}
	head := (width - len(gap)) / 2
	return columns.Truncate(name, head, "") + gap + columns.TruncateLeft(name, Width(name)-(width-len(gap)-head), "")
}

// shortAll shortens names that have to stay distinct: where both ends are the same, a number is added.
func shortAll(names []string, width int) []string {
	all := make([]string, len(names))
	count := map[string]int{}
	for i, name := range names {
		all[i] = short(name, width)
		count[all[i]]++
	}
	seen := map[string]int{}
	for i, s := range all {
		if count[s] > 1 && s != names[i] {
			seen[s]++
			number := fmt.Sprintf("~%d", seen[s])
			all[i] = columns.Truncate(s, max(1, width-len(number)), "") + number
		}
	}
	return all
}

func pad(s string, width int) string { return s + strings.Repeat(" ", max(0, width-Width(s))) }

// wrap breaks clean text at spaces into lines of at most width columns; 0 is no limit. A word that is
// wider than a line has one of its own. Of more than most lines the last one is cut; 0 is no limit.
func wrap(s string, width, most int) []string {
	if width <= 0 {
		return []string{s}
	}
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		if len(word) > longestName {
			word = Cut(word, longestName)
		}
		switch {
		case line == "":
			line = word
		case Width(line)+1+Width(word) <= width:
			line += " " + word
		case most > 0 && len(lines) == most-1:
			return append(lines, Cut(line+" "+word, max(width, len(ellipsis)+1)))
		default:
			lines, line = append(lines, line), word
		}
	}
	return append(lines, line)
}

// indented wraps text, with an indent on all lines but the first, or on all lines.
func indented(first, rest, s string, width, most int) []string {
	room := width
	if width > 0 {
		room = max(1, width-len(rest))
	}
	lines := wrap(clean(s), room, most)
	for i := range lines {
		if i == 0 {
			lines[i] = first + lines[i]
		} else {
			lines[i] = rest + lines[i]
		}
	}
	return lines
}
