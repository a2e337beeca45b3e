package main

import (
	"fmt"
	"io"
	"strings"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// column is one column of oc get machineconfignodes -o wide.
type column struct {
	header string
	value  func(*mcfgv1.MachineConfigNode) string
}

var columns = []column{
	{"NAME", func(m *mcfgv1.MachineConfigNode) string { return m.Name }},
	{"POOLNAME", func(m *mcfgv1.MachineConfigNode) string { return m.Spec.Pool.Name }},
	{"DESIREDCONFIG", func(m *mcfgv1.MachineConfigNode) string { return m.Spec.ConfigVersion.Desired }},
	{"CURRENTCONFIG", currentConfig},
	{"UPDATED", status(phases.Updated)},
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

// status returns what a condition says, nothing where it is missing.
func status(p phases.Phase) func(*mcfgv1.MachineConfigNode) string {
	return func(m *mcfgv1.MachineConfigNode) string {
		for _, c := range m.Status.Conditions {
			if c.Type == string(p) {
				return string(c.Status)
			}
		}
		return ""
	}
}

// table prints objects, a row each.
type table struct {
	out    io.Writer
	widths []int
	last   string
}

// newTable returns a table that is wide enough for what the options make of an object:
// rows are printed as they come, and the last one must fit in the first one's columns.
func newTable(out io.Writer, opts options) *table {
	widest := map[string]string{
		"NAME":          opts.node,
		"POOLNAME":      opts.pool,
		"DESIREDCONFIG": longest(opts.from, opts.to, upgrademonitor.NotYetSet),
		"CURRENTCONFIG": longest(opts.from, opts.to, upgrademonitor.NotYetSet),
	}
	t := &table{out: out}
	for _, c := range columns {
		t.widths = append(t.widths, len(longest(c.header, widest[c.header], "Unknown")))
	}
	return t
}

func longest(words ...string) string {
	var l string
	for _, w := range words {
		if len(w) > len(l) {
			l = w
		}
	}
	return l
}

// print prints the object's row, where it is another one than the last; before the first
// one, the header.
func (t *table) print(object *mcfgv1.MachineConfigNode) error {
	header, row := t.line(func(c column) string { return c.header }), t.line(func(c column) string { return c.value(object) })
	if row == t.last {
		return nil
	}
	if t.last != "" {
		header = ""
	}
	t.last = row
	_, err := io.WriteString(t.out, header+row)
	return err
}

func (t *table) line(cell func(column) string) string {
	var line strings.Builder
	for i, c := range columns {
		fmt.Fprintf(&line, "%-*s", t.widths[i]+3, cell(c))
	}
	return strings.TrimRight(line.String(), " ") + "\n"
}
