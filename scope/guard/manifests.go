package guard

import (
	"bytes"
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

// Objects returns the objects of the guard in the order in which a client must apply them: the
// ValidatingAdmissionPolicies and their bindings, then the ClusterRole and its binding, so that a
// permission is restricted before it is granted. The service account and its namespace must already
// exist. If a name in the Guard is invalid, the error is a *field.Error.
func (g Guard) Objects() ([]runtime.Object, error) {
	if err := g.validate(); err != nil {
		return nil, err
	}
	list := []runtime.Object{g.Policy(), binding(g.complete().Name)}
	if g.EnforceTransitions {
		list = append(list, g.TransitionPolicy(), binding(g.transitionName()))
	}
	return append(list, g.role(), g.roleBinding()), nil
}

// WriteManifests writes the objects of the guard (see Objects) as YAML for `kubectl apply -f -`. It
// calls w.Write once. If a name in the Guard is invalid, it writes nothing and returns a
// *field.Error. A policy takes effect about a second after kubectl applies it.
func (g Guard) WriteManifests(w io.Writer) error {
	objects, err := g.Objects()
	if err != nil {
		return err
	}
	var out bytes.Buffer
	for _, object := range objects {
		fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
		if err != nil {
			return fmt.Errorf("scope: guard: %w", err)
		}
		delete(fields, "status")
		data, err := yaml.Marshal(fields)
		if err != nil {
			return fmt.Errorf("scope: guard: %w", err)
		}
		out.WriteString("---\n")
		out.Write(data)
	}
	if _, err := w.Write(out.Bytes()); err != nil {
		return fmt.Errorf("scope: guard: write manifests: %w", err)
	}
	return nil
}
