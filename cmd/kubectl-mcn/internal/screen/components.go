package screen

import (
	"cmp"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// Component is the health of the operator, the controller or the daemons, or the state of the
// bootstrap.
type Component struct {
	Name string `json:"name"`
	// Health is Healthy, Unhealthy, Unknown or NotReported. For the bootstrap, it is Running or
	// Complete.
	Health string `json:"health"`
	// Doing is a step of the component that takes long, or "". Since and Message describe this
	// step or the bootstrap.
	Doing   string       `json:"doing,omitempty"`
	Since   *metav1.Time `json:"since,omitempty"`
	Message string       `json:"message,omitempty"`
	// Problems has each of the conditions Degraded and Available that is missing or not healthy.
	Problems []metav1.Condition `json:"problems,omitempty"`
	Error    *components.Fault  `json:"mostRecentError,omitempty"`
}

// notReported is the health of a component without conditions, and the reason of a missing
// condition.
const notReported = "NotReported"

// Components returns the state of each component, from the conditions of the MachineConfiguration.
func Components(list []metav1.Condition) []Component {
	all := []Component{
		componentOf(list, "operator", components.Operator),
		componentOf(list, "controller", components.Controller),
		componentOf(list, "daemon", components.Daemon),
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
	result := Component{Name: name, Health: string(components.HealthOf(list, c))}
	var own []metav1.Condition
	for _, a := range []components.Aspect{components.Progressing, components.Degraded, components.Available} {
		condition := metav1.Condition{Type: components.TypeOf(c, a), Status: metav1.ConditionUnknown, Reason: notReported}
		if found := meta.FindStatusCondition(list, condition.Type); found != nil {
			condition = *found
			own = append(own, condition)
		} else if a == components.Progressing {
			continue
		}
		isWell := condition.Status != metav1.ConditionUnknown && (condition.Status == metav1.ConditionTrue) == (a == components.Available)
		switch {
		case isWell:
		case a == components.Progressing:
			result.Doing, result.Since, result.Message = condition.Reason, &condition.LastTransitionTime, condition.Message
		default:
			result.Problems = append(result.Problems, condition)
		}
	}
	if len(own) == 0 {
		return Component{Name: name, Health: notReported}
	}
	if fault, ok := components.MostRecentError(own); ok {
		result.Error = &fault
	}
	return result
}

// Health names the components whose health is Unhealthy or Unknown, and the command that shows
// them. If there are no such components, it returns "".
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

// ComponentTable returns the screen of the components. It has the overall health and a row for each
// component. Below the table, it has the messages of problems, of steps that take long, and of
// resolved errors.
func ComponentTable(conditions []metav1.Condition, o Options) []Line {
	all := Components(conditions)
	rows := [][]string{{"NAME      ", "HEALTH", "DOING", "SINCE"}}
	for _, c := range all {
		health, since := strings.Replace(c.Health, notReported, "not reported", 1), "-"
		if c.Since != nil {
			since = sinceNow(c.Since.Time, o.Now)
		}
		rows = append(rows, []string{c.Name, health, cmp.Or(Clean(c.Doing), "-"), since})
	}
	ls := append(lines(Plain, "health: "+string(components.Overall(conditions))+", "+moment(o), ""), table(rows, 0, o.Width)...)
	add := func(tone Tone, c Component, what, message string) {
		ls = append(ls, Problem{Subject: c.Name, What: what, Message: message, Tone: tone}.draw(o)...)
	}
	for _, c := range all {
		for _, p := range c.Problems {
			since := sinceText(p.LastTransitionTime.Time, o.Now)
			what := fmt.Sprintf("%s is %s, %s%s", Clean(p.Type), Clean(string(p.Status)), Clean(p.Reason), since)
			add(Alarm, c, what, p.Message)
		}
		switch {
		case c.Message != "" && c.Doing != "":
			add(Warn, c, Clean(c.Doing)+sinceText(c.Since.Time, o.Now), c.Message)
		case c.Message != "":
			add(Plain, c, strings.ToLower(c.Health), c.Message)
		}
		if c.Error != nil && c.Error.Resolved {
			since := sinceNow(c.Error.Since.Time, o.Now)
			what := fmt.Sprintf("last error resolved %s ago, in %s", since, Clean(string(c.Error.State)))
			add(Plain, c, what, c.Error.Message)
		}
	}
	return fit(ls, o)
}
