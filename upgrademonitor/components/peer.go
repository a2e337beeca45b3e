package components

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openshift/upgrademonitor/internal/validate"
)

// daemonUnavailable is how long daemons are unavailable until it is published.
const daemonUnavailable = 10 * time.Minute

func validatePeer(writer, peer Component, list []metav1.Condition) error {
	path := field.NewPath("components", "SetPeerConditions")
	var types []string
	for _, t := range writtenBy(writer) {
		if t.component == peer && peer != writer && peer != Bootstrap {
			types = append(types, t.name())
		}
	}
	if len(types) == 0 {
		return field.Invalid(path.Child("component"), peer, "is not reported by "+string(writer))
	}
	for i, c := range list {
		path := path.Child("conditions").Index(i)
		switch {
		case !slices.Contains(types, c.Type):
			return field.NotSupported(path.Child("type"), c.Type, types)
		case c.Status != metav1.ConditionTrue && c.Status != metav1.ConditionFalse && c.Status != metav1.ConditionUnknown:
			return field.Invalid(path.Child("status"), c.Status, "must be True, False or Unknown")
		case !validate.IsReason(c.Reason):
			return field.Invalid(path.Child("reason"), c.Reason, "must be a CamelCase word that matches "+validate.ReasonPattern)
		}
	}
	return nil
}

// peers are the conditions that this process was told of other components, by type. Time is an argument.
type peers map[string]*peer

type peer struct {
	condition metav1.Condition
	since     time.Time // it has this status
}

func (ps peers) set(c metav1.Condition, now time.Time) {
	c = metav1.Condition{Type: c.Type, Status: c.Status, Reason: c.Reason, Message: oneLine(c.Message, maxMessage)}
	if p := ps[c.Type]; p != nil && p.condition.Status == c.Status {
		p.condition = c
		return
	}
	ps[c.Type] = &peer{condition: c, since: now}
}

// condition returns the condition of a type, given the one before: a bad status only when it has lasted.
// The zero Condition means none.
func (ps peers) condition(t conditionType, was *metav1.Condition, config *Config, now time.Time) metav1.Condition {
	if was == nil {
		was = &metav1.Condition{}
	}
	p := ps[t.name()]
	if p == nil {
		return *was
	}
	good, after := metav1.ConditionFalse, config.DegradedInertia
	switch t.aspect {
	case Progressing:
		after = config.ProgressingAfter
	case Available:
		good = metav1.ConditionTrue
		if t.component == Daemon && p.condition.Status == metav1.ConditionFalse {
			after = max(after, daemonUnavailable)
		}
	}
	if p.condition.Status == good || now.Sub(p.since) >= after {
		return p.condition
	}
	return *was
}
