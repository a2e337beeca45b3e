package screen

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ellipsis marks text that was cut.
const ellipsis = "..."

// typographic are the ASCII replacements of characters in messages.
var typographic = map[rune]string{
	'…': ellipsis, '“': `"`, '”': `"`, '‘': "'", '’': "'", '–': "-", '—': "-", '\u00a0': " ",
}

// Clean returns text on one line of printable ASCII, in at most width columns; 0 is no limit.
func Clean(s string, width int) string { return Cut(clean(s), width) }

// clean returns text on one line of printable ASCII. White space becomes one space; other
// characters are escaped as in a Go string.
func clean(s string) string {
	var b strings.Builder
	space := false
	for i, r := range s {
		if unicode.IsSpace(r) {
			space = b.Len() > 0
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		twin, isTypographic := typographic[r]
		switch {
		case isTypographic:
			b.WriteString(twin)
		case r >= ' ' && r <= '~':
			b.WriteRune(r)
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, s[i]) // no UTF-8
		case r < utf8.RuneSelf:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	return b.String()
}

// Cut returns text that Clean has returned, in at most width columns; 0 is no limit.
func Cut(s string, width int) string {
	switch {
	case width <= 0 || len(s) <= width:
		return s
	case width <= len(ellipsis):
		return s[:width]
	}
	return strings.TrimRight(s[:width-len(ellipsis)], " ") + ellipsis
}

// short returns a clean name in at most width columns. Of a name with a domain it keeps the host;
// of another one both ends, as the nodes of one pool differ at the end.
func short(name string, width int) string {
	if width <= 0 || len(name) <= width {
		return name
	}
	if host, _, ok := strings.Cut(name, "."); ok && host != "" && len(host) <= width {
		return host
	}
	const gap = ".."
	if width <= 2*len(gap) {
		return name[:width]
	}
	head := (width - len(gap)) / 2
	return name[:head] + gap + name[len(name)-(width-len(gap)-head):]
}

// Wrap returns text in lines of printable ASCII, in at most width columns, all but the first with an
// indent; 0 is no limit.
func Wrap(s string, width, indent int) []string { return wrap(clean(s), width, indent, 0) }

// wrap breaks clean text at spaces into lines of at most width columns, all but the first
// with an indent. Of more than most lines the last one is cut; 0 is no limit of either.
func wrap(s string, width, indent, most int) []string {
	s = strings.TrimRight(s, " ")
	if width <= 0 {
		return []string{s}
	}
	var lines []string
	margin := ""
	for {
		room := max(1, width-len(margin))
		if len(s) <= room {
			return append(lines, margin+s)
		}
		if most > 0 && len(lines) == most-1 {
			return append(lines, margin+Cut(s, room))
		}
		end := strings.LastIndex(s[:room+1], " ")
		if end <= 0 || strings.TrimLeft(s[:end], " ") == "" {
			end = room // a word that is longer than a line
		}
		lines = append(lines, margin+strings.TrimRight(s[:end], " "))
		s = strings.TrimLeft(s[end:], " ")
		margin = strings.Repeat(" ", min(indent, width-1))
	}
}
