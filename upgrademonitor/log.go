package upgrademonitor

import (
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
)

const (
	writeFailure   = "Failed to write the MachineConfigNode"
	specFailure    = "The API server has rejected the spec of the MachineConfigNode"
	pendingMessage = "Reports are pending and no longer retried: call Flush"
	replacedTime   = "Replacing the time of a condition"
	droppedMessage = "Dropped an accepted change that cannot be written"

	noUpdateFailure = "no update" // not a message, but a key of Monitor.logged: see logRejection
)

// unlock releases mu, and then logs the lines. A log sink may call the Monitor. If it blocks, it also blocks
// the call or the writer that logs. A call that waits for this writer still returns after Config.Timeout.
func (m *Monitor) unlock() {
	lines := m.lines
	m.lines = nil
	m.mu.Unlock()
	for _, log := range lines {
		log()
	}
}

func (m *Monitor) logger() klog.Logger {
	return klog.FromContext(m.life).WithValues("node", m.config.NodeName)
}

// logChange logs an error, unless the last error with this message was of the same kind. If err is nil,
// it logs that the failure is over. Do not call it while mu is held.
func (m *Monitor) logChange(message string, err error) {
	m.mu.Lock()
	defer m.unlock()
	m.logLocked(message, apierr.Cause(err), err)
}

// logLocked is like logChange, but logs after mu is released. Without an error, kind is "".
func (m *Monitor) logLocked(message, kind string, err error) {
	if m.logged.Changed(message, kind) {
		m.lines = append(m.lines, func() { apierr.LogChange(m.logger(), message, err) })
	}
}
