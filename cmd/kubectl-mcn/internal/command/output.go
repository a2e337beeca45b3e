package command

import (
	"errors"
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

// bindOutput adds the flag -o, with the formats in own and the formats of kubectl's printers.
func (f *sourceFlags) bindOutput(cmd *cobra.Command, own ...string) {
	formats := strings.Join(append(own, formatJSON, "yaml"), ", ")
	cmd.Flags().StringVarP(&f.format, "output", "o", "", "print as `FORMAT`: "+formats+", jsonpath=...")
}

// isText reports whether the output is a screen.
func (f *sourceFlags) isText() bool { return f.format == "" || f.format == formatWide }

func (f *sourceFlags) printer() (printers.ResourcePrinter, error) {
	kind, text, _ := strings.Cut(f.format, "=")
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
		return nil, source.Usagef("--output %q: %w", f.format, err)
	}
	return printer, nil
}

func typeMeta(kind string) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: "mcn.upgrademonitor/v1", Kind: kind}
}

func (f *sourceFlags) printDocument(document runtime.Object) error {
	printer, err := f.printer()
	if err != nil {
		return err
	}
	return printer.PrintObj(document, f.Out)
}
