package main

import (
	"bufio"
	encoding "encoding/json"
	"errors"
	"fmt"
	"io"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/apimachinery/pkg/watch"
)

// event is one object of a file: in a list, single, or in a recorded watch.
type event struct {
	object  runtime.Object // nil: of another kind
	what    string         // the kind
	added   bool           // in a watch, whose first objects are added at once
	deleted bool
	listed  bool // in a list, all of which exist at once
}

// brokenError is the error of a file that is not JSON or YAML, or is incomplete.
type brokenError struct{ err error }

func (e *brokenError) Error() string { return e.err.Error() }
func (e *brokenError) Unwrap() error { return e.err }

// document that a file may hold: an object, a list, or an event of a watch.
type rawDocument struct {
	metav1.TypeMeta
	Type   string                `json:"type"`
	Object encoding.RawMessage   `json:"object"`
	Items  []encoding.RawMessage `json:"items"`
}

// decode reads one document after the other, JSON or YAML.
func decode(in io.Reader, seen func(event) error) error {
	documents := yaml.NewYAMLOrJSONDecoder(bufio.NewReader(in), 4096)
	for {
		var raw encoding.RawMessage
		err := documents.Decode(&raw)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			return &brokenError{errors.New("it ends in the middle of an object")}
		case err != nil:
			return &brokenError{err}
		}
		if err := decodeDocument(raw, seen); err != nil {
			return err
		}
	}
}

func decodeDocument(raw encoding.RawMessage, seen func(event) error) error {
	if len(raw) == 0 || string(raw) == "null" {
		return nil // between two lines of dashes
	}
	var d rawDocument
	if err := encoding.Unmarshal(raw, &d); err != nil {
		return &brokenError{errors.New("it holds no Kubernetes objects")}
	}
	switch {
	case d.Kind == "" && d.Type != "" && d.Object != nil:
		e, err := decodeObject(d.Object)
		if err != nil {
			return err
		}
		e.added, e.deleted = watch.EventType(d.Type) == watch.Added, watch.EventType(d.Type) == watch.Deleted
		if watch.EventType(d.Type) == watch.Bookmark {
			return nil
		}
		return seen(e)
	case d.Items != nil:
		for _, item := range d.Items {
			e, err := decodeItem(item, d.Kind)
			if err != nil {
				return err
			}
			e.listed = true
			if err := seen(e); err != nil {
				return err
			}
		}
		return nil
	}
	e, err := decodeObject(raw)
	if err != nil {
		return err
	}
	e.listed = true
	return seen(e)
}

// decodeItem decodes an object of a list. In a list of one kind it need not have a kind.
func decodeItem(raw encoding.RawMessage, list string) (event, error) {
	switch list {
	case "MachineConfigNodeList":
		return decodeAs(raw, &mcfgv1.MachineConfigNode{}, "MachineConfigNode")
	case "MachineConfigPoolList":
		return decodeAs(raw, &mcfgv1.MachineConfigPool{}, "MachineConfigPool")
	}
	return decodeObject(raw)
}

func decodeObject(raw encoding.RawMessage) (event, error) {
	var d metav1.TypeMeta
	if err := encoding.Unmarshal(raw, &d); err != nil {
		return event{}, &brokenError{errors.New("it holds no Kubernetes objects")}
	}
	switch d.Kind {
	case "MachineConfigNode":
		return decodeAs(raw, &mcfgv1.MachineConfigNode{}, d.Kind)
	case "MachineConfigPool":
		return decodeAs(raw, &mcfgv1.MachineConfigPool{}, d.Kind)
	case "":
		return event{what: "without a kind"}, nil
	}
	return event{what: d.Kind}, nil
}

// named is an object that has a name.
type namedObject interface {
	runtime.Object
	GetName() string
}

func decodeAs(raw encoding.RawMessage, into namedObject, kind string) (event, error) {
	if err := encoding.Unmarshal(raw, into); err != nil {
		return event{what: fmt.Sprintf("%s that cannot be read (%v)", kind, err)}, nil
	}
	if into.GetName() == "" {
		return event{what: kind + " without a name"}, nil
	}
	return event{object: into, what: kind}, nil
}
