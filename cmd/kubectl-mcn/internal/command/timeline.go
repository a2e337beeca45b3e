package command

import (
	"github.com/spf13/cobra"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/screen"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
)

// newTimeline returns the command that draws a chart of the update of each pool.
func newTimeline(c *CLI) *cobra.Command {
	f := &sourceFlags{CLI: c, ofRollout: true}
	cmd := &cobra.Command{
		Use: "timeline [POOL...] [flags]", Short: "show when each node did what",
		Long: "Show when each node did what in this rollout. The objects do not keep the steps\n" +
			"of an update that is over, but a file may have several versions of an object.",
		ValidArgsFunction: f.complete(false),
	}
	f.bind(cmd, true)
	cmd.RunE = func(cmd *cobra.Command, pools []string) error {
		return f.show(cmd.Context(), func(v source.View) error {
			v, err := choose(v, pools)
			if err != nil {
				return err
			}
			o := f.size(v, false)
			o.Show = shows(v, "")
			return f.terminal.Print(f.Out, screen.Timeline(v.Pools, v.Spans(), o))
		})
	}
	return cmd
}
