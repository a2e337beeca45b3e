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

const formatWide = "wide"

// bindOutput adds the flag -o. Only commands that read pools and nodes have the format wide.
func (f *sourceFlags) bindOutput(cmd *cobra.Command) {
	f.formats = "json, yaml, jsonpath=PATH,\njsonpath-as-json=PATH, go-template=TEMPLATE\nor template=TEMPLATE"
	if f.ofRollout {
		f.formats = "wide, " + f.formats
	}
	cmd.Flags().StringVarP(&f.format, "output", "o", "", "print as `FORMAT`: "+f.formats)
}

// isText reports whether the output is a screen, and not a document such as JSON.
func (f *sourceFlags) isText() bool { return f.format == "" || f.format == formatWide && f.ofRollout }

// newPrinter returns the printer of a document.
func (f *sourceFlags) newPrinter() (printers.ResourcePrinter, error) {
	kind, text, _ := strings.Cut(f.format, "=")
	var printer printers.ResourcePrinter
	var err error
	switch kind {
	case "json":
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
		err = errors.New("use " + f.formats)
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
	return f.printer.PrintObj(document, f.Out)
}
