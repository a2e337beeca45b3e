package main

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// lineWidth is the number of columns that a line takes at most.
const lineWidth = 100

const lineHeader = "TIME      CONDITION                  STATUS   MESSAGE\n"

// lines prints the changes of an object, one a line:
//
//  1. A condition whose status has changed, with the time. The end of an update resets all
//     phases: of them it prints Updated only.
//  2. A condition whose message has changed, without a time, as the object has none. A phase with
//     children repeats their messages, and is not printed.
//  3. The configs and images.
type lines struct {
	out      io.Writer
	location *time.Location // of the times
	last     *mcfgv1.MachineConfigNode
}

// print prints how an object differs from the last one, and the header before the first.
func (l *lines) print(object *mcfgv1.MachineConfigNode) error {
	var text strings.Builder
	last := l.last
	if last == nil {
		last = &mcfgv1.MachineConfigNode{}
		text.WriteString(lineHeader)
	}
	l.last = object
	l.conditions(&text, last.Status.Conditions, object.Status.Conditions)
	before, after := last.Spec.ConfigVersion.Desired, object.Spec.ConfigVersion.Desired
	config(&text, "desired config", before, after)
	config(&text, "current config", currentConfig(last), currentConfig(object))
	config(&text, "desired image", string(last.Status.ConfigImage.DesiredImage), string(object.Status.ConfigImage.DesiredImage))
	config(&text, "current image", string(last.Status.ConfigImage.CurrentImage), string(object.Status.ConfigImage.CurrentImage))
	_, err := io.WriteString(l.out, text.String())
	return err
}

func (l *lines) conditions(out *strings.Builder, before, after []metav1.Condition) {
	ended := becameTrue(before, after, phases.Updated)
	for _, c := range after {
		phase := phases.Phase(c.Type)
		old := meta.FindStatusCondition(before, c.Type)
		at := c.LastTransitionTime.In(l.location).Format(time.TimeOnly)
		switch {
		case ended && phase != phases.Updated && phases.KindOf(phase) != phases.Singleton:
			continue
		case old == nil && c.Status == metav1.ConditionFalse && phase != phases.Updated: // nothing has happened yet
			continue
		case old != nil && old.Status == c.Status:
			if old.Message == c.Message || hasChildren(phase) {
				continue
			}
			at = ""
		}
		name := c.Type
		if _, isChild := phases.ParentOf(phase); isChild {
			name = "  " + name
		}
		line(out, at, name, string(c.Status), c.Message)
	}
}

func hasChildren(phase phases.Phase) bool {
	return phase == phases.UpdateExecuted || phase == phases.UpdateComplete
}

// becameTrue reports whether a condition was False before, and is True.
func becameTrue(before, after []metav1.Condition, phase phases.Phase) bool {
	return meta.IsStatusConditionFalse(before, string(phase)) && meta.IsStatusConditionTrue(after, string(phase))
}

// config prints a config or an image that has changed, and "none" for one that was removed.
func config(out *strings.Builder, name, before, after string) {
	if before == after {
		return
	}
	if after == "" {
		after = "none"
	}
	line(out, "", name, "", after)
}

// line prints a line of at most lineWidth.
func line(out *strings.Builder, at, name, status, message string) {
	start := fmt.Sprintf("%-8s  %-25s  %-7s  ", at, name, status)
	text := strings.TrimRight(start+shorten(message, lineWidth-utf8.RuneCountInString(start)), " ")
	out.WriteString(text + "\n")
}

// shorten returns a message of at most so many printable characters. It keeps the start and the
// end, where the cause of an error is.
func shorten(message string, width int) string {
	runes := []rune(strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, message))
	if len(runes) <= width {
		return string(runes)
	}
	const mark = "..."
	end := width * 2 / 5
	return string(runes[:width-len(mark)-end]) + mark + string(runes[len(runes)-end:])
}
