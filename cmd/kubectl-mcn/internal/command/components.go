package command

import (
	"github.com/spf13/cobra"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/screen"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
)

func newComponents(c *CLI) *cobra.Command {
	f := &sourceFlags{CLI: c, ofHealth: true}
	cmd := &cobra.Command{
		Use: "components", Short: "show the health of the operator, controller and daemons",
		Long: "Show the health of the operator, the controller and the daemons. Also show\n" +
			"steps that take long, and the most recent errors. The data is in the\n" +
			"MachineConfiguration \"cluster\".",
	}
	f.bind(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return source.Usagef("unexpected argument %q; see kubectl mcn components --help", args[0])
		}
		return f.show(cmd.Context(), func(v source.View) error {
			if v.Components == nil && f.source.Origin() == "" {
				return source.Usagef("there is no MachineConfiguration \"cluster\", or it has no conditions: " +
					"check whether the machine-config-operator is running")
			}
			return f.terminal.Print(f.Out, screen.ComponentTable(v.Components, f.options(v, false)))
		})
	}
	return cmd
}
