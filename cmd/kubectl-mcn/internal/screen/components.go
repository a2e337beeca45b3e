package screen

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// Component is the health of the operator, the controller or the daemons.
type Component struct {
	Name     string             `json:"name"`
	Health   string             `json:"health"` // Healthy, Unhealthy, Unknown, NotReported
	Doing    string             `json:"doing,omitempty"`
	Since    *metav1.Time       `json:"since,omitempty"`
	Problems []metav1.Condition `json:"problems,omitempty"` // the conditions that are not well
	Error    *ComponentError    `json:"mostRecentError,omitempty"`
}

// ComponentError is the most recent error.
type ComponentError struct {
	State    string      `json:"state"`
	Message  string      `json:"message"`
	Since    metav1.Time `json:"since"`
	Resolved bool        `json:"resolved"`
}

// notReported is the health of a component of which no condition exists.
const notReported = "NotReported"

// Components reads the conditions of MachineConfiguration cluster.
func Components(list []metav1.Condition) []Component {
	var all []Component
	for _, c := range []struct {
		name      string
		component components.Component
	}{{"operator", components.Operator}, {"controller", components.Controller}, {"daemon", components.Daemon}} {
		all = append(all, componentOf(list, c.name, c.component))
	}
	return all
}

func componentOf(list []metav1.Condition, name string, c components.Component) Component {
	result := Component{Name: name, Health: string(components.HealthOf(list, c))}
	var own []metav1.Condition
	for _, a := range []components.Aspect{components.Available, components.Progressing, components.Degraded} {
		condition := meta.FindStatusCondition(list, components.TypeOf(c, a))
		if condition == nil {
			continue
		}
		own = append(own, *condition)
		well := metav1.ConditionFalse
		if a == components.Available {
			well = metav1.ConditionTrue
		}
		switch {
		case a == components.Progressing && condition.Status == metav1.ConditionTrue:
			result.Doing = condition.Reason
		case a != components.Progressing && condition.Status != well:
			result.Problems = append(result.Problems, *condition)
		}
		if a != components.Progressing && (result.Since == nil || result.Since.Before(&condition.LastTransitionTime)) {
			result.Since = condition.LastTransitionTime.DeepCopy()
		}
	}
	if len(own) == 0 {
		result.Health = notReported
	}
	if fault, ok := components.MostRecentError(own); ok {
		result.Error = &ComponentError{State: string(fault.State), Message: fault.Message, Since: fault.Since, Resolved: fault.Resolved}
	}
	return result
}

// Health returns a line on the components that are unhealthy, "" for none.
func Health(list []metav1.Condition) string {
	var names []string
	for _, c := range Components(list) {
		if c.Health == string(components.Unhealthy) {
			names = append(names, c.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return strings.Join(names, ", ") + " unhealthy: kubectl mcn components"
}

// ComponentTable returns the screen of the components: what each is doing, how healthy it is, and everything
// that is not well.
func ComponentTable(conditions []metav1.Condition, o Options) []Line {
	all := Components(conditions)
	rows := [][]string{{"NAME      ", "HEALTH", "SINCE", "DOING"}}
	for _, c := range all {
		health, since, doing := c.Health, "-", cmp.Or(Clean(c.Doing, 0), "-")
		if health == notReported {
			health = "not reported"
		}
		if c.Since != nil {
			since = sinceNow(c.Since.Time, o.Now)
		}
		rows = append(rows, []string{c.Name, health, since, doing})
	}
	ls := append(lines(Plain, Moment(o), ""), tableLines(rows, 0, o.Width)...)
	for _, c := range all {
		for _, p := range c.Problems {
			ls = append(ls, Problem{
				Headline: fmt.Sprintf("! %s: %s is %s, %s%s", c.Name, clean(p.Type), clean(string(p.Status)), clean(p.Reason), sinceText(p.LastTransitionTime.Time, o.Now)),
				Message:  p.Message, Tone: Alarm,
			}.draw(o)...)
		}
		if e := c.Error; e != nil && (e.Resolved || len(c.Problems) == 0) {
			ls = append(ls, Problem{
				Headline: fmt.Sprintf("%s: last error %s, at %s", c.Name, resolvedText(e, o.Now), clean(e.State)), Message: e.Message,
			}.draw(o)...)
		}
	}
	return fit(ls, o)
}

func resolvedText(e *ComponentError, now time.Time) string {
	if e.Resolved {
		return "resolved " + sinceNow(e.Since.Time, now) + " ago"
	}
	return sinceNow(e.Since.Time, now) + " ago"
}
