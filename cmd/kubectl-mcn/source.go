package main

import (
	"context"
	"os"
	"strings"
	"time"

	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	operatorclientset "github.com/openshift/client-go/operator/clientset/versioned"
	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/simulate"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// The speeds of a simulated cluster: one for a rollout that is watched, and a higher one for a
// single view of its middle.
const (
	watchedSpeed = 60
	lookSpeed    = 600
)

// sourceFlags select where the objects come from.
type sourceFlags struct {
	files      []string
	at         string
	selector   string
	nodes      int
	failNode   string
	speed      float64
	stuckAfter time.Duration
	noHealth   bool // the components are not read

	cmd *cobra.Command
}

func (f *sourceFlags) bind(cmd *cobra.Command, withSelector bool) {
	f.cmd = cmd
	flags := cmd.Flags()
	flags.StringSliceVarP(&f.files, "filename", "f", nil, "a `FILE`, folder, URL or must-gather; - is stdin")
	flags.StringVar(&f.at, "at", "", "with -f, the `TIME` of ages (RFC 3339, or now)")
	if withSelector {
		flags.StringVarP(&f.selector, "selector", "l", "", "only nodes whose Node has these `LABELS`")
	}
	flags.DurationVar(&f.stuckAfter, "stuck-after", 0, "when a step is stuck (1h for a drain, else 30m)")
	flags.IntVar(&f.nodes, "simulate", 0, "update `N` nodes in memory [--fail-node NAME]")
	flags.StringVar(&f.failNode, "fail-node", "", "with --simulate, the `NAME` of a node whose drain fails, worker-3 for example")
	flags.Float64Var(&f.speed, "speed", 0, "with --simulate, how many seconds pass in one (default 60, or 600 for one look)")
	_ = flags.MarkHidden("fail-node")
	_ = flags.MarkHidden("speed")
	_ = cmd.RegisterFlagCompletionFunc("stuck-after", cobra.NoFileCompletions)
}

func (f *sourceFlags) store() *source.Store {
	return source.NewStore(progress.Limits{StuckAfter: f.stuckAfter})
}

// open returns the source that the flags select, for one view or for many.
func (f *sourceFlags) open(ctx context.Context, c *cli, once bool) (source.Source, error) {
	if err := notNegative(map[string]time.Duration{"stuck-after": f.stuckAfter}); err != nil {
		return nil, err
	}
	selector, err := labels.Parse(f.selector)
	if err != nil {
		return nil, source.Usagef("--selector %q: %w", f.selector, err)
	}
	changed := f.cmd.Flags().Changed
	switch {
	case changed("simulate"):
		if len(f.files) > 0 || f.selector != "" {
			return nil, source.Usagef("--simulate excludes -f and -l")
		}
		o := simulate.Options{Nodes: f.nodes, FailNode: f.failNode, Speed: f.speed, Seed: c.seed}
		if !changed("speed") {
			o.Speed = watchedSpeed
			if once {
				o.Speed = lookSpeed
			}
		}
		return source.NewSimulated(ctx, o, c.patience)
	case changed("fail-node"), changed("speed"):
		return nil, source.Usagef("--fail-node and --speed require --simulate")
	case len(f.files) > 0:
		at, err := f.parseAt(c.clock.Now())
		files := &source.Files{Names: f.files, In: c.In, At: at, Clock: c.clock.Now, Note: c.note}
		if f.selector != "" {
			files.Selector = selector
		}
		return files, err
	case f.at != "":
		return nil, source.Usagef("--at requires -f")
	}
	cluster, err := c.connect()
	if err != nil {
		return nil, err
	}
	cluster.Selector = f.selector
	if f.noHealth {
		cluster.Operator = nil
	}
	return cluster, nil
}

func (f *sourceFlags) parseAt(now time.Time) (time.Time, error) {
	switch f.at {
	case "":
		return time.Time{}, nil
	case "now":
		return now, nil
	}
	t, err := time.Parse(time.RFC3339, f.at)
	if err != nil {
		return t, source.Usagef("--at %q: use a time like %s, or now", f.at, now.UTC().Format(time.RFC3339))
	}
	return t, nil
}

// connect returns the cluster of the kubeconfig. Its errors say what was tried.
func (c *cli) connect() (*source.Cluster, error) {
	loader := c.config.ToRawKubeConfigLoader()
	raw, err := loader.RawConfig()
	if err != nil {
		return nil, source.Usagef("cannot use the kubeconfig: %w", err)
	}
	if len(raw.Clusters) == 0 && *c.config.APIServer == "" && os.Getenv("KUBERNETES_SERVICE_HOST") == "" {
		return nil, source.Usagef("no cluster is configured: there is none in %s; set --kubeconfig or KUBECONFIG, read files with -f, or try --simulate 20",
			strings.Join(loader.ConfigAccess().GetLoadingPrecedence(), ", "))
	}
	config, err := c.config.ToRESTConfig()
	if err != nil {
		return nil, source.Usagef("cannot use the kubeconfig: %w", err)
	}
	patience := c.patience
	if config.Timeout > 0 {
		patience, config.Timeout = config.Timeout, 0 // a watch has no end
	}
	config.UserAgent = "kubectl-mcn"
	config.WarningHandlerWithContext = rest.NoWarnings{}
	config.QPS = -1 // each page waits for the previous one
	client, err := mcfgclientset.NewForConfig(config)
	if err != nil {
		return nil, source.Usagef("cannot use the kubeconfig: %w", err)
	}
	operator, err := operatorclientset.NewForConfig(config)
	if err != nil {
		return nil, source.Usagef("cannot use the kubeconfig: %w", err)
	}
	nodes, err := metadata.NewForConfig(config)
	if err != nil {
		return nil, source.Usagef("cannot use the kubeconfig: %w", err)
	}
	return &source.Cluster{Client: client, Operator: operator, Metadata: nodes, Host: config.Host, Clock: c.clock, Patience: patience}, nil
}
