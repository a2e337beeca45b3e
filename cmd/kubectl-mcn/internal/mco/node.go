package mco

import (
	"cmp"
	"slices"
	"strings"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/internal/nodemeta"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// Node is the state of a node and of its update. An unknown time is zero.
type Node struct {
	progress.Node
	// UID is the UID of the MachineConfigNode. If the object is deleted and created again, the new
	// object has another UID.
	UID types.UID

	// Steps are the steps of the current update, in order. Steps is nil if the node is not in an
	// update, or if the update is Unreported. An update that does not reboot has
	// UpdatePostActionComplete in place of RebootedNode.
	Steps []Step
	// Step is the step that is running or has failed. If no step is running or has failed, Step is
	// the next step, or Updated after the last step. If the update is Unreported, Step is Cordoned,
	// Drained or Uncordoned while the daemon waits for the drain controller, RebootedNode while the Node
	// announces a reboot, and otherwise "". Step is "" if the node is not in an update.
	Step phases.Phase

	// Requested is the time when the node was told to run Desired: the time of the last write of
	// the MachineConfigNode's spec. If the annotations of the Node have another config or image
	// than the spec, Requested is the time of the last write of the annotation desiredConfig.
	Requested time.Time
	// Started is the time when the current update started. If the update is Unreported, Started is the time of the cordon,
	// or Requested if that is later. If neither is known, it is when the Node became NotReady.
	Started time.Time
	// IsNew is true if no step of an update was ever reported: the node has joined with its config.
	IsNew bool
	// Completed is when the last update ended, or a new node has joined. It is zero unless Updated is True.
	Completed time.Time
	// WasTakenBack is set if the request of the last update was taken back, so the update installed nothing.
	WasTakenBack bool
	// Ended is about the time when the last update ended, if the MachineConfigNode does not show the end: the time of
	// its last step or, without a MachineConfigNode, the time when the condition Ready of the Node changed last.
	Ended time.Time
	// Since is the time when the node reached Step: the time when the last step finished or, if no
	// step has finished, the start of the update. It is not the lastTransitionTime of the running
	// step, because some daemons change this time with each message. Before an update starts, Since
	// is Requested. If the node is not in an update, Since is Completed. If the update is Unreported,
	// Since is zero for Uncordoned, Requested for Cordoned, and otherwise Started. Once the Node announces
	// a reboot, Since is not before the Node became NotReady, or is Back: see readBack.
	Since time.Time
	// DegradedSince is when NodeDegraded became True. It is zero if NodeDegraded is not True.
	DegradedSince time.Time

	// Others are the conditions that report a problem and have no field of their own: their type ends
	// in Degraded, and they are True. Irreconcilable are the fields of the config that the node has
	// left out, because only a new node gets them.
	Others         []metav1.Condition
	Irreconcilable []string

	// Message is the error of a failed node: one of Errors, or the error of the step if no other
	// error has more details. If the node has not failed, Message is the message of the running step.
	Message string
	// IsOld is true if Message is from an earlier attempt, or from an update to another config.
	IsOld bool
	// IsOfStep is true if Message is the message of a step, and not of NodeDegraded or of the Node.
	IsOfStep bool
	// Failing is true while the running step has an error and the daemon retries the step. It is
	// false if the node is degraded.
	Failing bool
	// Pods are the pods that a failing drain waits for.
	Pods []Pod
	// PinnedImageSets has the sets that have failed, followed by the sets that are being pulled.
	PinnedImageSets []PinnedImageSet

	// DesiredDrain is the daemon's last request to the drain controller, and LastAppliedDrain is the
	// last request that the drain controller has carried out. Both are annotations of the Node.
	// Examples: drain-<config>, uncordon-<config>.
	DesiredDrain, LastAppliedDrain string
	// Cordoner is who deletes the Node or, if nobody does, who has cordoned it. A Node that is being deleted may not be
	// cordoned.
	Cordoner Cordoner
	// Recovered is when the Node last recovered from NotReady, DiskPressure or NetworkUnavailable.
	Recovered time.Time
	// Messages has the messages of the conditions of the Node that make it unavailable.
	Messages map[progress.UnavailableReason]string
	// Back is when the machine was up again, if only the report of its reboot is missing.
	Back time.Time
	// IsLifted is set if the Node is not cordoned, although its update is between the drain and the uncordon: pods come
	// back. CordonedAt is when the update cordoned it, and LiftedBy the last write since then of somebody who cordons.
	IsLifted   bool
	CordonedAt time.Time
	LiftedBy   Write
	// Lost are the annotations that the Node has lost, if it is unavailable for AnnotationsMissing.
	Lost []string

	state       string          // the state annotation of the Node
	isRebooting bool            // the Node has announced a reboot
	prepared    progress.Target // what the status of the MachineConfigNode desires
}

// Towards returns what the update under way installs. If its request was taken back, the Node desires what it ran
// before, and the daemon may go on with the update that it has prepared. While a daemon prepares an update, the status
// still has the last one.
func (n Node) Towards() progress.Target {
	isPrepared := n.Update == progress.Started && n.Step != phases.UpdatePrepared && n.prepared.Config != ""
	if isPrepared && n.Desired == n.Current {
		return n.prepared
	}
	return n.Desired
}

// NotStarted reports whether an update was requested, but has not started.
func (n Node) NotStarted() bool { return n.Update == progress.Requested }

// HasBegun reports whether Step is running or has failed. It is true if the steps are not known.
func (n Node) HasBegun() bool {
	at := indexOf(n.Steps, n.Step)
	return at < 0 || n.Steps[at].State != ToDo
}

// Of reads a node from its Node and its MachineConfigNode. One of them may be nil. Of does not modify
// them.
func Of(node *corev1.Node, mcn *mcfgv1.MachineConfigNode) Node {
	n := Node{Node: progress.Of(node, mcn)}
	var list []metav1.Condition
	fromSpec := progress.Target{}
	if mcn = progress.ObjectOf(node, mcn); mcn != nil {
		list = mcn.Status.Conditions
		n.UID = mcn.UID
		_, n.DegradedSince = sinceTrue(list, phases.NodeDegraded)
		n.PinnedImageSets = pinnedImageSets(&mcn.Status)
		n.IsNew = isNew(list)
		n.WasTakenBack = wasTakenBack(list, n.Current)
		if mcn.Generation > 1 && (n.InUpdate() || !n.IsNew) { // a new object or node does not request an update
			n.Requested = LastWrite(mcn.ManagedFields, OfSpec).At
		}
		fromSpec = progress.Of(nil, mcn).Desired
		if version := mcn.Status.ConfigVersion; version != nil {
			n.prepared = progress.Target{Config: version.Desired, Image: string(mcn.Status.ConfigImage.DesiredImage)}
		}
		n.readOthers(&mcn.Status)
	}
	if node != nil {
		n.DesiredDrain, n.LastAppliedDrain = node.Annotations[nodemeta.DesiredDrain], node.Annotations[nodemeta.LastAppliedDrain]
		n.state, n.isRebooting = node.Annotations[nodemeta.State], node.Annotations[nodemeta.PostConfigAction] == nodemeta.Rebooting
		if by := cordonerOf(node); n.Is(progress.Cordoned) || by.Deletes() {
			n.Cordoner = by
		}
		n.readMessages(node)
		for _, name := range []string{nodemeta.CurrentConfig, nodemeta.DesiredConfig, nodemeta.State} {
			if n.Is(progress.AnnotationsMissing) && node.Annotations[name] == "" {
				n.Lost = append(n.Lost, strings.TrimPrefix(name, nodemeta.Prefix))
			}
		}
		if n.Desired != fromSpec && (n.InUpdate() || n.HasObject) { // the time of the spec is that of another target; a new node has no request
			n.Requested = LastWrite(node.ManagedFields, OfDesiredConfig).At
		}
	}
	n.readUpdate(list)
	n.readBack(node, list)
	n.readLifted(node, list)
	n.readCause(list)
	return n
}

// readMessages sets Messages and Recovered, and Ended from the condition Ready.
func (n *Node) readMessages(node *corev1.Node) {
	n.Messages = map[progress.UnavailableReason]string{}
	for _, c := range node.Status.Conditions {
		reason := progress.UnavailableReason(c.Type)
		if c.Type == corev1.NodeReady {
			reason = progress.NotReady
			if !n.HasObject {
				n.Ended = c.LastTransitionTime.UTC()
			}
		}
		switch {
		case n.Is(reason):
			n.Messages[reason] = c.Message
		case reason == progress.NotReady, reason == progress.DiskPressure, reason == progress.NetworkUnavailable:
			n.Recovered = Latest(n.Recovered, c.LastTransitionTime.UTC())
		}
	}
}

// readUpdate sets the steps and the times of the update.
func (n *Node) readUpdate(list []metav1.Condition) {
	isUpdated, _ := sinceTrue(list, phases.Updated)
	if isUpdated && (n.Update == progress.NoUpdate || n.Update == progress.Requested) {
		n.Completed = completionOf(list)
	}
	switch n.Update {
	case progress.NoUpdate:
		n.Since = n.Completed
		if !isUpdated {
			n.Ended = Latest(lastStep(list), n.Ended)
		}
	case progress.Requested:
		n.Steps = newSteps(list, phases.UpdatePostActionComplete)
		n.Step, n.Since = n.Steps[0].Phase, n.Requested
	case progress.Unreported:
		n.readNodeStep()
	case progress.Started:
		n.Started = startOf(list)
		// The start of an update that replaces another one resets the steps. Once all of them have run again, only the
		// request is known.
		isPrepared, at := sinceTrue(list, phases.UpdatePrepared)
		if isPrepared && !n.Started.IsZero() && n.Requested.After(n.Started) && at.After(n.Requested) {
			n.Started = n.Requested
		}
		n.Steps = currentSteps(list)
		last := measure(n.Steps, n.Started)
		n.Step = stepOf(n.Steps)
		dropOver(n.Steps, n.Step)
		n.Since = n.reached(list, last)
	}
	if n.isRebooting && n.InUpdate() && !n.hasReached(phases.RebootedNode) {
		n.Step = phases.RebootedNode
		n.Since = Latest(n.Since, n.unavailableSince(progress.NotReady))
	}
}

// readOthers sets Others and Irreconcilable.
func (n *Node) readOthers(status *mcfgv1.MachineConfigNodeStatus) {
	known := []phases.Phase{phases.NodeDegraded, phases.PinnedImageSetsDegraded}
	for _, c := range status.Conditions {
		if strings.HasSuffix(c.Type, "Degraded") && c.Status == metav1.ConditionTrue && !slices.Contains(known, phases.Phase(c.Type)) {
			n.Others = append(n.Others, c)
		}
	}
	for _, change := range status.IrreconcilableChanges {
		n.Irreconcilable = append(n.Irreconcilable, change.FieldPath)
	}
}

// readNodeStep sets the step and the times of an update that only the Node shows. When the daemon
// requests a drain, the drain controller first cordons the Node.
func (n *Node) readNodeStep() {
	n.Started, n.Since = n.Requested, n.Requested
	verb, config, _ := strings.Cut(n.DesiredDrain, "-")
	isDone := n.DesiredDrain == n.LastAppliedDrain
	if isDone && verb != "" && config != n.Desired.Config { // the request of an earlier update
		return
	}
	// If the update has made the Node NotReady, it began then or before.
	n.Started = cmp.Or(Latest(n.Started, n.unavailableSince(progress.Cordoned)), n.unavailableSince(progress.NotReady))
	switch {
	case verb == nodemeta.Drain && !isDone && n.Is(progress.Cordoned):
		n.Step, n.Since = phases.Drained, n.Started
	case verb == nodemeta.Drain && !isDone:
		n.Step = phases.Cordoned
	case verb == nodemeta.Uncordon && !isDone:
		n.Step, n.Since = phases.Uncordoned, time.Time{}
	default:
		n.Since = n.Started
	}
}

// unavailableSince returns when the Node became unavailable for a reason, or zero.
func (n *Node) unavailableSince(reason progress.UnavailableReason) (since time.Time) {
	for _, u := range n.Unavailable {
		if u.Reason == reason {
			since = u.Since
		}
	}
	return since
}
