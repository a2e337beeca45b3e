package source

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/cli-runtime/pkg/resource"
)

// Files is a source of files: lists, single objects and recorded watches, folders, must-gathers and URLs.
type Files struct {
	Names    []string
	In       io.Reader
	At       time.Time // zero: when the files were written, else now
	Clock    func() time.Time
	Selector labels.Selector // of the labels of Nodes; nil: all
	Note     func(format string, args ...any)

	written time.Time
	newest  time.Time // in a replay, of the objects so far
	replay  bool
}

// Origin returns the names of the files.
func (f *Files) Origin() string {
	var names []string
	for _, name := range f.Names {
		if name == "-" {
			names = append(names, "stdin")
			continue
		}
		names = append(names, filepath.Base(name))
	}
	return strings.Join(names, ", ")
}

// Now returns the time to which ages are measured.
func (f *Files) Now() time.Time {
	now := f.Clock()
	for _, t := range []time.Time{f.At, f.written} {
		if f.replay && !f.newest.IsZero() {
			t = f.newest
		}
		if !t.IsZero() {
			return t.In(now.Location())
		}
	}
	return now
}

// Follow does the same as Load: see Replay.
func (f *Files) Follow(ctx context.Context, s *Store) error { return f.Load(ctx, s) }

// Load reads all files.
func (f *Files) Load(_ context.Context, s *Store) error {
	err := f.read(s, func(runtime.Object, watch.EventType) error { return nil })
	s.edit(func() { s.filled[poolsResource], s.filled[nodesResource] = true, true })
	return err
}

// Replay calls look after each change, with the times in the objects: first with the objects that a list
// has, or with which a watch begins.
func (f *Files) Replay(_ context.Context, s *Store, look func(View) (bool, error)) error {
	done, filled, changed := false, false, false
	f.replay = true
	show := func() (err error) {
		if !done {
			done, err = look(s.Look(f.Now()))
		}
		return err
	}
	s.edit(func() { s.filled[poolsResource], s.filled[nodesResource] = true, true })
	err := f.read(s, func(obj runtime.Object, event watch.EventType) error {
		isInitial := event == "" || event == watch.Added && !changed
		if !isInitial && !changed && filled {
			if err := show(); err != nil {
				return err
			}
		}
		filled = filled || isInitial
		changed = changed || !isInitial
		f.newest = later(f.newest, newestTime(obj, f.Clock()))
		f.apply(s, obj, event)
		if isInitial {
			return nil
		}
		return show()
	})
	if err != nil {
		return err
	}
	f.replay = false
	return show()
}

// read reads all files into a store, unless it is a replay, and calls seen with each object.
func (f *Files) read(s *Store, seen func(runtime.Object, watch.EventType) error) error {
	found, nodes := 0, 0
	skipped := map[string]int{}
	if f.Selector != nil {
		s.edit(func() { s.chosen = map[string]bool{} })
	}
	for _, name := range f.Names {
		documents, err := f.open(name)
		if err != nil {
			return err
		}
		for _, d := range documents {
			err := d.visit(func(u *unstructured.Unstructured) error {
				event := watch.EventType(u.GetAnnotations()[eventAnnotation])
				obj, what := typed(u)
				if obj == nil {
					skipped[what]++
					return nil
				}
				if _, isNode := obj.(*metav1.PartialObjectMetadata); isNode {
					nodes++
				} else {
					found++
				}
				if !f.replay {
					f.apply(s, obj, event)
				}
				return seen(obj, event)
			})
			var broken *brokenError
			switch {
			case errors.As(err, &broken) && found > 0:
				f.Note("%s: the rest is skipped: %v", d.name, broken.err)
			case errors.As(err, &broken):
				return Usagef("cannot read %s: %w", d.name, broken.err)
			case err != nil:
				return err
			}
		}
	}
	if len(skipped) > 0 {
		var kinds []string
		for what, n := range skipped {
			kinds = append(kinds, fmt.Sprintf("%d %s", n, what))
		}
		slices.Sort(kinds)
		f.Note("skipped what is not shown: %s", strings.Join(kinds, ", "))
	}
	if f.Selector != nil && nodes == 0 {
		return Usagef("--selector goes by the labels of Nodes, and there are none in %s", strings.Join(f.Names, ", "))
	}
	if found == 0 {
		return Usagef("no MachineConfigNodes and no MachineConfigPools in %s", strings.Join(f.Names, ", "))
	}
	return nil
}

// apply applies one object to a store.
func (f *Files) apply(s *Store, obj runtime.Object, event watch.EventType) {
	if node, ok := obj.(*metav1.PartialObjectMetadata); ok {
		if f.Selector != nil {
			s.edit(func() { s.chosen[node.Name] = f.Selector.Matches(labels.Set(node.Labels)) })
		}
		return
	}
	if event == watch.Deleted {
		obj = trim(obj)
		s.edit(func() { s.remove(obj) })
		return
	}
	obj = s.observe(obj)
	s.edit(func() { s.put(obj) })
}

