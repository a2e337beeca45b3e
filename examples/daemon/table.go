package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/utils/clock"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// column is one column of oc get machineconfignodes -o wide.
type column struct {
	header string
	value  func(*mcfgv1.MachineConfigNode) string // nil for AGE, which is no change of the object
}

var columns = []column{
	{"NAME", func(m *mcfgv1.MachineConfigNode) string { return m.Name }},
	{"POOLNAME", func(m *mcfgv1.MachineConfigNode) string { return m.Spec.Pool.Name }},
	{"DESIREDCONFIG", func(m *mcfgv1.MachineConfigNode) string { return m.Spec.ConfigVersion.Desired }},
	{"CURRENTCONFIG", currentConfig},
	{"UPDATED", status(phases.Updated)},
	{"AGE", nil},
	{"UPDATEPREPARED", status(phases.UpdatePrepared)},
	{"UPDATEEXECUTED", status(phases.UpdateExecuted)},
	{"UPDATEPOSTACTIONCOMPLETE", status(phases.UpdatePostActionComplete)},
	{"UPDATECOMPLETE", status(phases.UpdateComplete)},
	{"RESUMED", status(phases.Resumed)},
	{"UPDATEDFILESANDOS", status(phases.AppliedFilesAndOS)},
	{"CORDONEDNODE", status(phases.Cordoned)},
	{"DRAINEDNODE", status(phases.Drained)},
	{"REBOOTEDNODE", status(phases.RebootedNode)},
	{"UNCORDONEDNODE", status(phases.Uncordoned)},
}

func currentConfig(m *mcfgv1.MachineConfigNode) string {
	if m.Status.ConfigVersion == nil {
		return ""
	}
	return m.Status.ConfigVersion.Current
}

// status returns the status of a condition, "" where it is missing.
func status(p phases.Phase) func(*mcfgv1.MachineConfigNode) string {
	return func(m *mcfgv1.MachineConfigNode) string {
		if c := meta.FindStatusCondition(m.Status.Conditions, string(p)); c != nil {
			return string(c.Status)
		}
		return ""
	}
}

// table prints a row for each change of an object.
type table struct {
	out    io.Writer
	clock  clock.PassiveClock // of AGE
	widths []int
	last   []string
}

// newTable returns a table. Its columns are wide enough for the whole update of these options:
// rows are printed as they come, and the last one has to fit below the first.
func newTable(out io.Writer, clock clock.PassiveClock, opts options) *table {
	widest := map[string]string{
		"NAME":          opts.node,
		"POOLNAME":      opts.pool,
		"DESIREDCONFIG": longest(opts.from, opts.to, upgrademonitor.NotYetSet),
		"CURRENTCONFIG": longest(opts.from, opts.to, upgrademonitor.NotYetSet),
	}
	t := &table{out: out, clock: clock}
	for _, c := range columns {
		width := len(longest(c.header, widest[c.header], "Unknown"))
		if c.value == nil {
			width = len("59m")
		}
		t.widths = append(t.widths, width)
	}
	return t
}

func longest(words ...string) string {
	return slices.MaxFunc(words, func(a, b string) int { return len(a) - len(b) })
}

// print prints the object's row if it has changed, and the header before the first row.
func (t *table) print(object *mcfgv1.MachineConfigNode) error {
	var header, row []string
	for _, c := range columns {
		value := ""
		if c.value != nil {
			value = c.value(object)
		}
		header, row = append(header, c.header), append(row, value)
	}
	if slices.Equal(row, t.last) {
		return nil
	}
	text := ""
	if t.last == nil {
		text = t.line(header)
	}
	t.last = slices.Clone(row)
	row[slices.IndexFunc(columns, func(c column) bool { return c.value == nil })] = duration.HumanDuration(t.clock.Since(object.CreationTimestamp.Time))
	_, err := io.WriteString(t.out, text+t.line(row))
	return err
}

func (t *table) line(cells []string) string {
	var line strings.Builder
	for i, cell := range cells {
		fmt.Fprintf(&line, "%-*s", t.widths[i]+3, cell)
	}
	return strings.TrimRight(line.String(), " ") + "\n"
}
