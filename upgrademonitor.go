package upgrademonitor

import "github.com/openshift/upgrademonitor/upgrademonitor"

// Monitor reports the updates of one node.
type Monitor = upgrademonitor.Monitor

// Config is what a Monitor is made of.
type Config = upgrademonitor.Config

// ReportOption adds to a report.
type ReportOption = upgrademonitor.ReportOption

// PinnedImageSet is how far a node is with one pinned image set.
type PinnedImageSet = upgrademonitor.PinnedImageSet

// Monitors keeps a Monitor for each of many nodes.
type Monitors = upgrademonitor.Monitors

// ErrPending says that a report was accepted, is not written yet, and will be.
var ErrPending = upgrademonitor.ErrPending

// ErrTooMuchPending says that a report was not accepted, because too much is pending.
var ErrTooMuchPending = upgrademonitor.ErrTooMuchPending

// New makes a Monitor.
func New(config Config) (*Monitor, error) { return upgrademonitor.New(config) }

// CompletesParent says that the phase's parent is done when the phase is.
func CompletesParent() ReportOption { return upgrademonitor.CompletesParent() }

// ParentMessage is what the phase's parent says.
func ParentMessage(message string) ReportOption { return upgrademonitor.ParentMessage(message) }
