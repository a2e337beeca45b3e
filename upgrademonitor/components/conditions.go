package components

import (
	"cmp"
	"strings"
	"time"
	"unicode"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/internal/truncate"
)

const (
	unavailableFor = 10 * time.Minute // a component is unavailable so long before Available=False is written
	rolloutFor     = time.Hour        // an update of the DaemonSet that takes longer makes the daemons Degraded
	maxBootstrap   = time.Hour        // longer than the installer waits; an older cluster was bootstrapped
	maxMessage     = 384              // bytes of a message; few, because every write is sent to every daemon

	asExpected = "AsExpected"
	noData     = "NoData"
)

// conditions returns the conditions that this process writes. before has the previous conditions, and
// created is the creation time of the object. A condition that is not known yet keeps its previous
// value, or is omitted. lastTransitionTime changes only with the status.
func (t *tracker) conditions(before []metav1.Condition, created, now time.Time) []metav1.Condition {
	var list []metav1.Condition
	for _, name := range writers[t.component].writes {
		var c metav1.Condition
		previous := find(before, name)
		switch name {
		case TypeOf(t.component, Degraded):
			c = t.degraded(previous, now)
		case TypeOf(t.component, Progressing):
			c = t.progressing(now)
		case TypeOf(Bootstrap, Progressing):
			c = t.bootstrap(previous, find(list, TypeOf(Operator, Degraded)), created, now)
		default:
			c = t.peer(name, previous, find(list, TypeOf(Daemon, Progressing)), now)
		}
		if c.Status == "" {
			continue
		}
		c.Type, c.Message, c.LastTransitionTime = name, oneLine(c.Message), previous.LastTransitionTime
		if c.Status != previous.Status {
			c.LastTransitionTime = metav1.NewTime(now).Rfc3339Copy()
		}
		list = append(list, c)
	}
	return list
}

func condition(status metav1.ConditionStatus, reason, message string) metav1.Condition {
	return metav1.Condition{Status: status, Reason: reason, Message: message}
}

// peer returns the condition to write for another component: the stored condition if it has had its
// status for the time that waitFor returns, and otherwise the previous condition. The daemons are also
// Degraded if the update of their DaemonSet takes too long: rollout is their condition Progressing.
func (t *tracker) peer(name string, previous, rollout metav1.Condition, now time.Time) metav1.Condition {
	c := find(t.peers, name)
	if c.Status == "" || now.Sub(c.LastTransitionTime.Time) < waitFor(c) {
		c = previous
	}
	since := rollout.LastTransitionTime.Time
	// After a long down time, the condition may be old: this process must have seen the rollout, too.
	isSeen := find(t.peers, TypeOf(Daemon, Progressing)).Status == metav1.ConditionTrue
	isStuck := isSeen && rollout.Status == metav1.ConditionTrue && now.Sub(since) >= rolloutFor
	if isStuck && name == TypeOf(Daemon, Degraded) && c.Status != metav1.ConditionTrue {
		c = condition(metav1.ConditionTrue, "RolloutStuck", rollout.Message+" since "+timestamp(since))
	}
	return c
}

// waitFor returns how long a condition of another component must have its status before it is written.
func waitFor(c metav1.Condition) time.Duration {
	isAvailable := strings.HasSuffix(c.Type, string(Available))
	switch {
	case isAvailable && c.Status == metav1.ConditionFalse:
		return unavailableFor
	case c.Status == metav1.ConditionUnknown, !isAvailable && c.Status == metav1.ConditionTrue:
		return lasting
	}
	return 0
}

// bootstrap returns the condition Progressing of Bootstrap: True until the first sync of a new cluster
// has succeeded, then False for good. It is not added to an object that is older than maxBootstrap.
// previous is its old value, and degraded is the new condition Degraded of the operator.
func (t *tracker) bootstrap(previous, degraded metav1.Condition, created, now time.Time) metav1.Condition {
	age, message := now.Sub(created), cmp.Or(previous.Message, "The first sync has not completed")
	isOld := age >= maxBootstrap && !created.IsZero()
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
	}
	return condition(metav1.ConditionTrue, string(BootstrapProgression), message)
}

// oneLine converts a text to a message: one short line of printable characters.
func oneLine(text string) string {
	isBlank := func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }
	words := strings.FieldsFunc(text, isBlank)
	return truncate.To(strings.Join(words, " "), maxMessage)
}

func timestamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
