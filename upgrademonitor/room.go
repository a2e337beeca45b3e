package upgrademonitor

import "context"

// makeRoom compacts a full queue until it accepts something. It reports whether it does: not where
// nothing is left to compact, or ctx has ended.
func (m *Monitor) makeRoom(ctx context.Context) bool {
	m.compacting.Lock()
	defer m.compacting.Unlock()
	for m.isFull() {
		if ctx.Err() != nil || !m.compact() {
			return false
		}
	}
	return true
}

// compact makes one step of compaction. Others get m.mu before the next one.
func (m *Monitor) compact() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.queue.Compact()
}

func (m *Monitor) isFull() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.queue.IsFull()
}
