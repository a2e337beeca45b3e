package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// sourceFlags select the source.
type sourceFlags struct {
	cluster  clusterFlags
	simulate simulateFlags
	files    []string
	at       string
}

// clusterFlags are kubectl's own: --kubeconfig, --context and so on.
type clusterFlags struct {
	kubeconfig string
	overrides  clientcmd.ConfigOverrides
}

func (f *clusterFlags) bind(flags *pflag.FlagSet) {
	flags.StringVar(&f.kubeconfig, "kubeconfig", "", "path of the kubeconfig `file`")
	clientcmd.BindOverrideFlags(&f.overrides, flags, clientcmd.RecommendedConfigOverrideFlags(""))
	_ = flags.MarkHidden("namespace") // the objects have none
}

func (f *sourceFlags) bind(flags *pflag.FlagSet) {
	flags.StringArrayVarP(&f.files, "filename", "f", nil, "read a `file` in place of a cluster: a must-gather folder, a list or a recorded watch; - is stdin")
	flags.StringVar(&f.at, "at", "", "with -f, the `time` to which ages are measured (RFC 3339, or now); default: the newest in the files, up to now")
	f.simulate.bind(flags)
	f.cluster.bind(flags)
}

// choice selects pools and nodes.
type choice struct {
	pools    []string
	selector string
	state    string

	matches labels.Selector
}

// stateStuck is the state of nodes that need an administrator; the others are those of progress.
const stateStuck = "stuck"

var states = []string{
	stateStuck, lower(progress.Unreported), lower(progress.Waiting), lower(progress.Ordered), lower(progress.Updating), lower(progress.Done),
}

func lower(s progress.State) string { return strings.ToLower(string(s)) }

func (c *choice) bind(flags *pflag.FlagSet) {
	flags.StringVarP(&c.selector, "selector", "l", "", "only nodes whose MachineConfigNode has these `labels`")
	flags.StringVar(&c.state, "state", "", "only nodes in a `state`: "+strings.Join(states, ", "))
}

// complete validates the flags and the arguments.
func (c *choice) complete(pools []string) error {
	c.pools = pools
	if c.selector != "" {
		matches, err := labels.Parse(c.selector)
		if err != nil {
			return usage("--selector %q: %w", c.selector, err)
		}
		c.matches = matches
	}
	c.state = strings.ToLower(c.state)
	if c.state != "" && !slices.Contains(states, c.state) {
		return usage("--state %q: use one of %s", c.state, strings.Join(states, ", "))
	}
	return nil
}

// newFlags returns the flags of a command, with a usage for --help.
func newFlags(name, help string, stdout io.Writer) *pflag.FlagSet {
	flags := pflag.NewFlagSet(name, pflag.ContinueOnError)
	flags.SortFlags = false
	flags.Usage = func() { _, _ = fmt.Fprintf(stdout, "%s\nFlags:\n%s", help, flags.FlagUsagesWrapped(100)) }
	return flags
}

// parse parses the arguments. Its errors are usage errors.
func parse(flags *pflag.FlagSet, args []string) error {
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			return err
		}
		return usage("%w; see kubectl %s --help", err, flags.Name())
	}
	return nil
}

// output validates -o.
func output(flag string, formats ...string) error {
	if flag != "" && !slices.Contains(formats, flag) {
		return usage("--output %q: use one of %s", flag, strings.Join(formats, ", "))
	}
	return nil
}

// parseAt parses --at.
func parseAt(at string, now time.Time) (time.Time, error) {
	switch at {
	case "":
		return time.Time{}, nil
	case "now":
		return now, nil
	}
	t, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return t, usage("--at %q: use a time like %s, or now", at, now.UTC().Format(time.RFC3339))
	}
	return t.In(now.Location()), nil
}
