package command

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

// yamlPrinter prints an object as YAML. Unlike the printer of kubectl, it prints texts with characters that YAML does
// not allow, such as DEL and the control characters above it: they are escaped.
type yamlPrinter struct{}

// notInYAML matches the characters that JSON allows, and YAML does not.
var notInYAML = regexp.MustCompile(`[\x{7f}-\x{84}\x{86}-\x{9f}\x{feff}\x{fffe}\x{ffff}]`)

// PrintObj implements printers.ResourcePrinter.
func (yamlPrinter) PrintObj(obj runtime.Object, w io.Writer) error {
	data, err := json.Marshal(obj)
	if err != nil {
		return err
	}
	data = notInYAML.ReplaceAllFunc(data, func(char []byte) []byte {
		r, _ := utf8.DecodeRune(char)
		return fmt.Appendf(nil, `\u%04x`, r)
	})
	if data, err = yaml.JSONToYAML(data); err == nil {
		_, err = w.Write(data)
	}
	return err
}
