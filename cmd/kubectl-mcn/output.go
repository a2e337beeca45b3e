package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/printers"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
)

const (
	formatWide = "wide"
	formatJSON = "json"
	formatName = "name"
)

// outputFlag is -o: formats of the command's own, and those of kubectl's printers.
type outputFlag struct {
	format string
	own    []string
}

func (o *outputFlag) bind(cmd *cobra.Command, own ...string) {
	o.own = own
	cmd.Flags().StringVarP(&o.format, "output", "o", "", "`FORMAT`: "+strings.Join(own, ", ")+", json, yaml, jsonpath=...")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(append([]string{formatJSON, "yaml"}, own...), cobra.ShellCompDirectiveNoFileComp))
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
	flags := genericclioptions.NewPrintFlags("")
	flags.NamePrintFlags = nil
	flags.OutputFormat = &o.format
	printer, err := flags.ToPrinter()
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
	return printer.PrintObj(document, printableWriter{w})
}

// printLine prints a value as JSON on one line.
func printLine(w io.Writer, value any) error {
	encoder := json.NewEncoder(printableWriter{w})
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}

// printableWriter escapes, as JSON does, what a terminal may obey: control and format characters.
type printableWriter struct{ io.Writer }

func (w printableWriter) Write(p []byte) (int, error) {
	if bytes.IndexFunc(p, isControl) < 0 {
		return w.Writer.Write(p)
	}
	var b bytes.Buffer
	for _, r := range string(p) {
		switch {
		case !isControl(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	_, err := w.Writer.Write(b.Bytes())
	return len(p), err
}

func isControl(r rune) bool {
	return r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029')
}
