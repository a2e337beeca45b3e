package components

import "time"

// Limits of memory, for a process that never ends its passes, or fails with ever new keys.
const (
	maxFaults  = 64   // errors with a text
	maxFailed  = 1024 // steps that have one
	maxRunning = 1024
)

// tracker remembers the running passes of a process, and its unresolved errors. It is pure: time is an
// argument. It is not safe for concurrent use.
type tracker struct {
	persist, dwell time.Duration

	running map[step]*Pass
	faults  map[step]*fault // beyond maxFaults, steps share one
	adopted adopted
	// resolved is the last error that was published and is over, or nil. Its text is not cleaned yet.
	resolved *Fault
	// succeeded are when steps last ended without an error: all without a key, and as many others as
	// there is room for.
	succeeded map[step]time.Time
}

func newTracker(persist, dwell time.Duration) tracker {
	return tracker{persist: persist, dwell: dwell, running: map[step]*Pass{}, faults: map[step]*fault{}, succeeded: map[step]time.Time{}}
}

// begin starts a pass. A running pass of the same step ends without an outcome.
func (t *tracker) begin(p *Pass) {
	if _, again := t.running[p.step]; again || len(t.running) < maxRunning {
		t.running[p.step] = p
	}
}

// succeed ends a pass without an error, and reports whether that may change a condition.
func (t *tracker) succeed(p *Pass, now time.Time) bool {
	t.end(p)
	changed := t.resolve(p.step, now)
	changed = t.succeedAdopted(p.step, now) || changed
	return t.noteSuccess(p.step, now) || changed
}

// noteSuccess reports whether a step has succeeded for the first time.
func (t *tracker) noteSuccess(s step, now time.Time) bool {
	_, again := t.succeeded[s]
	if !again && s.key != "" && len(t.succeeded) >= maxRunning {
		return false
	}
	t.succeeded[s] = now
	return !again
}

// fail ends a pass with an error. If a step of a sync has failed meanwhile, the error is that of the
// step: its resolution must not publish an older text until the sync ends, too.
func (t *tracker) fail(p *Pass, text string, now time.Time) {
	t.end(p)
	f := t.faults[p.step]
	if f == nil {
		if len(t.faults) >= maxFailed {
			return // it is added when it fails again and there is room
		}
		f = t.newFault(now)
		t.faults[p.step] = f
	}
	f.last = now
	shown := p.step
	if child := t.failedChild(p); child != nil {
		shown, text = child.shown, child.text
	}
	t.failAdopted(f, p.step, shown)
	if t.faults[f.shown] == f && f.shown != p.step {
		return // it is shared, and the step that it shows still fails
	}
	f.shown, f.text = shown, text
}

// newFault returns the fault of a step that fails for the first time in a row. Where there are too many,
// further steps share one, which lasts from the first failure of any until the last of them succeeds.
func (t *tracker) newFault(now time.Time) *fault {
	if len(t.faults) < maxFaults {
		return &fault{since: now}
	}
	for _, f := range t.faults {
		if f.shared {
			return f
		}
	}
	return &fault{since: now, shared: true}
}

// end ends a pass, unless a later one has replaced it.
func (t *tracker) end(p *Pass) {
	if t.running[p.step] == p {
		delete(t.running, p.step)
	}
}

// forget drops a step whose object is gone, and reports whether that may change a condition.
func (t *tracker) forget(s step, now time.Time) bool {
	_, running := t.running[s]
	delete(t.running, s)
	delete(t.succeeded, s)
	adopted := t.adopted.newest != nil && t.adopted.newest.isOf(s)
	if adopted {
		t.dropAdopted(now)
	}
	return t.resolve(s, now) || running || adopted
}

// advance expires adopted errors, and moves times out of the future: the clock may have been set
// back.
func (t *tracker) advance(now time.Time) {
	for _, f := range t.faults {
		f.since, f.last = earlier(f.since, now), earlier(f.last, now)
	}
	for _, p := range t.running {
		p.began = earlier(p.began, now)
	}
	t.expireAdopted(now)
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// slow returns the pass that takes longer than dwell, or nil: a step rather than its sync, and of
// several the one that began first.
func (t *tracker) slow(now time.Time) *Pass {
	var slowest *Pass
	for _, p := range t.running {
		if now.Sub(p.began) >= t.dwell && (slowest == nil || p.before(slowest)) {
			slowest = p
		}
	}
	return slowest
}

// next returns how long the conditions stay unchanged without an event, false if forever.
func (t *tracker) next(now time.Time) (time.Duration, bool) {
	soonest, found := time.Duration(0), false
	at := func(deadline time.Time) {
		if left := deadline.Sub(now); left > 0 && (!found || left < soonest) {
			soonest, found = left, true
		}
	}
	for _, f := range t.faults {
		if !f.persisted {
			at(f.since.Add(t.persist))
		}
	}
	for _, p := range t.running {
		at(p.began.Add(t.dwell))
	}
	if t.adopted.newest != nil || t.adopted.others > 0 {
		at(t.adopted.at.Add(adoptedTimeout))
	}
	return soonest, found
}
