package cluster

import "time"

// since returns the duration between two times, or zero if the time to is before the time from.
func since(from, to time.Time) time.Duration {
	return max(0, to.Sub(from))
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// median returns the median of sorted durations, or zero for an empty list.
func median(sorted []time.Duration) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	low, high := sorted[(len(sorted)-1)/2], sorted[len(sorted)/2]
	return low + (high-low)/2
}
