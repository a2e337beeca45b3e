package command

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
)

// help is short: the flags of kubectl have a command of their own.
const help = `{{with (or .Long .Short)}}{{.}}

{{end}}Usage:
  {{.UseLine}}
{{if .HasAvailableSubCommands}}
Commands:{{range .Commands}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}
{{end}}{{if .HasAvailableLocalFlags}}
Flags:
{{.LocalNonPersistentFlags.FlagUsagesWrapped 80 | trimTrailingWhitespaces}}
{{end}}
"kubectl mcn options" lists the flags of the kubeconfig.
`

func newRoot(c *CLI) *cobra.Command {
	root := newSnapshot(c)
	root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl mcn"}
	root.SilenceErrors, root.SilenceUsage = true, true
	c.config = genericclioptions.NewConfigFlags(true)
	c.config.AddFlags(root.PersistentFlags())
	if c.Flags != nil {
		c.Flags(root.PersistentFlags())
	}
	_ = root.PersistentFlags().MarkHidden("namespace") // the objects have none
	root.AddCommand(newNodeCommand(c), newWait(c), newTimeline(c), newComponents(c), newVersion(c), newOptions(c))
	root.SetIn(c.In)
	root.SetOut(c.Out)
	root.SetErr(c.ErrOut)
	root.SetHelpCommand(&cobra.Command{Hidden: true, Use: "no-help"})
	root.SetHelpTemplate(help)
	root.SetUsageTemplate(help)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return source.Usagef("%w; see %s --help", err, cmd.CommandPath())
	})
	for _, cmd := range append(root.Commands(), root) {
		cmd.DisableFlagsInUseLine = true
		cmd.Flags().BoolP("help", "h", false, "")
		_ = cmd.Flags().MarkHidden("help")
	}
	return root
}

func newVersion(c *CLI) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "print the version", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			version := "unknown"
			if info, ok := debug.ReadBuildInfo(); ok {
				version = info.Main.Version // of a build that git knows, with the commit
			}
			_, err := fmt.Fprintf(c.Out, "kubectl-mcn %s, %s\n", version, runtime.Version())
			return err
		},
	}
}

func newOptions(c *CLI) *cobra.Command {
	return &cobra.Command{
		Use: "options", Short: "list the flags of the kubeconfig", Hidden: true, Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(c.Out, "The following options can be passed to any command:\n\n%s", cmd.InheritedFlags().FlagUsagesWrapped(80))
			return err
		},
	}
}
