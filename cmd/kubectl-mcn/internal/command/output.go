package command

import (
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/printers"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
)

const (
	formatWide = "wide"
	formatJSON = "json"
)

// outputFlag is -o: formats of the command's own, and those of kubectl's printers.
type outputFlag struct {
	format string
	own    []string
}

func (o *outputFlag) bind(cmd *cobra.Command, own ...string) {
	o.own = own
	formats := append(slices.Clone(own), formatJSON, "yaml")
	cmd.Flags().StringVarP(&o.format, "output", "o", "", "`FORMAT`: "+strings.Join(formats, ", ")+", jsonpath=...")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
}

// isText reports whether the output is a screen.
func (o *outputFlag) isText() bool { return o.format == "" || o.format == formatWide }

func (o *outputFlag) check() error {
	if o.format == "" || slices.Contains(o.own, o.format) {
		return nil
	}
	_, err := o.printer()
	return err
}

func (o *outputFlag) printer() (printers.ResourcePrinter, error) {
	kind, text, _ := strings.Cut(o.format, "=")
	var printer printers.ResourcePrinter
	var err error
	switch kind {
	case formatJSON:
		printer = &printers.JSONPrinter{}
	case "yaml":
		printer = &printers.YAMLPrinter{}
	case "jsonpath", "jsonpath-as-json":
		path, parseErr := printers.NewJSONPathPrinter(text)
		if printer, err = path, parseErr; err == nil {
			path.EnableJSONOutput(kind != "jsonpath")
		}
	case "go-template", "template":
		printer, err = printers.NewGoTemplatePrinter([]byte(text))
	default:
		err = errors.New("use wide, json, yaml, jsonpath=PATH or go-template=TEMPLATE")
	}
	if err != nil {
		return nil, source.Usagef("--output %q: %w", o.format, err)
	}
	return printer, nil
}

// typeMeta returns the type of a document.
func typeMeta(kind string) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: "mcn.upgrademonitor/v1", Kind: kind}
}

// printDocument prints a document in a format of kubectl's printers.
func (o *outputFlag) printDocument(w io.Writer, document runtime.Object) error {
	printer, err := o.printer()
	if err != nil {
		return err
	}
	return printer.PrintObj(document, w)
}
