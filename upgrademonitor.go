package upgrademonitor

import "github.com/openshift/upgrademonitor/upgrademonitor"

// The types of package upgrademonitor/upgrademonitor.
type (
	Monitor      = upgrademonitor.Monitor
	Config       = upgrademonitor.Config
	ReportOption = upgrademonitor.ReportOption

	ConfigError = upgrademonitor.ConfigError
	ReportError = upgrademonitor.ReportError
	ModeError   = upgrademonitor.ModeError
	ReasonError = upgrademonitor.ReasonError
	OptionError = upgrademonitor.OptionError
	NodeError   = upgrademonitor.NodeError
)

// ErrPending says that a report was accepted, is not written yet, and will be.
var ErrPending = upgrademonitor.ErrPending

// New makes a Monitor; see upgrademonitor.New in package upgrademonitor/upgrademonitor.
func New(config Config) (*Monitor, error) { return upgrademonitor.New(config) }

// CompletesParent says that the phase's parent is done when the phase is.
func CompletesParent() ReportOption { return upgrademonitor.CompletesParent() }

// ParentMessage is what the phase's parent says.
func ParentMessage(message string) ReportOption { return upgrademonitor.ParentMessage(message) }