// typed returns an object as its type, or what is wrong with it.
func typed(u *unstructured.Unstructured) (runtime.Object, string) {
	var obj runtime.Object
	switch u.GetKind() {
	case "MachineConfigNode":
		obj = &mcfgv1.MachineConfigNode{}
	case "MachineConfigPool":
		obj = &mcfgv1.MachineConfigPool{}
	case "MachineConfiguration":
		obj = &operatorv1.MachineConfiguration{}
	case "Node":
		obj = &metav1.PartialObjectMetadata{}
	default:
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

// document is a file, or an entry of an archive.
type document struct {
	name string
	data []byte
	url  bool
}

// brokenError is the error of a file that is not JSON or YAML, or is incomplete.
type brokenError struct{ err error }

func (e *brokenError) Error() string { return e.err.Error() }
func (e *brokenError) Unwrap() error { return e.err }

// visit visits the objects of a document as kubectl does.
func (d document) visit(see func(*unstructured.Unstructured) error) error {
	builder := resource.NewLocalBuilder().Unstructured().Flatten()
	var broken error
	if d.url {
		builder = builder.FilenameParam(false, &resource.FilenameOptions{Filenames: []string{d.name}})
	} else {
		var plain []byte
		plain, broken = unwrap(d.data)
		if len(plain) == 0 {
			return broken
		}
		builder = builder.Stream(bytes.NewReader(plain), d.name)
	}
	var seen error
	err := builder.Do().Visit(func(info *resource.Info, err error) error {
		if err != nil {
			return err
		}
		if u, ok := info.Object.(*unstructured.Unstructured); ok {
			seen = see(u)
		}
		return seen
	})
	switch {
	case seen != nil:
		return seen
	case err != nil:
		return &brokenError{err}
	}
	return broken
}

// eventAnnotation holds the type of the event of an object in a recorded watch.
const eventAnnotation = "upgrademonitor.openshift.io/watch-event"

// unwrap returns the documents of a file as JSON, and the objects of a recorded watch (oc get -w -o json
// --output-watch-events) with the type of their event. With an error it returns those before it.
func unwrap(data []byte) ([]byte, error) {
	var plain bytes.Buffer
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), 4096)
	for {
		var raw json.RawMessage
		err := decoder.Decode(&raw)
		switch {
		case errors.Is(err, io.EOF):
			return plain.Bytes(), nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			return plain.Bytes(), &brokenError{errors.New("it ends in the middle of an object")}
		case err != nil:
			return plain.Bytes(), &brokenError{err}
		case len(raw) == 0 || string(raw) == "null":
			continue // between two lines of dashes
		}
		var d struct {
			Kind   string         `json:"kind"`
			Type   string         `json:"type"`
			Object map[string]any `json:"object"`
		}
		if err := json.Unmarshal(raw, &d); err != nil {
			return plain.Bytes(), &brokenError{errors.New("it holds no Kubernetes objects")}
		}
		switch {
		case d.Kind == "" && d.Object != nil:
			if d.Type == string(watch.Bookmark) || d.Type == string(watch.Error) {
				continue
			}
			u := unstructured.Unstructured{Object: d.Object}
			u.SetAnnotations(map[string]string{eventAnnotation: d.Type})
			if raw, err = u.MarshalJSON(); err != nil {
				return plain.Bytes(), &brokenError{err}
			}
		case d.Kind == "":
			return plain.Bytes(), &brokenError{errors.New("it holds no Kubernetes objects")}
		}
		plain.Write(raw)
		plain.WriteByte('\n')
	}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// newestTime returns the newest time in an object that is not after another time.
func newestTime(obj runtime.Object, last time.Time) time.Time {
	var newest time.Time
	see := func(t *metav1.Time) {
		if t != nil && !t.After(last) {
			newest = later(newest, t.Time)
		}
	}
	if object, ok := obj.(metav1.Object); ok {
		created := object.GetCreationTimestamp()
		see(&created)
		see(object.GetDeletionTimestamp())
		for _, entry := range object.GetManagedFields() {
			see(entry.Time)
		}
	}
	switch o := obj.(type) {
	case *mcfgv1.MachineConfigNode:
		for i := range o.Status.Conditions {
			see(&o.Status.Conditions[i].LastTransitionTime)
		}
	case *mcfgv1.MachineConfigPool:
		for i := range o.Status.Conditions {
			see(&o.Status.Conditions[i].LastTransitionTime)
		}
	}
	return newest
}
