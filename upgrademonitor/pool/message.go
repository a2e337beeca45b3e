package pool

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// The limits of messages: 5,000 degraded nodes with 32 kB each would make an object that etcd
// rejects.
const (
	maxNames    = 5                // nodes that are named before the others are counted
	maxMessage  = 8 << 10          // bytes of the message of Degraded
	maxFailure  = maxMessage - 384 // bytes of a message about nodes: Degraded has room for it and its type
	maxDetail   = 1 << 10          // bytes of Image.Message
	maxFailures = 14               // nodes that have failed that are listed before the others are counted
)

// The beginnings of messages that tests, alerts and runbooks of OpenShift compare.
const (
	allUpdated  = "All nodes are updated with "
	allUpdating = "All nodes are updating to "
	willNot     = "Pool is paused; will not update to "
)

// sentences joins those that are not empty.
func sentences(all ...string) string {
	return strings.Join(slices.DeleteFunc(all, func(s string) bool { return s == "" }), ". ")
}

// updatedMessage is that of Updated: all nodes have the target, or how many do, or why there is none.
func (c *count) updatedMessage() string {
	switch {
	case c.target.missing() != "":
		return c.noTarget()
	case c.isUpdated():
		return sentences(allUpdated+c.target.String(), c.downNodes())
	}
	return sentences(c.counts(c.target.String()), c.downNodes())
}

// updatingMessage is that of Updating while it is True, or a pool is paused before its update.
func (c *count) updatingMessage(beginning string) string {
	details := []string{beginning + c.target.String(), c.noTarget()}
	if c.paused && len(c.updating) > 0 {
		details = append(details, "Updates that have begun continue")
	}
	if c.target.missing() == "" {
		details = append(details, c.counts("it"))
	}
	details = append(details, c.updatingNodes(), c.downNodes())
	if len(c.updating) > 0 {
		details = append(details, "See oc describe machineconfignode/"+c.updating[0].name)
	}
	return sentences(details...)
}

// noTarget is why no node can have the target, "" if it exists.
func (c *count) noTarget() string {
	switch c.target.missing() {
	case reasonNoConfiguration:
		return "The pool has no rendered MachineConfig yet"
	case reasonImageBuilding:
		return withDetail("The image of the pool is being built", c.target.image.Message)
	case reasonImageBuildFailed:
		return withDetail("The build of the pool's image has failed", c.target.image.Message)
	}
	return ""
}

func withDetail(text, detail string) string {
	if detail == "" {
		return text
	}
	return text + ": " + conditions.TruncateTo(detail, maxDetail)
}

// counts is how many nodes have the target, and what the others do.
func (c *count) counts(target string) string {
	parts := []string{fmt.Sprintf("%d of %d nodes have %s", c.updated+c.stuck, c.total, target)}
	for _, rest := range []struct {
		nodes     int
		one, more string
	}{
		{len(c.updating), "is being updated", "are being updated"},
		{c.waiting - c.stuck, "is not updated", "are not updated"},
		{c.stuck, "is degraded", "are degraded"},
		{c.unreported, "has not reported yet", "have not reported yet"},
	} {
		switch {
		case rest.nodes == 1:
			parts = append(parts, "1 "+rest.one)
		case rest.nodes > 1:
			parts = append(parts, fmt.Sprintf("%d %s", rest.nodes, rest.more))
		}
	}
	if c.isMixed() {
		parts = append(parts, "and they desire different images")
	}
	return strings.Join(parts, ", ")
}

// updatingNodes is what the nodes in an update do, the one that has done it longest first. It sorts
// them.
func (c *count) updatingNodes() string {
	slices.SortFunc(c.updating, func(a, b member) int {
		return cmp.Or(cmp.Compare(a.since, b.since), cmp.Compare(a.name, b.name))
	})
	return nodesAre(c.updating, func(m member) string {
		if m.since <= 0 {
			return progress.Doing(m.step)
		}
		return progress.Doing(m.step) + " since " + time.Unix(m.since, 0).UTC().Format("15:04 UTC on 2 Jan")
	})
}

// downNodes is which nodes are unavailable although they are in no update, and why. It sorts them.
func (c *count) downNodes() string {
	slices.SortFunc(c.down, func(a, b member) int { return cmp.Compare(a.name, b.name) })
	return nodesAre(c.down, func(m member) string { return m.down })
}

// nodesAre says what each of the first nodes is, and how many more there are; "" if there are none.
func nodesAre(list []member, what func(member) string) string {
	var parts []string
	for _, m := range list[:min(len(list), maxNames)] {
		parts = append(parts, m.name+" is "+what(m))
	}
	if more := len(list) - maxNames; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, ", ")
}

// failureMessage lists the first nodes that have failed, in the order of their names, each with its own
// message, then how many more there are. It sorts the failures.
func failureMessage(failures []failure) string {
	slices.SortFunc(failures, func(a, b failure) int { return cmp.Compare(a.node, b.node) })
	var texts []string
	for _, f := range failures[:min(len(failures), maxFailures)] {
		texts = append(texts, fmt.Sprintf("Node %s is reporting: %q", f.node, f.message))
	}
	end := ""
	if more := len(failures) - maxFailures; more > 0 {
		end = fmt.Sprintf(", and %d more", more)
	}
	return join(texts, ", ", maxFailure-len(end)) + end
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
