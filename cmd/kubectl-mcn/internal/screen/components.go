package screen

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// reporting are the components with a health.
var reporting = []struct {
	name string
	components.Component
}{
	{"operator", components.Operator},
	{"controller", components.Controller},
	{"daemon", components.Daemon},
}

// conditionsOf returns the conditions of a component.
func conditionsOf(list []metav1.Condition, c components.Component) (own []metav1.Condition) {
	for _, a := range []components.Aspect{components.Progressing, components.Degraded, components.Available} {
		if found := meta.FindStatusCondition(list, components.TypeOf(c, a)); found != nil {
			own = append(own, *found)
		}
	}
	return own
}

// Health names the components whose health is Unhealthy or Unknown, and the command that shows
// them. If there are no such components, it returns "".
func Health(list []metav1.Condition) string {
	var texts []string
	for _, health := range []components.Health{components.Unhealthy, components.Unknown} {
		var names []string
		for _, c := range reporting {
			if len(conditionsOf(list, c.Component)) > 0 && components.HealthOf(list, c.Component) == health {
				names = append(names, c.name)
			}
		}
		if len(names) > 0 {
			texts = append(texts, strings.Join(names, ", ")+" "+strings.ToLower(string(health)))
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
func ComponentTable(list []metav1.Condition, o Options) []Line {
	rows := [][]string{{"NAME      ", "HEALTH", "DOING", "SINCE"}}
	var entries []Line
	add := func(tone Tone, name, what, message string) {
		entries = append(entries, Problem{Subject: name, What: what, Message: message, Tone: tone}.draw(o)...)
	}
	addDoing := func(name string, c *metav1.Condition) (doing, since string) {
		if c.Message != "" {
			add(Warn, name, Clean(c.Reason)+sinceText(c.LastTransitionTime.Time, o.Now), c.Message)
		}
		return Clean(c.Reason), sinceNow(c.LastTransitionTime.Time, o.Now)
	}
	for _, c := range reporting {
		health, doing, since := string(components.HealthOf(list, c.Component)), "-", "-"
		own := conditionsOf(list, c.Component)
		if len(own) == 0 {
			rows = append(rows, []string{c.name, "not reported", doing, since})
			continue
		}
		for _, wanted := range []metav1.Condition{
			{Type: components.TypeOf(c.Component, components.Degraded), Status: metav1.ConditionFalse},
			{Type: components.TypeOf(c.Component, components.Available), Status: metav1.ConditionTrue},
		} {
			found := meta.FindStatusCondition(own, wanted.Type)
			switch {
			case found == nil:
				add(Alarm, c.name, wanted.Type+" is Unknown, NotReported", "")
			case found.Status != wanted.Status:
				what := fmt.Sprintf("%s is %s, %s", wanted.Type, Clean(string(found.Status)), Clean(found.Reason))
				add(Alarm, c.name, what+sinceText(found.LastTransitionTime.Time, o.Now), found.Message)
			}
		}
		progressing := meta.FindStatusCondition(own, components.TypeOf(c.Component, components.Progressing))
		if progressing != nil && progressing.Status != metav1.ConditionFalse {
			doing, since = addDoing(c.name, progressing)
		}
		if fault, _ := components.MostRecentError(own); fault.Resolved {
			add(Plain, c.name, "last error resolved "+sinceNow(fault.Since.Time, o.Now)+" ago, in "+Clean(string(fault.State)), fault.Message)
		}
		rows = append(rows, []string{c.name, health, doing, since})
	}
	if c := meta.FindStatusCondition(list, components.TypeOf(components.Bootstrap, components.Progressing)); c != nil {
		health, doing, since := "Complete", "-", sinceNow(c.LastTransitionTime.Time, o.Now)
		if c.Status == metav1.ConditionTrue {
			health = "Running"
			doing, since = addDoing("bootstrap", c)
		} else {
			add(Plain, "bootstrap", "complete", c.Message)
		}
		rows = append(rows, []string{"bootstrap", health, doing, since})
	}
	ls := append(wrapped(Plain, "", "", "health: "+string(components.Overall(list))+", "+moment(o), o.Width), Line{})
	ls = append(ls, table(rows, 0, o.Width)...)
	return fit(append(ls, entries...), o)
}
