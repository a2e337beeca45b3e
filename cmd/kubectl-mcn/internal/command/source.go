package command

import (
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/printers"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
)

// sourceFlags are the flags that select the source and the output format.
type sourceFlags struct {
	*CLI
	source    source.Source            // set by open
	printer   printers.ResourcePrinter // set by open, unless the output is a screen
	format    string                   // the value of -o
	isRedrawn bool                     // the screen is redrawn in place, on a terminal
	ofRollout bool                     // the command reads pools and nodes
	needsAll  bool                     // the command fails if the user may not read pools or MachineConfigNodes
	ofHealth  bool                     // the command reads the health of the components
	ofConfig  string                   // the name of the MachineConfig that the command reads; "" is none
	files     []string
	at        string
}

func (f *sourceFlags) bind(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringSliceVarP(&f.files, "filename", "f", nil, "read a `FILE`, folder or must-gather; - is stdin")
	flags.StringVar(&f.at, "at", "", "with -f, compute ages at `TIME` (RFC 3339, or now)")
	cmd.ValidArgsFunction = cobra.NoFileCompletions // the value of a flag may be a file, but no argument is
}

func (f *sourceFlags) open() (err error) {
	if !f.isText() {
		if f.printer, err = f.newPrinter(); err != nil {
			return err
		}
	}
	at, err := parseTime(f.at, f.clock.Now())
	switch {
	case len(f.files) > 0:
		f.source = &source.Files{Names: f.files, In: f.In, At: at, Clock: f.clock.Now, Note: f.note}
	case f.at != "":
		return source.Usagef("--at requires -f")
	default:
		f.source, err = f.connect()
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
		err = source.Usagef("--at %q: use a time like %s, or now", at, now.UTC().Format(time.RFC3339))
	}
	return t, err
}

// bindConfig adds the flags of kubectl that select and access a cluster.
func bindConfig(flags *pflag.FlagSet) clientcmd.ClientConfig {
	rules, overrides := clientcmd.NewDefaultClientConfigLoadingRules(), &clientcmd.ConfigOverrides{}
	flags.StringVar(&rules.ExplicitPath, "kubeconfig", "", "the kubeconfig `FILE`")
	names := clientcmd.RecommendedConfigOverrideFlags("")
	names.ContextOverrideFlags.Namespace.ShortName = "n"
	names.ClusterOverrideFlags.APIServer.ShortName = "s"
	clientcmd.BindOverrideFlags(overrides, flags, names)
	return clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides)
}

func (f *sourceFlags) connect() (source.Source, error) {
	config, err := f.config.ClientConfig()
	switch {
	case clientcmd.IsEmptyConfig(err):
		return nil, source.Usagef("no cluster is configured in %s: set --kubeconfig or KUBECONFIG, or read files with -f",
			strings.Join(f.config.ConfigAccess().GetLoadingPrecedence(), ", "))
	case err != nil:
		return nil, source.Usagef("cannot use the kubeconfig: %w", err)
	}
	timeout := f.requestTimeout
	if config.Timeout > 0 {
		timeout, config.Timeout = config.Timeout, 0 // Config.Timeout would end watches, too
	}
	config.UserAgent = "kubectl-mcn"
	config.WarningHandlerWithContext = rest.NoWarnings{}
	config.QPS = -1 // no client-side limit, because the pages are read one by one
	return &source.Cluster{
		Config: config, Rollout: f.ofRollout, Components: f.ofHealth, MachineConfig: f.ofConfig, Clock: f.clock, RequestTimeout: timeout,
	}, nil
}

const (
	formatWide = "wide"
	formats    = "wide, json, yaml, jsonpath=PATH\nor go-template=TEMPLATE"
)

// bindOutput adds the flag -o.
func (f *sourceFlags) bindOutput(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&f.format, "output", "o", "", "print as `FORMAT`: "+formats)
}

// isText reports whether the output is a screen, and not a document such as JSON.
func (f *sourceFlags) isText() bool { return f.format == "" || f.format == formatWide }

// newPrinter returns the printer of a document.
func (f *sourceFlags) newPrinter() (printers.ResourcePrinter, error) {
	kind, text, _ := strings.Cut(f.format, "=")
	var printer printers.ResourcePrinter
	var err error
	switch kind {
	case "json":
		printer = &printers.JSONPrinter{}
	case "yaml":
		printer = yamlPrinter{}
	case "jsonpath":
		printer, err = printers.NewJSONPathPrinter(text)
	case "go-template":
		printer, err = printers.NewGoTemplatePrinter([]byte(text))
	default:
		err = errors.New("use " + formats)
	}
	if err != nil {
		return nil, source.Usagef("--output %q: %w", f.format, err)
	}
	return printer, nil
}

func typeMeta(kind string) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: "mcn.upgrademonitor/v1", Kind: kind}
}
