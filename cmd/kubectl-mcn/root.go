package main

import (
	"fmt"
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

func newRoot(c *cli) *cobra.Command {
	root := newSnapshot(c)
	root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl mcn"}
	root.SilenceErrors, root.SilenceUsage = true, true
	c.config = genericclioptions.NewConfigFlags(true)
	c.config.AddFlags(root.PersistentFlags())
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

func newVersion(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "print the version", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			version := "unknown"
			if info, ok := debug.ReadBuildInfo(); ok {
				version = info.Main.Version
				for _, s := range info.Settings {
					if s.Key == "vcs.revision" {
						version += " " + s.Value
					}
				}
				version += ", " + info.GoVersion
			}
			_, err := fmt.Fprintln(c.Out, "kubectl-mcn", version)
			return err
		},
	}
}

func newOptions(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "options", Short: "list the flags of the kubeconfig, which all commands have", Hidden: true, Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(c.Out, "The following options can be passed to any command:\n\n%s", cmd.InheritedFlags().FlagUsagesWrapped(80))
			return err
		},
	}
}
