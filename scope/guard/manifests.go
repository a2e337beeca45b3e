package guard

import (
	"bytes"
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

// objects returns the objects of the guard in the order in which kubectl applies them. The policies
// precede the role, so that a permission is restricted before it is granted.
func (g Guard) objects() []runtime.Object {
	list := []runtime.Object{g.Policy(), g.PolicyBinding()}
	if g.EnforceTransitions {
		list = append(list, g.TransitionPolicy(), g.TransitionPolicyBinding())
	}
	return append(list, g.Role(), g.RoleBinding())
}

// WriteManifests writes the objects as YAML for `kubectl apply -f -`. The output depends only on
// the Guard. WriteManifests calls w.Write once. If a name is invalid, it writes nothing and returns
// a *field.Error. The objects do not include the service account and its namespace.
//
// A policy takes effect about a second after kubectl applies it.
func (g Guard) WriteManifests(w io.Writer) error {
	if err := g.Validate(); err != nil {
		return err
	}
	var out bytes.Buffer
	for _, object := range g.objects() {
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
