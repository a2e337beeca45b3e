// Package poolwords has what package pool and kubectl mcn both know about a MachineConfigPool: its limit,
// and the texts of its conditions. Package pool writes these texts, and kubectl mcn parses them.
// machine-config-operator writes the same texts, and e2e tests, alerts and runbooks of OpenShift depend on them.
package poolwords

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// MaxUnavailable returns how many nodes of a pool may be unavailable. A percentage refers to the machines of the pool.
// As in machine-config-operator, the limit is 1 if it is not set, or if the percentage is of less than one machine. If
// the value is a text that is no percentage, the limit is 1, and there is an error: then machine-config-operator
// selects no node.
func MaxUnavailable(limit *intstr.IntOrString, machines int) (int, error) {
	if limit == nil {
		return 1, nil
	}
	scaled, err := intstr.GetScaledValueFromIntOrPercent(limit, machines, false) // 0 if there is an error
	return max(1, scaled), err
}

// The beginnings of messages. Degraded and NoTarget are whole messages.
const (
	AllUpdated  = "All nodes are updated with "
	AllUpdating = "All nodes are updating to "
	WillNot     = "Pool is paused; will not update to "
	BuildFailed = "Custom OS image build failed"
	Degraded    = "Pool update paused due to degraded condition"
	NoTarget    = "The pool has no rendered MachineConfig yet"
)

// Two states of a build. The other states are condition types of a MachineOSBuild.
const (
	None    mcfgv1.BuildProgress = "None"    // the pool's config has no MachineOSBuild yet
	Initial mcfgv1.BuildProgress = "Initial" // no condition of the MachineOSBuild is True
)

// Build is the condition Updating of a layered pool (a pool with its own OS image) for one state of the
// build of the image.
type Build struct {
	State      mcfgv1.BuildProgress
	IsPaused   bool // the pool is paused
	IsUpdating bool // the status of Updating
	Reason     string
	message    string // %s stands for the name that Message takes
}

// builds has two rows for each state: the first for a pool that is not paused, and the second for a
// paused pool. If the pool is not paused, Initial and Prepared have the same message.
var builds = []Build{
	{None, false, true, "ImageBuilding", "Pool is waiting for a new OS image build to start (mosc: %s)"},
	{None, true, true, "PausedWhileBuilding", "Pool is paused; waiting for a new OS image build to start (mosc: %s)"},
	{Initial, false, true, "ImageBuilding", "Pool is waiting for OS image build to start (mosb: %s)"},
	{Initial, true, true, "PausedWhileBuilding", "Pool is paused; OS image build has been created but not yet started (mosb: %s)"},
	{mcfgv1.MachineOSBuildPrepared, false, true, "ImageBuilding", "Pool is waiting for OS image build to start (mosb: %s)"},
	{mcfgv1.MachineOSBuildPrepared, true, true, "PausedWhileBuilding", "Pool is paused; OS image build has been prepared but will not rollout (mosb: %s)"},
	{mcfgv1.MachineOSBuilding, false, true, "ImageBuilding", "Pool is waiting for OS image build to complete (mosb: %s)"},
	{mcfgv1.MachineOSBuilding, true, true, "PausedWhileBuilding", "Pool is paused; OS image build in progress (mosb: %s)"},
	{mcfgv1.MachineOSBuildSucceeded, false, true, "NodesUpdating", "Pool is waiting for nodes to apply OS image (mosb: %s)"},
	{mcfgv1.MachineOSBuildSucceeded, true, false, "Paused", "Pool is paused; OS image build completed successfully (mosb: %s)"},
	{mcfgv1.MachineOSBuildFailed, false, false, "ImageBuildFailed", "Pool update stopped due to OS image build failure (mosb: %s)"},
	{mcfgv1.MachineOSBuildFailed, true, false, "Paused", "Pool is paused; OS image build failed (mosb: %s)"},
	{mcfgv1.MachineOSBuildInterrupted, false, false, "ImageBuildInterrupted", "Pool update stopped due to OS image build being interrupted (mosb: %s)"},
	{mcfgv1.MachineOSBuildInterrupted, true, false, "Paused", "Pool is paused; OS image build was interrupted (mosb: %s)"},
}

// BuildOf returns the Build for a state. It returns the zero value for an unknown state.
func BuildOf(state mcfgv1.BuildProgress, isPaused bool) Build {
	for _, b := range builds {
		if b.State == state && b.IsPaused == isPaused {
			return b
		}
	}
	return Build{}
}

// Message returns the message of Updating. name is the name of the MachineOSBuild or, for None, of
// the MachineOSConfig.
func (b Build) Message(name string) string { return fmt.Sprintf(b.message, name) }

// ReadBuild is the reverse of Message: it returns the first Build that has this message, and the name
// in the message. ok is false if the message is not about a build.
func ReadBuild(message string) (b Build, name string, ok bool) {
	for _, b := range builds {
		before, after, _ := strings.Cut(b.message, "%s")
		rest, isPrefix := strings.CutPrefix(message, before)
		if name, isSuffix := strings.CutSuffix(rest, after); isPrefix && isSuffix {
			return b, name, true
		}
	}
	return Build{}, "", false
}

// Target returns the name of a target in messages and events. image is "" if the target has none.
func Target(config, image string) string {
	if image == "" {
		return "MachineConfig " + config
	}
	return "MachineConfig " + config + " / Image " + image
}

var (
	target   = regexp.MustCompile(`MachineConfig (\S+) / Image (\S*[^\s.,])`)
	rendered = regexp.MustCompile(`MachineConfig (rendered-[\w.-]*\w)`) // a sentence may end behind the name
)

// ReadConfig returns the rendered config that a message names as a target, or "".
func ReadConfig(message string) string {
	if match := rendered.FindStringSubmatch(message); match != nil {
		return match[1]
	}
	return ""
}

// ReadImage returns the image that a message names for a config, or "".
func ReadImage(message, config string) string {
	if match := target.FindStringSubmatch(message); match != nil && match[1] == config {
		return match[2]
	}
	return ""
}

// Report is one entry in the message of the condition NodeDegraded: a node and its error.
type Report struct{ Node, Message string }

// String returns the text of the entry. The message of NodeDegraded joins the entries with commas.
func (r Report) String() string { return fmt.Sprintf("Node %s is reporting: %q", r.Node, r.Message) }

var report = regexp.MustCompile(`Node (\S+) is reporting: ("(?:[^"\\]|\\.)*")`)

// ReadReports returns the entries in the message of NodeDegraded. An entry that was truncated may have
// a broken escape sequence. Then Message is the quoted text, unchanged.
func ReadReports(message string) []Report {
	var all []Report
	for _, match := range report.FindAllStringSubmatch(message, -1) {
		text, err := strconv.Unquote(match[2])
		if err != nil {
			text = match[2][1 : len(match[2])-1]
		}
		all = append(all, Report{Node: match[1], Message: text})
	}
	return all
}
