package screen

import "strings"

// Tone is the kind of a line, which determines its color.
type Tone int

// The tones.
const (
	Plain  Tone = iota
	Header      // the titles of a table
	Warn        // a slow node, an image that is being built
	Alarm       // a stuck node, a blocked pool, an unreachable server
)

// Line is one line of a screen: printable, without a line feed.
type Line struct {
	Text string
	Tone Tone
}

func lines(tone Tone, texts ...string) []Line {
	var ls []Line
	for _, t := range texts {
		ls = append(ls, Line{Text: strings.TrimRight(t, " "), Tone: tone})
	}
	return ls
}

// wrapped returns clean text as lines of at most width columns, 0 is no limit, with an indent on all but the first.
func wrapped(tone Tone, indent, text string, width int) []Line {
	if width <= 0 || Width(text) <= width {
		return lines(tone, text)
	}
	return lines(tone, indented("", indent, text, width)...)
}
