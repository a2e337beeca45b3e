package main

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/screen"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
)

// componentHealth shows what the operator, the controller and the daemons report on themselves.
type componentHealth struct {
	sourceFlags
	outputFlag
	watch bool
}

func newComponents(c *cli) *cobra.Command {
	h := &componentHealth{sourceFlags: sourceFlags{cli: c}}
	cmd := &cobra.Command{
		Use: "components [flags]", Short: "health and errors of operator, controller and daemons",
		Long: "Show how healthy the operator, the controller and the daemons are, and all that\n" +
			"is not well. They report it on MachineConfiguration cluster.",
		Args: noArgs,
		RunE: h.run,
	}
	cmd.Flags().BoolVarP(&h.watch, "watch", "w", false, "go on until Ctrl-C")
	h.outputFlag.bind(cmd, formatWide)
	h.sourceFlags.bind(cmd, false)
	return cmd
}

func (h *componentHealth) run(cmd *cobra.Command, _ []string) error {
	if err := h.check(); err != nil {
		return err
	}
	if err := h.open(cmd, true); err != nil {
		return err
	}
	cluster, isCluster := h.source.(*source.Cluster)
	if isCluster {
		cluster.OnlyComponents = true
	}
	switch {
	case !h.watch:
		return h.show(cmd.Context(), func(v source.View) error {
			if v.Components == nil && isCluster {
				return source.Usagef("there is no MachineConfiguration cluster, or it has no conditions: the operator creates it")
			}
			return h.print(v)
		})
	case h.terminal.IsTerminal && h.isText():
		return h.redraw(cmd.Context(), func(v source.View) ([]screen.Line, error) {
			return screen.ComponentTable(v.Components, h.size(v, true, h.format == formatWide)), nil
		})
	}
	var last []screen.Line
	return h.follow(cmd.Context(), func(v source.View) (bool, error) {
		now := screen.ComponentTable(v.Components, screen.Options{Whole: true}) // without ages
		if slices.Equal(last, now) {
			return false, nil
		}
		last = now
		return false, h.print(v)
	})
}

func (h *componentHealth) print(v source.View) error {
	if !h.isText() {
		d := &document{TypeMeta: typeMeta("Components"), Components: screen.Components(v.Components)}
		if h.watch && h.format == formatJSON {
			return printLine(h.Out, d)
		}
		return h.printDocument(h.Out, d)
	}
	return h.terminal.Print(h.Out, screen.ComponentTable(v.Components, h.size(v, false, h.format == formatWide)))
}
