package progress

import (
	"math"
	"slices"
	"time"
)

const maxDuration = time.Duration(math.MaxInt64)

// remaining returns the remaining time of each node that is updating and not stuck.
func (r *rollout) remaining() []time.Duration {
	var all []time.Duration
	for _, n := range r.pool.Nodes {
		if n.State != Updating {
			continue
		}
		var elapsed time.Duration
		if start := earlier(n.Ordered, n.Begun); !start.IsZero() {
			elapsed = since(start, r.now)
		}
		all = append(all, max(0, r.pool.Typical-elapsed))
	}
	return all
}

// left returns how long it takes until all nodes are done, and whether it ever ends: those in flight
// need these durations, each waiting one the typical duration, and places nodes are updated at a time.
//
//  1. A waiting node starts as soon as fewer nodes are in flight than there are places.
//  2. With more nodes in flight than places, the first ones to finish give theirs up.
//  3. None needs more than the typical time, so that nodes finish in the order in which they start.
func left(inFlight []time.Duration, waiting, places int, typical time.Duration) (time.Duration, bool) {
	if waiting > 0 && places <= 0 {
		return 0, false
	}
	slices.Sort(inFlight)
	var last time.Duration
	if len(inFlight) > 0 {
		last = inFlight[len(inFlight)-1]
	}
	if waiting == 0 {
		return last, true
	}
	// free holds when each place is free, the earliest first.
	free := inFlight[max(0, len(inFlight)-places):]
	if unused := min(places-len(free), waiting); unused > 0 {
		free = append(make([]time.Duration, unused), free...)
	}
	for range waiting {
		done := add(free[0], typical)
		free = append(free[1:], done)
		last = max(last, done)
	}
	return last, true
}

// add returns the sum of two durations that are not negative, at most maxDuration.
func add(a, b time.Duration) time.Duration {
	if a > maxDuration-b {
		return maxDuration
	}
	return a + b
}
