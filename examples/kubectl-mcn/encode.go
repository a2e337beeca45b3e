package main

import (
	"bytes"
	encoding "encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"

	"github.com/openshift/upgrademonitor/examples/internal/screen"
)

// writeJSON prints a value as JSON, on one line or indented. Control characters of terminals are
// escaped.
func writeJSON(w io.Writer, v any, indent bool) error {
	var b bytes.Buffer
	e := encoding.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if indent {
		e.SetIndent("", "    ")
	}
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(w, printable(b.String()))
	return err
}

// printable escapes, as JSON does, the control and format characters that have no meaning
// in a text of lines.
func printable(s string) string {
	odd := func(r rune) bool {
		return r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029')
	}
	if strings.IndexFunc(s, odd) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case !odd(r):
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// line is a move as JSON.
type line struct {
	Time    time.Time `json:"time"`
	Move    string    `json:"move"`
	Pool    string    `json:"pool"`
	Target  string    `json:"target"`
	Done    int       `json:"done"`
	Nodes   int       `json:"nodes"`
	Node    string    `json:"node,omitempty"`
	Step    string    `json:"step,omitempty"`
	Next    string    `json:"next,omitempty"`
	Seconds *int      `json:"seconds,omitempty"`
	Message string    `json:"message,omitempty"`
}

func writeMoves(w io.Writer, moves []screen.Move) error {
	for _, m := range moves {
		err := writeJSON(w, line{
			Time: m.Time.UTC(), Move: string(m.Kind), Pool: m.Pool, Target: m.Target, Done: m.Done, Nodes: m.Nodes, Node: m.Node,
			Step: string(m.Step), Next: string(m.Next), Seconds: seconds(m.Took, m.Took > 0), Message: m.Message,
		}, false)
		if err != nil {
			return err
		}
	}
	return nil
}
