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
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"

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
func (o outputFlag) isText() bool { return o.format == "" || o.format == formatWide }

func (o outputFlag) check() error {
	if o.format == "" || slices.Contains(o.own, o.format) {
		return nil
	}
	if o.format == formatName || o.format == formatWide {
		return source.Usagef("--output %q: use %s, json, yaml, jsonpath=… or go-template=…", o.format, strings.Join(o.own, ", "))
	}
	_, err := o.printer()
	return err
}

func (o outputFlag) printer() (func(runtime.Object, io.Writer) error, error) {
	flags := genericclioptions.NewPrintFlags("")
	flags.OutputFormat = &o.format
	printer, err := flags.ToPrinter()
	if err != nil {
		return nil, source.Usagef("--output %q: %w", o.format, err)
	}
	return printer.PrintObj, nil
}

// print prints a value of a kind in a format of kubectl's printers.
func (o outputFlag) print(w io.Writer, kind string, value any) error {
	print, err := o.printer()
	if err != nil {
		return err
	}
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(value)
	if err != nil {
		return err
	}
	fields["apiVersion"], fields["kind"] = "mcn.upgrademonitor/v1", kind
	var b bytes.Buffer
	if err := print(&unstructured.Unstructured{Object: fields}, &b); err != nil {
		return err
	}
	_, err = io.WriteString(w, printable(b.String()))
	return err
}

// printLine prints a value as JSON on one line.
func printLine(w io.Writer, value any) error {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return err
	}
	_, err := io.WriteString(w, printable(b.String()))
	return err
}

// printable escapes, as JSON does, what a terminal may obey: control and format characters.
func printable(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n' || !unicode.IsControl(r) && !unicode.Is(unicode.Cf, r) && r != '\u2028' && r != '\u2029':
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
