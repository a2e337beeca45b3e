package scope

import (
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/runtime"
)

// WriteManifests writes the objects as YAML for `kubectl apply -f -`, the same for the same
// Components. For an invalid name it returns a *field.Error and writes nothing. The service
// accounts and their namespace are not included.
func (c Components) WriteManifests(w io.Writer) error {
	if err := c.Validate(); err != nil {
		return err
	}
	var objects []runtime.Object
	if c.EnforceWriters {
		objects = append(objects, c.WriterPolicy(), c.WriterPolicyBinding())
	}
	objects = append(objects, c.Role(), c.RoleBinding(), c.LeaseRole(), c.LeaseRoleBinding())
	if err := writeManifests(w, objects); err != nil {
		return fmt.Errorf("scope: components: %w", err)
	}
	return nil
}
