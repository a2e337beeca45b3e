package pool

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/internal/poolwords"
)

// The limits of messages. Without limits, 5,000 nodes would make a pool too large for etcd.
const (
	maxNames    = 5                // how many unavailable nodes are named; further nodes are only counted
	maxMessage  = 8 << 10          // the maximum length of the message of Degraded, in bytes
	maxFailure  = maxMessage - 384 // the maximum length of NodeDegraded's message, which must fit into the message of Degraded
	maxFailures = 14               // how many degraded nodes are listed; further nodes are only counted
)

// target names the config and the image that the nodes of the pool should have.
func (c *count) target() string {
	if c.image.pullSpec == "" {
		return configOf(c.config)
	}
	return configOf(c.config) + " / Image " + c.image.pullSpec
}

func configOf(config string) string { return "MachineConfig " + config }

// updatedMessage returns the message of Updated. It says that all nodes have the target, or how
// many nodes have the target and which nodes are unavailable, or why the pool has no target.
func (c *count) updatedMessage() string {
	switch {
	case c.isUpdated():
		return poolwords.AllUpdated + c.target()
	case !c.image.exists:
		return c.image.waiting(c.paused).message
	case c.config == "":
		return poolwords.NoTarget
	}
	return sentences(c.counts(c.target()), c.downNodes())
}

// updatingMessage returns the message of Updating if Updating is True or the pool is paused. The
// message does not say at which step a node is. Otherwise each step would change the pool, and make
// other controllers sync.
func (c *count) updatingMessage(beginning string) string {
	if c.config == "" {
		return poolwords.NoTarget
	}
	parts := []string{beginning + c.target()}
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

// counts says how many nodes have the target, and how many nodes have not reported.
func (c *count) counts(target string) string {
	text := fmt.Sprintf("%d of %d nodes have %s", c.have, c.total, target)
	switch {
	case c.unreported == 1:
		text += ", 1 has not reported yet"
	case c.unreported > 1:
		text += fmt.Sprintf(", %d have not reported yet", c.unreported)
	}
	return text
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

// degradedMessage lists degraded nodes in the order of their names, each with its own reports. The
// text ends with the number of further nodes, and a command that shows the first node's object.
func degradedMessage(nodes []failure) string {
	slices.SortFunc(nodes, func(a, b failure) int { return cmp.Compare(a.node, b.node) })
	var texts []string
	for _, f := range nodes[:min(len(nodes), maxFailures)] {
		for _, message := range f.reports {
			texts = append(texts, poolwords.Report{Node: f.node, Message: message}.String())
		}
	}
	end := " See oc describe machineconfignode/" + nodes[0].node
	if more := len(nodes) - maxFailures; more > 0 {
		end = fmt.Sprintf(", and %d more", more) + end
	}
	return join(texts, ", ", maxFailure-len(end)) + end
}

// causesMessage joins the messages of the conditions that make a pool Degraded. The message of
// ImageBuildDegraded has the prefix that machine-config-operator uses. Every other message has its
// condition type as a prefix, unless it is the first message.
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
	return join(texts, ". ", maxMessage)
}

// sentences joins the strings that are not empty.
func sentences(all ...string) string {
	return strings.Join(slices.DeleteFunc(all, func(s string) bool { return s == "" }), ". ")
}

// join joins strings, and modifies the slice. If the result would exceed room bytes, join cuts out
// the middle of the longest strings, so that these strings have the same length.
func join(texts []string, separator string, room int) string {
	room -= (len(texts) - 1) * len(separator)
	lengths := make([]int, len(texts))
	for i := range texts {
		texts[i] = strings.ToValidUTF8(texts[i], string(utf8.RuneError))
		lengths[i] = len(texts[i])
	}
	slices.Sort(lengths)
	share := room
	for i, length := range lengths {
		if share = room / (len(lengths) - i); length > share {
			break
		}
		room -= length
		share = length
	}
	for i := range texts {
		texts[i] = conditions.TruncateTo(texts[i], share)
	}
	return strings.Join(texts, separator)
}
