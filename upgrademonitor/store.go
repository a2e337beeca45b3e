package upgrademonitor

import (
	"errors"
	"sync"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"k8s.io/utils/clock"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/pending"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// store is what the goroutines of a Monitor share: what is pending, and what is known of the
// object. Each method is one step under its lock: none makes a request, and of Config none calls
// anything but the clock. See also known.go and decide.go.
type store struct {
	clock         clock.PassiveClock // real time
	checkInterval time.Duration
	hasLister     bool
	fromLister    func(object *mcfgv1.MachineConfigNode, known plan.State) (plan.State, error)

	mu    sync.Mutex // guards queue and base
	queue pending.Queue
	base  base
}

// head returns the entry that is to be written next, nil where nothing is pending.
func (s *store) head() *pending.Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.queue.Head()
}

func (s *store) isFull() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.queue.IsFull()
}

// compact makes one step of compaction. Others get the lock before the next one.
func (s *store) compact() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.queue.Compact()
}

func (s *store) isDeferred(e *pending.Entry) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return e.Deferred()
}

// othersDeferred reports whether what failed before an entry is still to be written.
func (s *store) othersDeferred(e *pending.Entry) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.queue.OthersDeferred(e)
}

func (s *store) setDeferred(e *pending.Entry, deferred bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue.Defer(e, deferred)
}

// finish ends an entry that was written, with a nil error, or dropped.
func (s *store) finish(e *pending.Entry, err error) (callerWaits bool) {
	var terminal *terminalError
	if errors.As(err, &terminal) {
		err = terminal.err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.queue.Finish(e, err)
}

// abandon ends the wait for an entry. It reports whether the entry is finished.
func (s *store) abandon(e *pending.Entry) (finished bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.queue.Abandon(e)
}
