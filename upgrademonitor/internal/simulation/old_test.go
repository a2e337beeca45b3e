package simulation_test

import (
	"fmt"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/internal/nodemeta"
	"github.com/openshift/upgrademonitor/internal/transitions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apiserver"
)

// An old process is a daemon or a drain controller without this library. Each of its reports reads the object, and
// then writes the whole status by force, even if others have written since. It checks no transition.

// reportOld makes a report of an old process.
func (c *caller) reportOld(p phases.Phase, status metav1.ConditionStatus) {
	text := c.text()
	node := c.node()
	if read := c.server.Get(nodeName); read != nil {
		old := read.DeepCopy()
		writeOld(old, node.Annotations, p, status, text)
		if c.chance(0.5) {
			sleep(50 * time.Millisecond) // others may write
		}
		c.server.write(func(m *mcfgv1.MachineConfigNode) {
			m.Status.Conditions, m.Status.ConfigVersion = old.Status.Conditions, old.Status.ConfigVersion
			m.Status.ObservedGeneration = max(m.Status.ObservedGeneration, old.Status.ObservedGeneration)
		}, apiserver.StatusSubresource)
	}
	c.log("%s without the library: %s=%s %s", c.name, p, status, text)
	c.pause()
}

// writeOld changes the status as a report of an old process does.
func writeOld(mcn *mcfgv1.MachineConfigNode, annotations map[string]string, reported phases.Phase, status metav1.ConditionStatus, text string) {
	list := &mcn.Status.Conditions
	set := func(p phases.Phase, status metav1.ConditionStatus, message string) {
		meta.SetStatusCondition(list, metav1.Condition{Type: string(p), Status: status, Reason: string(reported), Message: message})
	}
	if reported != phases.Updated && meta.IsStatusConditionTrue(*list, string(phases.Updated)) {
		set(phases.Updated, metav1.ConditionFalse, "This node is not updated, sensed disruption via a manual update.")
	}
	for i := range *list {
		if o := &(*list)[i]; reported == phases.Updated && o.Status != metav1.ConditionFalse && phases.KindOf(phases.Phase(o.Type)) != "" {
			set(phases.Phase(o.Type), metav1.ConditionFalse, fmt.Sprintf("Action during update to %s: %s", mcn.Spec.ConfigVersion.Desired, o.Message))
		}
	}
	set(reported, status, text)
	if parent, ok := phases.ParentOf(reported); ok {
		set(parent, metav1.ConditionUnknown, text)
	}
	desired := annotations[nodemeta.DesiredConfig]
	if reported == phases.UpdatePrepared && status != metav1.ConditionTrue {
		desired = "not-yet-set"
	}
	mcn.Status.ConfigVersion = &mcfgv1.MachineConfigNodeStatusMachineConfigVersion{Current: annotations[nodemeta.CurrentConfig], Desired: desired}
	mcn.Status.ObservedGeneration = mcn.Generation + 1
}

// updateOld makes the reports of one update of an old daemon, which writes the start before it asks for the drain.
func (c *caller) updateOld() {
	target := fmt.Sprintf("rendered-%d", c.tokens.Add(1))
	c.becomes("", target)
	c.createOld()
	c.server.write(func(m *mcfgv1.MachineConfigNode) { m.Spec.ConfigVersion.Desired = target }, "")
	c.reportOld(phases.Updated, metav1.ConditionFalse)
	c.reportOld(phases.UpdatePrepared, metav1.ConditionUnknown)
	c.reportOld(phases.UpdatePrepared, metav1.ConditionTrue)
	c.reportOld(phases.AppliedFilesAndOS, metav1.ConditionUnknown)
	c.reportOld(phases.AppliedFilesAndOS, metav1.ConditionTrue)
	c.reportOld(phases.RebootedNode, metav1.ConditionTrue)
	c.becomes(target, target)
	c.reportOld(phases.Updated, metav1.ConditionTrue)
}

// drainOld makes the reports of an old controller that drains the node.
func (c *caller) drainOld() {
	c.reportOld(phases.Cordoned, metav1.ConditionTrue)
	c.reportOld(phases.Drained, metav1.ConditionUnknown)
	c.reportOld(phases.Drained, metav1.ConditionTrue)
}

// createOld creates the object, as an old daemon does, unless it exists.
func (s *simulation) createOld() {
	if s.server.Get(nodeName) != nil {
		return
	}
	node, now := s.node(), metav1.NewTime(time.Now())
	defer s.server.writes("others")()
	err := s.server.Write(nodeName, "", func(m *mcfgv1.MachineConfigNode) {
		m.Spec.Node.Name, m.Spec.Pool.Name = nodeName, "worker"
		m.Spec.ConfigVersion.Desired = node.Annotations[nodemeta.DesiredConfig]
		m.Status.Conditions = transitions.Complete(nil, false, now)
		writeOld(m, node.Annotations, phases.Updated, metav1.ConditionTrue, "In desired config")
		m.Status.ObservedGeneration = 1
	})
	if err != nil {
		s.fail("the object is not created: %v", err)
	}
}

// checkEndOld checks, after the faults, that an update of an old daemon shows the controller's drain.
func (s *simulation) checkEndOld() {
	s.checkAllWritten()
	daemon, controller := &caller{simulation: s, name: "daemon"}, &caller{simulation: s, name: "controller", patient: true}
	daemon.becomes("", "rendered-last")
	daemon.createOld()
	daemon.reportOld(phases.Updated, metav1.ConditionFalse)
	daemon.reportOld(phases.UpdatePrepared, metav1.ConditionTrue)
	s.calm.Store(true)
	controller.drain()
	s.checkAllWritten()
}
