// Package componentview renders the conditions of package components as tables, for people. It is pure.
package componentview

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/openshift/upgrademonitor/examples/internal/screen"
	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// none is the content of an empty cell.
const none = "-"

// row is a component in the table.
type row struct {
	name      string
	component components.Component
	sync      components.State
}

var rows = []row{
	{"operator", components.Operator, components.OperatorSync},
	{"controller", components.Controller, components.MCCSync},
	{"daemon", components.Daemon, components.MCDSync},
}

// Options are the options of Render.
type Options struct {
	Wide  bool // with a line for each step of a component
	Width int  // of a line, in columns; 0: any
}

// Render writes two tables: whether the three components sync, and what each is doing, how healthy it is and
// since when, and its most recent error. It writes printable ASCII only: a message may come from anywhere.
//
// Whether a component syncs is True while it is not degraded, False while it is, and Unknown if that is not known.
func Render(out io.Writer, list []metav1.Condition, now time.Time, options Options) error {
	text := table(syncRows(list)) + "\n" + table(healthRows(list, now, options.Wide))
	if fault, ok := components.MostRecentError(list); ok && !fault.Resolved {
		text += "\n" + faultText(fault, now, options.Width)
	}
	for line := range strings.Lines(text) {
		if _, err := io.WriteString(out, screen.Cut(strings.TrimRight(line, " \n"), options.Width)+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// table aligns the cells of rows.
func table(rows [][]string) string {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, cells := range rows {
		_, _ = fmt.Fprintln(w, strings.Join(cells, "\t")) // into memory
	}
	_ = w.Flush()
	return text.String()
}

func syncRows(list []metav1.Condition) [][]string {
	header, values := []string{"NAME"}, []string{"cluster"}
	for _, r := range rows {
		header = append(header, strings.ToUpper(columnOf(r.sync)))
		values = append(values, string(syncing(list, r.component)))
	}
	return [][]string{header, values}
}

func healthRows(list []metav1.Condition, now time.Time, wide bool) [][]string {
	lines := [][]string{{"NAME", "DOING", "HEALTH", "SINCE", "MOST RECENT ERROR"}}
	for _, r := range rows {
		lines = append(lines, []string{r.name, doing(list, r), string(components.HealthOf(list, r.component)), since(list, r.component, now), lastError(list, r.component, now)})
		if !wide {
			continue
		}
		for _, s := range components.States(r.component) {
			lines = append(lines, []string{"  " + string(s), stepOf(list, r.component, s), "", "", ""})
		}
	}
	return append(lines, []string{"all", none, string(components.Overall(list)), none, none})
}

// faultText returns the whole text of an unresolved error, for which a column may be too narrow.
func faultText(fault components.Fault, now time.Time, width int) string {
	const indent = "  "
	text := fmt.Sprintf("! %s for %s\n", fault.State, age(fault.Since.Time, now))
	if width > len(indent) {
		width -= len(indent)
	}
	for _, line := range screen.Wrap(fault.Message, width, 0) {
		text += indent + line + "\n"
	}
	return text
}

// columnOf returns the name of the column of a sync in the enhancement proposal.
func columnOf(s components.State) string {
	if name, ok := strings.CutPrefix(string(s), "Sync"); ok {
		return name + "Sync"
	}
	return string(s)
}

func syncing(list []metav1.Condition, c components.Component) metav1.ConditionStatus {
	switch statusOf(list, c, components.Degraded) {
	case metav1.ConditionTrue:
		return metav1.ConditionFalse
	case metav1.ConditionFalse:
		return metav1.ConditionTrue
	default:
		return metav1.ConditionUnknown
	}
}

func statusOf(list []metav1.Condition, c components.Component, a components.Aspect) metav1.ConditionStatus {
	if condition := meta.FindStatusCondition(list, components.TypeOf(c, a)); condition != nil {
		return condition.Status
	}
	return metav1.ConditionUnknown
}

// doing returns the step that takes long, or the operator's bootstrap.
func doing(list []metav1.Condition, r row) string {
	if c := meta.FindStatusCondition(list, components.TypeOf(r.component, components.Progressing)); c != nil && c.Status == metav1.ConditionTrue {
		return screen.Clean(c.Reason, 0)
	}
	if r.component == components.Operator && statusOf(list, components.Bootstrap, components.Progressing) == metav1.ConditionTrue {
		return string(components.BootstrapProgression)
	}
	return none
}

// since returns the age of the health: the later time of the conditions that determine it.
func since(list []metav1.Condition, c components.Component, now time.Time) string {
	var latest time.Time
	for _, a := range []components.Aspect{components.Available, components.Degraded} {
		if condition := meta.FindStatusCondition(list, components.TypeOf(c, a)); condition != nil && condition.LastTransitionTime.After(latest) {
			latest = condition.LastTransitionTime.Time
		}
	}
	return age(latest, now)
}

func age(t, now time.Time) string {
	if t.IsZero() {
		return none
	}
	return duration.HumanDuration(max(now.Sub(t), 0))
}

func lastError(list []metav1.Condition, c components.Component, now time.Time) string {
	degraded := meta.FindStatusCondition(list, components.TypeOf(c, components.Degraded))
	if degraded == nil {
		return none
	}
	fault, ok := components.MostRecentError([]metav1.Condition{*degraded})
	if !ok {
		return none
	}
	text := screen.Clean(fault.Message, 0)
	if fault.Resolved {
		return fmt.Sprintf("resolved %s ago: %s: %s", age(fault.Since.Time, now), fault.State, text)
	}
	return fmt.Sprintf("%s: %s", fault.State, text)
}

// stepOf returns the known state of a step: only what lasts is published.
func stepOf(list []metav1.Condition, c components.Component, s components.State) string {
	if p := meta.FindStatusCondition(list, components.TypeOf(c, components.Progressing)); p != nil && p.Status == metav1.ConditionTrue && p.Reason == string(s) {
		return "Progressing"
	}
	degraded := meta.FindStatusCondition(list, components.TypeOf(c, components.Degraded))
	if degraded == nil || degraded.Status == metav1.ConditionUnknown {
		return string(components.Unknown)
	}
	if fault, ok := components.MostRecentError([]metav1.Condition{*degraded}); ok && !fault.Resolved {
		if parent, _ := components.ParentOf(fault.State); fault.State == s || parent == s {
			return "Failed"
		}
	}
	return none
}
