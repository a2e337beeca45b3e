package progress

import (
	"slices"
	"time"
)

// since returns the time from one to the other, zero if they are out of order.
func since(from, to time.Time) time.Duration {
	return max(0, to.Sub(from))
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// earlier returns the earlier of two times, ignoring zero ones.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// median returns the median, zero of none. It sorts the durations.
func median(durations []time.Duration) time.Duration {
	if len(durations) == 0 {
		return 0
	}
	slices.Sort(durations)
	low, high := durations[(len(durations)-1)/2], durations[len(durations)/2]
	return low + (high-low)/2
}
