package main

import (
	"errors"
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
)

// The speeds of a simulated cluster: one for a rollout that is watched, and a higher one for a
// single view of its middle.
const (
	watchedSpeed = 60
	lookSpeed    = 600
)

// sourceFlags select where the objects come from.
type sourceFlags struct {
	*cli
	source   source.Source // once it is open
	noHealth bool          // the components are not read

	files      []string
	at         string
	selector   string
	nodes      int
	failNode   string
	speed      float64
	stuckAfter time.Duration
}

func (f *sourceFlags) bind(cmd *cobra.Command, withSelector bool) {
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

// open opens the source that the flags select, for one view or for many.
func (f *sourceFlags) open(cmd *cobra.Command, once bool) error {
	if err := notNegative(map[string]time.Duration{"stuck-after": f.stuckAfter}); err != nil {
		return err
	}
	selector, err := labels.Parse(f.selector)
	if err != nil {
		return source.Usagef("--selector %q: %w", f.selector, err)
	}
	changed := cmd.Flags().Changed
	switch {
	case changed("simulate"):
		if len(f.files) > 0 || f.selector != "" {
			return source.Usagef("--simulate excludes -f and -l")
		}
		o := simulate.Options{Nodes: f.nodes, FailNode: f.failNode, Speed: f.speed}
		if !changed("speed") {
			o.Speed = watchedSpeed
			if once {
				o.Speed = lookSpeed
			}
		}
		f.source, err = source.NewSimulated(cmd.Context(), o, f.patience)
	case changed("fail-node"), changed("speed"):
		return source.Usagef("--fail-node and --speed require --simulate")
	case len(f.files) > 0:
		files := &source.Files{Names: f.files, In: f.In, Clock: f.clock.Now, Note: f.note}
		if f.selector != "" {
			files.Selector = selector
		}
		files.At, err = parseTime(f.at, f.clock.Now())
		f.source = files
	case f.at != "":
		return source.Usagef("--at requires -f")
	default:
		err = f.connect()
	}
	return err
}

func parseTime(at string, now time.Time) (time.Time, error) {
	switch at {
	case "":
		return time.Time{}, nil
	case "now":
		return now, nil
	}
	t, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return t, source.Usagef("--at %q: use a time like %s, or now", at, now.UTC().Format(time.RFC3339))
	}
	return t, nil
}

// connect opens the cluster of the kubeconfig. Its errors say what was tried.
func (f *sourceFlags) connect() error {
	loader := f.config.ToRawKubeConfigLoader()
	if raw, err := loader.RawConfig(); err == nil && len(raw.Clusters) == 0 && *f.config.APIServer == "" && os.Getenv("KUBERNETES_SERVICE_HOST") == "" {
		return source.Usagef("no cluster is configured: there is none in %s; set --kubeconfig or KUBECONFIG, read files with -f, or try --simulate 20",
			strings.Join(loader.ConfigAccess().GetLoadingPrecedence(), ", "))
	}
	config, err := f.config.ToRESTConfig()
	if err != nil {
		return source.Usagef("cannot use the kubeconfig: %w", err)
	}
	patience := f.patience
	if config.Timeout > 0 {
		patience, config.Timeout = config.Timeout, 0 // a watch has no end
	}
	config.UserAgent = "kubectl-mcn"
	config.WarningHandlerWithContext = rest.NoWarnings{}
	config.QPS = -1 // each page waits for the previous one
	client, err := mcfgclientset.NewForConfig(config)
	operator, operatorErr := operatorclientset.NewForConfig(config)
	nodes, nodesErr := metadata.NewForConfig(config)
	if err := errors.Join(err, operatorErr, nodesErr); err != nil {
		return source.Usagef("cannot use the kubeconfig: %w", err)
	}
	cluster := &source.Cluster{Client: client, Metadata: nodes, Selector: f.selector, Host: config.Host, Clock: f.clock, Patience: patience}
	if !f.noHealth {
		cluster.Operator = operator
	}
	f.source = cluster
	return nil
}
