package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/screen"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
)

// componentHealth shows what the operator, the controller and the daemons report on themselves.
type componentHealth struct {
	*cli
	from   sourceFlags
	output outputFlag
	watch  bool
}

func newComponents(c *cli) *cobra.Command {
	h := &componentHealth{cli: c}
	cmd := &cobra.Command{
		Use: "components [flags]", Short: "health and errors of operator, controller and daemons",
		Long: "Show how healthy the operator, the controller and the daemons are, and all that\n" +
			"is not well. They report it on MachineConfiguration cluster.",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return h.run(cmd.Context()) },
	}
	cmd.Flags().BoolVarP(&h.watch, "watch", "w", false, "go on until Ctrl-C")
	h.output.bind(cmd, formatWide)
	h.from.bind(cmd, false)
	return cmd
}

// documentComponents is the JSON and YAML of the components.
type documentComponents struct {
	metav1.TypeMeta `json:",inline"`

	Components []screen.Component `json:"components"`
}

// DeepCopyObject returns a shallow copy: what it shares is not changed.
func (d *documentComponents) DeepCopyObject() runtime.Object {
	other := *d
	return &other
}

func (h *componentHealth) run(ctx context.Context) error {
	if err := h.output.check(); err != nil {
		return err
	}
	src, err := h.from.open(ctx, h.cli, true)
	if err != nil {
		return err
	}
	isCluster := false
	if cluster, ok := src.(*source.Cluster); ok {
		cluster.OnlyComponents, isCluster = true, true
	}
	st := h.from.store()
	if !h.watch {
		v, err := h.load(ctx, src, st)
		switch {
		case v.Time.IsZero() && err != nil:
			return err
		case v.Components == nil && isCluster:
			return source.Usagef("there is no MachineConfiguration cluster, or it has no conditions: the operator creates it")
		}
		return h.print(v, src)
	}
	draw := func(v source.View) ([]screen.Line, error) {
		o := h.size(v, src, true, h.output.format == formatWide)
		return screen.ComponentTable(screen.Components(v.Components), o), nil
	}
	if h.terminal.IsTerminal && h.output.isText() {
		return h.redraw(ctx, src, st, draw)
	}
	var last []screen.Line
	return h.watchViews(ctx, src, st, func(v source.View) (bool, error) {
		now := screen.ComponentTable(screen.Components(v.Components), screen.Options{Whole: true}) // without ages
		if last != nil && slices.Equal(last, now) {
			return false, nil
		}
		last = now
		if h.output.format == formatJSON {
			return false, printLine(h.Out, documentComponents{typeMeta("Components"), screen.Components(v.Components)})
		}
		return false, h.print(v, src)
	})
}

func (h *componentHealth) print(v source.View, src source.Source) error {
	all := screen.Components(v.Components)
	if !h.output.isText() {
		return h.output.print(h.Out, &documentComponents{typeMeta("Components"), all})
	}
	return h.terminal.Print(h.Out, screen.ComponentTable(all, h.size(v, src, false, h.output.format == formatWide)))
}
