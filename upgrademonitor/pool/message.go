package pool

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"

	"github.com/openshift/upgrademonitor/conditions"
)

// The limits of messages: 5,000 degraded nodes with 32 kB each would make an object that etcd
// rejects.
const (
	maxNames    = 5                // nodes in an update that are named before the others are counted
	maxMessage  = 8 << 10          // bytes of the message of Degraded
	maxFailure  = maxMessage - 128 // bytes of a message about nodes: Degraded has room for it and its type
	maxDetail   = 1 << 10          // bytes of what a host says of an image
	maxFailures = 14               // nodes that have failed that are listed before the others are counted
)

// progress is how many nodes have the target, and what the others do, or why there is none.
func (c *count) progress() string {
	switch {
	case c.target.config == "":
		return "The pool has no rendered MachineConfig yet"
	case c.target.image.State == ImageBuilding:
		return withDetail("The image of the pool is being built", c.target.image.Message)
	case c.target.image.State == ImageBuildFailed:
		return withDetail("The build of the pool's image has failed", c.target.image.Message)
	case c.machines == 0:
		return "The pool has no nodes"
	case c.isUpdated() && c.machines == 1:
		return fmt.Sprintf("The only node has %s", c.target)
	case c.isUpdated():
		return fmt.Sprintf("All %d nodes have %s", c.machines, c.target)
	}
	parts := []string{fmt.Sprintf("%d of %d nodes have %s", c.updated+c.stuck, c.machines, c.target)}
	for _, rest := range []struct {
		nodes int
		do    string
	}{
		{len(c.updating), "being updated"},
		{c.waiting - c.stuck, "not updated"},
		{c.stuck, "degraded"},
		{c.unreported, "not reported yet"},
	} {
		if rest.nodes > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", rest.nodes, rest.do))
		}
	}
	if c.isMixed() {
		parts = append(parts, "and they desire different images")
	}
	return strings.Join(parts, ", ")
}

func withDetail(text, detail string) string {
	if detail == "" {
		return text
	}
	return text + ": " + conditions.TruncateTo(detail, maxDetail)
}

// updatingMessage is what the nodes in an update do, the one that has done it longest first. It
// sorts the list.
func updatingMessage(list []running) string {
	slices.SortFunc(list, func(a, b running) int {
		return cmp.Or(cmp.Compare(a.step.since, b.step.since), cmp.Compare(a.node, b.node))
	})
	var parts []string
	for _, r := range list[:min(len(list), maxNames)] {
		parts = append(parts, fmt.Sprintf("%s is %s", r.node, r.step))
	}
	if more := len(list) - maxNames; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, ", ") + seeObject(list[0].node)
}

// failureMessage lists nodes that have failed with their own messages, in the order of their
// names, and counts the others. It sorts the failures.
func failureMessage(failures []failure, are string) string {
	slices.SortFunc(failures, func(a, b failure) int { return cmp.Compare(a.node, b.node) })
	head := fmt.Sprintf("%d nodes are %s: ", len(failures), are)
	if len(failures) == 1 {
		head = fmt.Sprintf("1 node is %s: ", are)
	}
	var texts []string
	for _, f := range failures[:min(len(failures), maxFailures)] {
		texts = append(texts, f.node+": "+f.message)
	}
	end := seeObject(failures[0].node)
	if more := len(failures) - maxFailures; more > 0 {
		end = fmt.Sprintf("; and %d more%s", more, end)
	}
	return head + join(texts, "; ", maxFailure-len(head)-len(end)) + end
}

// causesMessage joins the messages of the conditions that make a pool Degraded.
func causesMessage(causes []mcfgv1.MachineConfigPoolCondition) string {
	var texts []string
	for _, cause := range causes {
		switch {
		case cause.Message == "":
			texts = append(texts, string(cause.Type)+" is True")
		case len(causes) > 1:
			texts = append(texts, string(cause.Type)+": "+cause.Message)
		default:
			texts = append(texts, cause.Message)
		}
	}
	return join(texts, ". ", maxMessage)
}

// join joins texts, shortened to room bytes where they are longer together: short ones leave their
// room to long ones. It changes the texts.
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

// seeObject points to the object of a node, which has all that a message leaves out.
func seeObject(nodeName string) string { return "; see oc describe machineconfignode/" + nodeName }
