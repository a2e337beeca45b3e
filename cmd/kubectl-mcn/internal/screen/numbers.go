package screen

import (
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"
)

// nodes formats a number of nodes.
func nodes(n int) string {
	if n == 1 {
		return "1 node"
	}
	return strconv.Itoa(n) + " nodes"
}

// took formats a duration as kubectl does: 114s, 5m42s, 47m.
func took(d time.Duration) string { return duration.HumanDuration(max(0, d)) }

// orDash is took, or a dash if the duration is not known.
func orDash(d time.Duration) string {
	if d <= 0 {
		return "-"
	}
	return took(d)
}

// sinceNow formats how long ago a time was, if it is known.
func sinceNow(since, now time.Time) string {
	if since.IsZero() {
		return "-"
	}
	return took(now.Sub(since))
}

// sinceText is " since 13:20 (1h40m)", or nothing if the time is not known.
func sinceText(since, now time.Time) string {
	if since.IsZero() {
		return ""
	}
	return " since " + clockTime(since, now) + " (" + took(now.Sub(since)) + ")"
}

// sinceTime is " (since 13:20)", or nothing if the time is not known.
func sinceTime(since, now time.Time) string {
	if since.IsZero() {
		return ""
	}
	return " (since " + clockTime(since, now) + ")"
}

// clockTime formats a time of day, with the date if it is not today.
func clockTime(t, now time.Time) string {
	t = t.In(now.Location())
	if t.YearDay() == now.YearDay() && t.Year() == now.Year() {
		return t.Format(time.TimeOnly)
	}
	return t.Format("Jan 2 15:04:05")
}
