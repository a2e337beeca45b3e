package screen

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
)

// ellipsis marks text that was cut.
const ellipsis = "..."

// columns measures and cuts text by its width on a terminal, independent of the locale.
var columns = &runewidth.Condition{}

// Width returns the number of columns of clean text, which is text that Clean has returned.
func Width(s string) int { return columns.StringWidth(s) }

// Clean returns text on one line, without colors. White space becomes a single space. Characters that are
// not printable are escaped as in a Go string, so that no object can send a control sequence to the
// terminal.
func Clean(s string) string {
	quoted := strconv.Quote(strings.Join(strings.Fields(mco.Plain(s)), " "))
	return printable.Replace(quoted[1 : len(quoted)-1])
}

// printable removes the backslashes that strconv.Quote adds to quotes and backslashes.
var printable = strings.NewReplacer(`\"`, `"`, `\\`, `\`)

// Cut cuts clean text to at most width columns; 0 means no limit.
func Cut(s string, width int) string {
	if width <= 0 || Width(s) <= width {
		return s
	}
	tail := ellipsis[:min(len(ellipsis), width-1)]
	return strings.TrimRight(columns.Truncate(s, width-len(tail), ""), " ") + tail
}

// short shortens a clean name to at most width columns, which are at least 4; 0 means no limit. Of a
// name with a domain, it keeps the host. Of any other name, it keeps both ends, because the names of
// a pool's nodes differ at the end.
func short(name string, width int) string {
	if width <= 0 || Width(name) <= width {
		return name
	}
	if host, _, _ := strings.Cut(name, "."); Width(host) <= width {
		return host
	}
	const gap = ".."
	head := (width - len(gap)) / 2
	return columns.Truncate(name, head, "") + gap + columns.TruncateLeft(name, Width(name)-(width-len(gap)-head), "")
}

func pad(s string, width int) string { return s + strings.Repeat(" ", max(0, width-Width(s))) }

// keptTail is how many columns at the end of a message are never cut, because the cause of a
// wrapped Go error is at the end.
const keptTail = 160

// cutMiddle cuts clean text in the middle, to about width columns. It always keeps the last
// keptTail columns. If the text is too long, its digests are cut first.
func cutMiddle(s string, width int) string {
	width = max(width, keptTail+40)
	if Width(s) > width {
		s = mco.Digest.ReplaceAllString(s, "$1"+ellipsis)
	}
	if Width(s) <= width {
		return s
	}
	head := columns.Truncate(s, width-keptTail-len(ellipsis)-2, "")
	return head + " " + ellipsis + " " + columns.TruncateLeft(s, Width(s)-keptTail, "")
}

func nodes(n int) string {
	if n == 1 {
		return "1 node"
	}
	return strconv.Itoa(n) + " nodes"
}

// addOnce adds the texts that the list does not have yet.
func addOnce(list []string, texts ...string) []string {
	for _, text := range texts {
		if !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

// took formats a duration as kubectl does: 114s, 5m42s, 47m.
func took(d time.Duration) string { return duration.HumanDuration(max(0, d)) }

// orDash formats a duration, or returns a dash if the duration is not known.
func orDash(d time.Duration) string {
	if d <= 0 {
		return "-"
	}
	return took(d)
}

// sinceNow formats how long ago a time was, or returns a dash if the time is not known.
func sinceNow(since, now time.Time) string {
	if since.IsZero() {
		return "-"
	}
	return took(now.Sub(since))
}

// sinceText returns, for example, " since 13:20:05 (1h40m)", or "" if the time is not known.
func sinceText(since, now time.Time) string {
	if since.IsZero() {
		return ""
	}
	return " since " + clockTime(since, now) + " (" + took(now.Sub(since)) + ")"
}

// sinceTime returns, for example, " (since 13:20:05)".
func sinceTime(since, now time.Time) string {
	return " (since " + clockTime(since, now) + ")"
}

// clockTime formats a time of day, with the date if it is not today.
func clockTime(t, now time.Time) string {
	t = t.In(now.Location())
	if t.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return t.Format(time.TimeOnly)
	}
	return t.Format("Jan 2 15:04:05")
}
