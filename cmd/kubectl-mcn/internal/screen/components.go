package screen

import (
	"cmp"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// Component is the health of the operator, the controller or the daemons, or the record of the bootstrap.
type Component struct {
	Name     string             `json:"name"`
	Health   string             `json:"health"` // Healthy, Unhealthy, Unknown, NotReported; of the bootstrap Running, Complete
	Doing    string             `json:"doing,omitempty"`
	Since    *metav1.Time       `json:"since,omitempty"`
	Message  string             `json:"message,omitempty"`  // of the bootstrap
	Problems []metav1.Condition `json:"problems,omitempty"` // the conditions that are not well
	Error    *components.Fault  `json:"mostRecentError,omitempty"`
}

// notReported is the health of a component of which no condition exists.
const notReported = "NotReported"

// Components reads the conditions of MachineConfiguration cluster.
func Components(list []metav1.Condition) []Component {
	all := []Component{
		componentOf(list, "operator", components.Operator), componentOf(list, "controller", components.Controller), componentOf(list, "daemon", components.Daemon),
	}
	if c := meta.FindStatusCondition(list, components.TypeOf(components.Bootstrap, components.Progressing)); c != nil {
		bootstrap := Component{Name: "bootstrap", Health: "Complete", Since: &c.LastTransitionTime, Message: c.Message}
		if c.Status == metav1.ConditionTrue {
			bootstrap.Health, bootstrap.Doing = "Running", c.Reason
		}
		all = append(all, bootstrap)
	}
	return all
}

func componentOf(list []metav1.Condition, name string, c components.Component) Component {
	result := Component{Name: name, Health: notReported}
	var own []metav1.Condition
	for _, a := range []components.Aspect{components.Available, components.Progressing, components.Degraded} {
		condition := meta.FindStatusCondition(list, components.TypeOf(c, a))
		if condition == nil {
			continue
		}
		own = append(own, *condition)
		result.Health = string(components.HealthOf(list, c))
		if a == components.Progressing {
			if condition.Status == metav1.ConditionTrue {
				result.Doing = condition.Reason
			}
			continue
		}
		if isWell := (a == components.Available) == (condition.Status == metav1.ConditionTrue); !isWell || condition.Status == metav1.ConditionUnknown {
			result.Problems = append(result.Problems, *condition)
		}
		if result.Since == nil || result.Since.Before(&condition.LastTransitionTime) {
			result.Since = &condition.LastTransitionTime
		}
	}
	if fault, ok := components.MostRecentError(own); ok {
		result.Error = &fault
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
		health, since := strings.Replace(c.Health, notReported, "not reported", 1), "-"
		if c.Since != nil {
			since = sinceNow(c.Since.Time, o.Now)
		}
		rows = append(rows, []string{c.Name, health, since, cmp.Or(Clean(c.Doing, 0), "-")})
	}
	ls := append(lines(Plain, Moment(o), ""), tableLines(rows, 0, o.Width)...)
	add := func(tone Tone, c Component, what, message string) {
		ls = append(ls, Problem{Subject: c.Name, What: what, Message: message, Tone: tone}.draw(o)...)
	}
	for _, c := range all {
		for _, p := range c.Problems {
			add(Alarm, c, fmt.Sprintf("%s is %s, %s%s", clean(p.Type), clean(string(p.Status)), clean(p.Reason), sinceText(p.LastTransitionTime.Time, o.Now)), p.Message)
		}
		if e := c.Error; e != nil && (e.Resolved || len(c.Problems) == 0) {
			resolved := ""
			if e.Resolved {
				resolved = "resolved "
			}
			add(Plain, c, fmt.Sprintf("last error %s%s ago, at %s", resolved, sinceNow(e.Since.Time, o.Now), clean(string(e.State))), e.Message)
		}
		if c.Message != "" {
			add(Plain, c, strings.ToLower(c.Health), c.Message)
		}
	}
	return fit(ls, o)
}
