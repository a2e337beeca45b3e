package components

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openshift/upgrademonitor/internal/validate"
)

// maxReason is the maximum length of the reason of a judgement. The CRD allows 1024, but a request has several.
const maxReason = 128

// daemonGrace is how long the daemons must be unavailable before it is published.
const daemonGrace = 10 * time.Minute

// judgement is the last report of the process on another component, by one condition.
type judgement struct {
	condition metav1.Condition
	since     time.Time // since when it has this status
	reported  time.Time // when it was last reported
	last      *Fault    // the last error that was published, nil if none
}

// judgements are those of a process, by condition type. They are not safe for concurrent use.
type judgements map[string]*judgement

// add records a condition, and reports whether it differs from the previous one.
func (js judgements) add(c metav1.Condition, now time.Time) bool {
	c.Message = oneLine(c.Message, maxMessage)
	j := js[c.Type]
	if j == nil {
		js[c.Type] = &judgement{condition: c, since: now, reported: now}
		return true
	}
	if j.condition.Status != c.Status {
		js[c.Type] = &judgement{condition: c, since: now, reported: now, last: j.last}
		return true
	}
	changed := j.condition.Reason != c.Reason || j.condition.Message != c.Message
	j.condition, j.reported = c, now
	return changed
}

// current returns the desired condition of a type, given the published one: a bad status only when it
// has lasted. The zero Condition means none. The duration is how long this stays valid, 0 forever.
func (js judgements) current(t conditionType, published *metav1.Condition, minDuration time.Duration, now time.Time) (metav1.Condition, time.Duration) {
	j := js[t.name()]
	var keep metav1.Condition
	if published != nil {
		keep = *published
		keep.Message = oneLine(keep.Message, maxMessage) // others may have written it
	}
	if j == nil {
		return keep, 0
	}
	j.since = earlier(j.since, now)
	if j.condition.Status == keep.Status || j.condition.Status == goodStatus(t.aspect) {
		return j.condition, 0
	}
	if left := minDuration - now.Sub(j.since); left > 0 {
		return keep, left
	}
	return j.condition, 0
}

// goodStatus returns the status of an aspect of a healthy component.
func goodStatus(a Aspect) metav1.ConditionStatus {
	if a == Available {
		return metav1.ConditionTrue
	}
	return metav1.ConditionFalse
}

// minDuration returns how long a judgement must last until it is published.
func (c *Config) minDuration(t conditionType, status metav1.ConditionStatus) time.Duration {
	switch {
	case t.component == Daemon && t.aspect == Available && status == metav1.ConditionFalse:
		return max(daemonGrace, c.Persist)
	case t.aspect == Progressing:
		return c.Dwell
	default:
		return c.Persist
	}
}

// Judge reports conditions of another component: the operator judges whether the controller is
// Available, and everything of the daemons; the controller judges whether the operator is Available.
// Types that are not passed are unchanged.
//
// A good status is published at once, any other one when it has lasted for Persist or Dwell, and
// unavailable daemons after ten minutes. Degraded=False without a message publishes the last error. The
// times in the conditions are ignored. Invalid input is a *field.Error, or an aggregate of them, and
// nothing is reported.
func (r *Reporter) Judge(c Component, list ...metav1.Condition) error {
	if r == nil {
		return nil
	}
	if err := validateJudgement(r.config.Component, c, list); err != nil {
		return err
	}
	now := r.config.Clock.Now()
	r.mu.Lock()
	changed := false
	for _, condition := range list {
		changed = r.judgements.add(condition, now) || changed
	}
	r.mu.Unlock()
	if changed {
		r.notify()
	}
	return nil
}

func validateJudgement(writer, judged Component, list []metav1.Condition) error {
	var names []string
	for _, t := range typesOf(writer) {
		if t.judged() && t.component == judged {
			names = append(names, t.name())
		}
	}
	path := field.NewPath("components", "Judge")
	if len(names) == 0 {
		return field.Invalid(path.Child("component"), string(judged), fmt.Sprintf("is not judged by %s", writer))
	}
	var errs field.ErrorList
	for i, c := range list {
		path := path.Child("conditions").Index(i)
		if !slices.Contains(names, c.Type) {
			errs = append(errs, field.NotSupported(path.Child("type"), c.Type, names))
		}
		if c.Status != metav1.ConditionTrue && c.Status != metav1.ConditionFalse && c.Status != metav1.ConditionUnknown {
			errs = append(errs, field.NotSupported(path.Child("status"), c.Status, []metav1.ConditionStatus{metav1.ConditionTrue, metav1.ConditionFalse, metav1.ConditionUnknown}))
		}
		switch {
		case !validate.IsReason(c.Reason):
			errs = append(errs, field.Invalid(path.Child("reason"), oneLine(c.Reason, maxKey), "must be a CamelCase word that matches "+validate.ReasonPattern))
		case len(c.Reason) > maxReason:
			errs = append(errs, field.TooLong(path.Child("reason"), "", maxReason))
		}
	}
	return errs.ToAggregate()
}
