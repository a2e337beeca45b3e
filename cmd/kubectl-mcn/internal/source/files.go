package source

import (
	"context"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	operatorv1 "github.com/openshift/api/operator/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/resource"
	"sigs.k8s.io/yaml"
)

// Files is a source of files: lists and single objects, folders, must-gathers and URLs.
type Files struct {
	Names    []string
	In       io.Reader
	At       time.Time // zero: when the files were written, else now
	Clock    func() time.Time
	Selector labels.Selector // of the labels of Nodes; nil: all
	Note     func(format string, args ...any)

	written time.Time
	configs map[string]func() ([]byte, error) // the rendered configs of must-gathers, by name
}

// Origin returns the names of the files.
func (f *Files) Origin() string {
	var names []string
	for _, name := range f.Names {
		if name == "-" {
			name = "stdin"
		}
		names = append(names, filepath.Base(name))
	}
	return strings.Join(names, ", ")
}

// Now returns the time to which ages are measured.
func (f *Files) Now() time.Time {
	now := f.Clock()
	for _, t := range []time.Time{f.At, f.written} {
		if !t.IsZero() {
			return t.In(now.Location())
		}
	}
	return now
}

// Read reads all files.
func (f *Files) Read(_ context.Context, s *Store, _ bool) error {
	var objects []any
	nodes, skipped := map[string]bool{}, map[string]int{}
	f.configs = map[string]func() ([]byte, error){}
	for _, name := range f.Names {
		builder, err := f.open(name)
		if err != nil {
			return err
		}
		err = builder.Do().Visit(func(info *resource.Info, err error) error {
			if err != nil {
				return err
			}
			switch obj, what := typed(info.Object); o := obj.(type) {
			case nil:
				if what != "" {
					skipped[what]++
				}
			case *metav1.PartialObjectMetadata:
				if o.Kind == "MachineConfig" {
					s.setRelease(o.Name, o.Annotations)
				} else {
					nodes[o.Name] = f.Selector != nil && f.Selector.Matches(labels.Set(o.Labels))
				}
			default:
				objects = append(objects, obj)
			}
			return nil
		})
		switch {
		case err != nil && len(objects) == 0:
			return Usagef("cannot read %s: %.200v", name, err) // it may contain an object
		case err != nil:
			f.Note("%s: the rest is skipped: %.200v", name, err)
		}
	}
	if len(skipped) > 0 {
		var kinds []string
		for _, what := range slices.Sorted(maps.Keys(skipped)) {
			kinds = append(kinds, fmt.Sprintf("%d %s", skipped[what], what))
		}
		f.Note("skipped what is not shown: %s", strings.Join(kinds, ", "))
	}
	switch {
	case f.Selector != nil && len(nodes) == 0:
		return Usagef("--selector goes by the labels of Nodes, and there are none in %s", strings.Join(f.Names, ", "))
	case len(objects) == 0:
		return Usagef("no MachineConfigNodes and no MachineConfigPools in %s", strings.Join(f.Names, ", "))
	}
	s.Put(objects...)
	if f.Selector != nil {
		s.edit(func() { s.chosen = nodes })
	}
	f.readReleases(s)
	return nil
}

// readReleases reads only those of the rendered configs of must-gathers that are shown: they are large.
func (f *Files) readReleases(s *Store) {
	for _, name := range s.unknownReleases() {
		var config metav1.PartialObjectMetadata
		if read, ok := f.configs[name]; ok {
			if text, err := read(); err == nil && yaml.Unmarshal(text, &config) == nil {
				s.setRelease(name, config.Annotations)
			}
		}
	}
}

// kinds are the types of the kinds that are shown.
var kinds = map[string]func() runtime.Object{
	"MachineConfigNode":    func() runtime.Object { return &mcfgv1.MachineConfigNode{} },
	"MachineConfigPool":    func() runtime.Object { return &mcfgv1.MachineConfigPool{} },
	"MachineConfiguration": func() runtime.Object { return &operatorv1.MachineConfiguration{} },
	"MachineConfig":        func() runtime.Object { return &metav1.PartialObjectMetadata{} },
	"Node":                 func() runtime.Object { return &metav1.PartialObjectMetadata{} },
}

// typed returns an object as its type, or what is wrong with it. Other kinds of the machine config operator belong to a
// dump, and nothing is wrong with them.
func typed(untyped runtime.Object) (runtime.Object, string) {
	u, ok := untyped.(*unstructured.Unstructured)
	if !ok {
		return nil, "object without a kind"
	}
	empty, ok := kinds[u.GetKind()]
	switch {
	case !ok && u.GroupVersionKind().Group == mcfgv1.GroupName:
		return nil, ""
	case !ok:
		return nil, u.GetKind()
	}
	obj := empty()
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, obj); err != nil {
		return nil, fmt.Sprintf("%s that cannot be read (%v)", u.GetKind(), err)
	}
	if u.GetName() == "" {
		return nil, u.GetKind() + " without a name"
	}
	return obj, ""
}
