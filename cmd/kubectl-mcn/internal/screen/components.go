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
	Health   string             `json:"health"`             // Healthy, Unhealthy, Unknown, NotReported; of the bootstrap Running, Complete
	Doing    string             `json:"doing,omitempty"`    // the step that takes long
	Since    *metav1.Time       `json:"since,omitempty"`    // of the step, or of the bootstrap
	Message  string             `json:"message,omitempty"`  // of the step, or of the bootstrap
	Problems []metav1.Condition `json:"problems,omitempty"` // the conditions that are not well, or missing
	Error    *components.Fault  `json:"mostRecentError,omitempty"`
}

// notReported is the health of a component without a condition, and the reason of a missing condition.
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
	for _, a := range []components.Aspect{components.Progressing, components.Degraded, components.Available} {
		condition := meta.FindStatusCondition(list, components.TypeOf(c, a))
		switch {
		case condition == nil && a != components.Progressing:
			result.Problems = append(result.Problems, metav1.Condition{Type: components.TypeOf(c, a), Status: metav1.ConditionUnknown, Reason: notReported})
			continue
		case condition == nil:
			continue
		}
		own = append(own, *condition)
		isWell := condition.Status != metav1.ConditionUnknown && (condition.Status == metav1.ConditionTrue) == (a == components.Available)
		switch {
		case isWell:
		case a == components.Progressing:
			result.Doing, result.Since, result.Message = condition.Reason, &condition.LastTransitionTime, condition.Message
		default:
			result.Problems = append(result.Problems, *condition)
		}
	}
	if len(own) == 0 {
		result.Problems = nil
		return result
	}
	result.Health = string(components.HealthOf(list, c))
	if fault, ok := components.MostRecentError(own); ok {
		result.Error = &fault
	}
	return result
}

// Health returns a line on the components that are unhealthy or whose health is unknown, "" for none.
func Health(list []metav1.Condition) string {
	var texts []string
	for _, h := range []components.Health{components.Unhealthy, components.Unknown} {
		var names []string
		for _, c := range Components(list) {
			if c.Health == string(h) {
				names = append(names, c.Name)
			}
		}
		if len(names) > 0 {
			texts = append(texts, strings.Join(names, ", ")+" "+strings.ToLower(string(h)))
		}
	}
	if len(texts) == 0 {
		return ""
	}
	return strings.Join(texts, "; ") + ": kubectl mcn components"
}

// ComponentTable returns the screen of the components: the overall health; of each component its
// health, the step that takes long and since when; below the table, everything that is not well.
func ComponentTable(conditions []metav1.Condition, o Options) []Line {
	all := Components(conditions)
	rows := [][]string{{"NAME      ", "HEALTH", "DOING", "SINCE"}}
	for _, c := range all {
		health, since := strings.Replace(c.Health, notReported, "not reported", 1), "-"
		if c.Since != nil {
			since = sinceNow(c.Since.Time, o.Now)
		}
		rows = append(rows, []string{c.Name, health, cmp.Or(Clean(c.Doing, 0), "-"), since})
	}
	ls := append(lines(Plain, "health: "+string(components.Overall(conditions))+", "+Moment(o), ""), tableLines(rows, 0, o.Width)...)
	add := func(tone Tone, c Component, what, message string) {
		ls = append(ls, Problem{Subject: c.Name, What: what, Message: message, Tone: tone}.draw(o)...)
	}
	for _, c := range all {
		for _, p := range c.Problems {
			add(Alarm, c, fmt.Sprintf("%s is %s, %s%s", clean(p.Type), clean(string(p.Status)), clean(p.Reason), sinceText(p.LastTransitionTime.Time, o.Now)), p.Message)
		}
		switch {
		case c.Message != "" && c.Doing != "":
			add(Warn, c, clean(c.Doing)+sinceText(c.Since.Time, o.Now), c.Message)
		case c.Message != "":
			add(Plain, c, strings.ToLower(c.Health), c.Message)
		}
		if c.Error != nil && c.Error.Resolved {
			add(Plain, c, fmt.Sprintf("last error resolved %s ago, in %s", sinceNow(c.Error.Since.Time, o.Now), clean(string(c.Error.State))), c.Error.Message)
		}
	}
	return fit(ls, o)
}
