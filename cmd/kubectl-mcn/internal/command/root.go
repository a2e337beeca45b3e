package command

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
)

func newRoot(c *CLI) *cobra.Command {
	root := newSnapshot(c)
	root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl mcn"}
	root.Version = version()
	root.SilenceErrors, root.SilenceUsage = true, true
	c.config = bindConfig(root.PersistentFlags())
	root.PersistentFlags().VisitAll(func(f *pflag.Flag) { f.Hidden = true }) // they are kubectl's, and many
	if c.Flags != nil {
		c.Flags(root.PersistentFlags())
	}
	root.AddCommand(newNodeCommand(c), newWait(c), newComponents(c))
	root.SetIn(c.In)
	root.SetOut(c.Out)
	root.SetErr(c.ErrOut)
	root.SetHelpCommand(&cobra.Command{Hidden: true, Use: "no-help"})
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return source.Usagef("%w; see %s --help", err, cmd.CommandPath())
	})
	for _, cmd := range append(root.Commands(), root) {
		cmd.DisableFlagsInUseLine = true
	}
	return root
}

// version returns the version of a build that git knows, with the commit, and of Go.
func version() string {
	version := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		version = info.Main.Version
	}
	return version + ", " + runtime.Version()
}
