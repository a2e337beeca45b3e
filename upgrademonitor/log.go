package upgrademonitor

import (
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/machine"
)

const (
	writeFailure   = "Failed to write the MachineConfigNode"
	specFailure    = "The API server has rejected the spec of the MachineConfigNode"
	pendingMessage = "Reports are pending and no longer retried: call Flush"
)

// unlock releases mu, and then calls the functions in afterUnlock. They write log lines, because a log sink
// may block or call the Monitor.
func (m *Monitor) unlock() {
	todo := m.afterUnlock
	m.afterUnlock = nil
	m.mu.Unlock()
	for _, do := range todo {
		do()
	}
}

func (m *Monitor) logger() klog.Logger {
	return klog.FromContext(m.life).WithValues("node", m.config.NodeName)
}

// logChange logs an error, unless the last error with this message was of the same kind. If err is nil,
// it logs that the failure is over. Do not call it while mu is held.
func (m *Monitor) logChange(message string, err error) {
	if line := m.changeLine(message, apierr.Cause(err), err); line != nil {
		line()
	}
}

// logLocked is like logChange, but logs after mu is released.
func (m *Monitor) logLocked(message, kind string, err error) {
	if line := m.changeLine(message, kind, err); line != nil {
		m.afterUnlock = append(m.afterUnlock, line)
	}
}

// changeLine returns a function that logs a change, or nil if there is none. Without an error, kind is "".
func (m *Monitor) changeLine(message, kind string, err error) func() {
	last, _ := m.logged.Swap(message, kind)
	switch {
	case last == kind || last == nil && err == nil:
		return nil
	case err != nil:
		return func() { m.logger().Error(err, message) }
	default:
		return func() { m.logger().Info("This works again", "failure", message) }
	}
}

// logDroppedLocked logs an accepted change that was rejected.
func (m *Monitor) logDroppedLocked(e *machine.Entry) {
	m.afterUnlock = append(m.afterUnlock, func() {
		m.logger().Error(e.Err, "Dropped an accepted change that cannot be written", "change", e.Change.String())
	})
}

// logPendingLocked logs once that reports are pending after the ctx of New has ended.
func (m *Monitor) logPendingLocked(pending int) {
	if pending == 0 {
		return
	}
	if _, isLogged := m.logged.LoadOrStore(pendingMessage, ""); !isLogged {
		m.afterUnlock = append(m.afterUnlock, func() { m.logger().Info(pendingMessage, "pending", pending) })
	}
}
