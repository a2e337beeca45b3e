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

// Follow reads all files.
func (f *Files) Follow(_ context.Context, s *Store) error {
	var objects []runtime.Object
	nodes, skipped := map[string]bool{}, map[string]int{}
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
				skipped[what]++
			case *metav1.PartialObjectMetadata:
				nodes[o.Name] = f.Selector != nil && f.Selector.Matches(labels.Set(o.Labels))
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
	s.edit(func() {
		for _, obj := range objects {
			s.put(obj)
		}
		if f.Selector != nil {
			s.chosen = nodes
		}
	})
	return ErrFinished
}

// typed returns an object as its type, or what is wrong with it.
func typed(untyped runtime.Object) (runtime.Object, string) {
	u, ok := untyped.(*unstructured.Unstructured)
	if !ok {
		return nil, "object without a kind"
	}
	obj, ok := map[string]runtime.Object{
		"MachineConfigNode": &mcfgv1.MachineConfigNode{}, "MachineConfigPool": &mcfgv1.MachineConfigPool{},
		"MachineConfiguration": &operatorv1.MachineConfiguration{}, "Node": &metav1.PartialObjectMetadata{},
	}[u.GetKind()]
	if !ok {
		return nil, u.GetKind()
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, obj); err != nil {
		return nil, fmt.Sprintf("%s that cannot be read (%v)", u.GetKind(), err)
	}
	if u.GetName() == "" {
		return nil, u.GetKind() + " without a name"
	}
	return obj, ""
}
