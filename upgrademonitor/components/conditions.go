package components

import (
	"strings"
	"time"
	"unicode"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
)

const (
	unavailableFor = 10 * time.Minute // a component is unavailable so long before Available=False is written
	rolloutFor     = time.Hour        // an update of the DaemonSet that takes longer makes the daemons Degraded
	maxBootstrap   = time.Hour        // longer than the installer waits; an older cluster was bootstrapped
	maxMessage     = 384              // bytes of a message; few, because every write is sent to every daemon
	maxText        = 1 << 10          // bytes of a text that is kept in memory

	asExpected = "AsExpected"
	noData     = "NoData"
)

// conditions returns the conditions that this process writes. before has the previous conditions, and
// created is the creation time of the object. A condition that is not known yet keeps its previous
// value, or is omitted. lastTransitionTime changes only with the status, and never decreases.
func (t *tracker) conditions(before []metav1.Condition, created, now time.Time) []metav1.Condition {
	var list []metav1.Condition
	for _, ct := range conditionTypes {
		if ct.writer != t.component {
			continue
		}
		var c metav1.Condition
		previous := find(before, ct.component, ct.aspect)
		switch {
		case ct.component == Bootstrap:
			isFirst := find(before, Operator, Degraded).Type == ""
			c = t.bootstrap(previous, find(list, Operator, Degraded), isFirst, created, now)
		case ct.component != t.component:
			c = t.peer(ct, previous, find(list, Daemon, Progressing), now)
		case ct.aspect == Progressing:
			c = t.progressing(now)
		default:
			c = t.degraded(previous, now)
		}
		if c.Status == "" {
			continue
		}
		c.Type = ct.name()
		c.Message = oneLine(c.Message)
		c.LastTransitionTime = previous.LastTransitionTime
		if c.Status != previous.Status && now.After(previous.LastTransitionTime.Time) {
			c.LastTransitionTime = seconds(now)
		}
		list = append(list, c)
	}
	return list
}

func condition(status metav1.ConditionStatus, reason, message string) metav1.Condition {
	return metav1.Condition{Status: status, Reason: reason, Message: message}
}

// setPeer stores a condition of another component. The lastTransitionTime of the stored condition is
// the time of the first report of its status.
func (t *tracker) setPeer(c metav1.Condition, now time.Time) {
	stored := condition(c.Status, c.Reason, conditions.TruncateTo(c.Message, maxText))
	stored.LastTransitionTime = metav1.NewTime(now)
	if before := t.peers[c.Type]; before.Status == c.Status {
		stored.LastTransitionTime = before.LastTransitionTime
	}
	t.peers[c.Type] = stored
}

// peer returns the condition to write for another component: the stored condition if it has had its
// status for the time that waitFor returns, and otherwise the previous condition. The daemons are also
// Degraded if the update of their DaemonSet takes too long: rollout is their condition Progressing.
func (t *tracker) peer(ct conditionType, previous, rollout metav1.Condition, now time.Time) metav1.Condition {
	c, ok := t.peers[ct.name()]
	if !ok || now.Sub(c.LastTransitionTime.Time) < waitFor(ct.aspect, c.Status) {
		c = previous
	}
	since := rollout.LastTransitionTime.Time
	isStuck := rollout.Status == metav1.ConditionTrue && now.Sub(since) >= rolloutFor
	if isStuck && ct.aspect == Degraded && c.Status != metav1.ConditionTrue {
		c = condition(metav1.ConditionTrue, "RolloutStuck", rollout.Message+" since "+timestamp(since))
	}
	return c
}

// waitFor returns how long a condition of another component must have a status before the status is
// written. Available=True, Degraded=False and Progressing=False are written at once.
func waitFor(a Aspect, status metav1.ConditionStatus) time.Duration {
	isTrue := status == metav1.ConditionTrue
	switch {
	case status == metav1.ConditionUnknown:
		return lasting
	case isTrue == (a == Available):
		return 0
	case a == Available:
		return unavailableFor
	}
	return lasting
}

// bootstrap returns the condition Progressing of Bootstrap: True until the first sync of a new cluster
// has succeeded, then False for good. It is not added to an object that is older than maxBootstrap, or
// if isFirst is false: then the operator has written its condition Degraded before. previous is the old
// value of the condition, and degraded is the new condition Degraded of the operator.
func (t *tracker) bootstrap(previous, degraded metav1.Condition, isFirst bool, created, now time.Time) metav1.Condition {
	age, message := now.Sub(created), "The first sync has not completed"
	isOld := !isFirst || age >= maxBootstrap && !created.IsZero()
	switch {
	case previous.Status == metav1.ConditionFalse || previous.Status == "" && isOld:
		return previous
	case t.synced:
		message = "Completed at " + timestamp(now) + ", after " + max(age, 0).Round(time.Second).String()
		if f, ok := faultOf(Operator, degraded); ok {
			message += "; last error, in " + string(f.State) + ": " + f.Message
		}
		return condition(metav1.ConditionFalse, "Complete", message)
	case t.lastStep != "":
		message = "The first sync is at step " + string(t.lastStep)
	case previous.Message != "":
		message = previous.Message
	}
	return condition(metav1.ConditionTrue, string(BootstrapProgression), message)
}

// oneLine converts a text to a message: one short line of printable characters.
func oneLine(text string) string {
	isBlank := func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }
	words := strings.FieldsFunc(text, isBlank)
	return conditions.TruncateTo(strings.Join(words, " "), maxMessage)
}

func timestamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// seconds truncates a time to seconds, the precision of times in the API.
func seconds(t time.Time) metav1.Time { return metav1.NewTime(t.UTC().Truncate(time.Second)) }
