package pool

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"

	"github.com/openshift/upgrademonitor/internal/poolwords"
	"github.com/openshift/upgrademonitor/internal/truncate"
)

// The limits of messages. Without limits, the messages about 5,000 nodes would make a
// MachineConfigPool too large for etcd.
const (
	maxNames    = 5       // the number of unavailable nodes that are named; further nodes are only counted
	maxMessage  = 8 << 10 // the maximum length of the messages of NodeDegraded and Degraded, in bytes
	maxFailures = 14      // the number of degraded nodes that are listed; further nodes are only counted
)

// targetName returns the names of the config and the image that the nodes of the pool should have.
func (c *count) targetName() string { return poolwords.Target(c.config, c.image.pullSpec) }

// updatedMessage returns the message of Updated. If the pool is not updated, the message counts the
// nodes that have the target, and names the unavailable nodes. If the pool has no target yet, the
// message says why.
func (c *count) updatedMessage() string {
	switch {
	case c.isUpdated():
		return poolwords.AllUpdated + c.targetName()
	case !c.image.exists:
		return c.image.waiting(c.paused).message
	case c.config == "":
		return poolwords.NoTarget
	}
	return sentences(c.counts(c.targetName()), c.downNodes())
}

// updatingMessage returns the message of Updating if Updating is True or the pool is paused. The
// message does not contain the steps of the nodes, because each step would then change the pool,
// and trigger other controllers.
func (c *count) updatingMessage(beginning string) string {
	if c.config == "" {
		return poolwords.NoTarget
	}
	parts := []string{beginning + c.targetName()}
	if c.paused && c.updating > 0 {
		parts = append(parts, "Updates that have started continue")
	}
	parts = append(parts, c.counts("it"))
	if !c.paused && c.isBlocked() {
		parts = append(parts, c.downNodes())
	}
	if !c.paused || c.updating > 0 {
		parts = append(parts, "See oc get machineconfignodes")
	}
	return sentences(parts...)
}

// counts says how many nodes have the target. target is the name of the target, or "it". Example:
// "2 of 6 nodes have it"
func (c *count) counts(target string) string {
	return fmt.Sprintf("%d of %d nodes have %s", c.have, c.total, target)
}

// downNodes names the nodes that are unavailable but not being updated, each with the cause.
func (c *count) downNodes() string {
	slices.SortFunc(c.down, func(a, b problem) int { return cmp.Compare(a.node, b.node) })
	var parts []string
	for _, p := range c.down[:min(len(c.down), maxNames)] {
		parts = append(parts, p.node+" is "+p.text)
	}
	if more := len(c.down) - maxNames; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, ", ")
}

// degradedMessage returns the message of NodeDegraded. It lists the nodes in the order of their names,
// each with its errors. It ends with the number of nodes that are not listed, and a command that
// shows the first object that has an error, if there is one. If the message is too long, long errors are truncated.
func degradedMessage(nodes []failure) string {
	slices.SortFunc(nodes, func(a, b failure) int { return cmp.Compare(a.node, b.node) })
	var texts []string
	for _, f := range nodes[:min(len(nodes), maxFailures)] {
		if len(f.errors) == 0 {
			f.errors = []string{""}
		}
		for _, message := range f.errors {
			texts = append(texts, poolwords.Report{Node: f.node, Message: message}.String())
		}
	}
	end := ""
	if i := slices.IndexFunc(nodes, func(f failure) bool { return f.inObject }); i >= 0 {
		end = " See oc describe machineconfignode/" + nodes[i].node
	}
	if more := len(nodes) - maxFailures; more > 0 {
		end = fmt.Sprintf(", and %d more", more) + end
	}
	list := strings.Join(texts, ", ")
	if room := maxMessage - len(end); len(list) > room {
		for i := range texts {
			texts[i] = truncate.To(texts[i], room/len(texts)-len(", "))
		}
		list = strings.Join(texts, ", ")
	}
	return list + end
}

// causesMessage returns the message of Degraded: the messages of the conditions that make the pool
// Degraded. The message of ImageBuildDegraded gets the prefix that machine-config-operator writes.
// Each other message, except the first, gets its condition type as a prefix.
func causesMessage(causes []mcfgv1.MachineConfigPoolCondition) string {
	var texts []string
	for i, cause := range causes {
		text := cmp.Or(cause.Message, string(cause.Type)+" is True")
		switch {
		case cause.Type == mcfgv1.MachineConfigPoolImageBuildDegraded:
			text = poolwords.BuildFailed + ": " + text
		case i > 0:
			text = string(cause.Type) + ": " + text
		}
		texts = append(texts, text)
	}
	return truncate.To(strings.Join(texts, ". "), maxMessage)
}

// sentences joins the strings that are not empty.
func sentences(all ...string) string {
	return strings.Join(slices.DeleteFunc(all, func(s string) bool { return s == "" }), ". ")
}
