package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
)

// describe prints the object's status as oc describe does.
func describe(out io.Writer, object *mcfgv1.MachineConfigNode) error {
	// The settings of kubectl: values of consecutive lines are aligned.
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	line := func(format string, args ...any) {
		_, _ = fmt.Fprintf(w, format+"\n", args...) // w returns the error from Flush
	}
	line("\nName:\t%s", object.Name)
	line("Status:")
	line("  Conditions:")
	for _, c := range object.Status.Conditions {
		line("    Last Transition Time:\t%s", c.LastTransitionTime.UTC().Format(time.RFC3339))
		line("    Message:\t%s", c.Message)
		line("    Reason:\t%s", c.Reason)
		line("    Status:\t%s", c.Status)
		line("    Type:\t%s", c.Type)
	}
	if image := object.Status.ConfigImage; image != (mcfgv1.MachineConfigNodeStatusConfigImage{}) {
		line("  Config Image:")
		if image.CurrentImage != "" {
			line("    Current Image:\t%s", image.CurrentImage)
		}
		if image.DesiredImage != "" {
			line("    Desired Image:\t%s", image.DesiredImage)
		}
	}
	if v := object.Status.ConfigVersion; v != nil {
		line("  Config Version:")
		line("    Current:\t%s", v.Current)
		line("    Desired:\t%s", v.Desired)
	}
	line("  Observed Generation:\t%d", object.Status.ObservedGeneration)
	if len(object.Status.PinnedImageSets) > 0 {
		line("  Pinned Image Sets:")
	}
	for _, set := range object.Status.PinnedImageSets {
		if set.CurrentGeneration != 0 {
			line("    Current Generation:\t%d", set.CurrentGeneration)
		}
		line("    Desired Generation:\t%d", set.DesiredGeneration)
		if set.LastFailedGeneration != 0 {
			line("    Last Failed Generation:\t%d", set.LastFailedGeneration)
			line("    Last Failed Generation Error:\t%s", set.LastFailedGenerationError)
		}
		line("    Name:\t%s", set.Name)
	}
	return w.Flush()
}
