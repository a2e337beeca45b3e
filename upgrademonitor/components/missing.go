package components

import (
	operatorv1 "github.com/openshift/api/operator/v1"
	"k8s.io/apimachinery/pkg/types"
)

// missing is an object that the informer has, and that a write did not find.
type missing struct {
	uid  types.UID
	gone bool // the informer has lost it since
}

// isAnother reports whether the informer has another object now. That others write the same one is no
// sign that the next write finds it: the status may not be served, for example.
func (m *missing) isAnother(mc *operatorv1.MachineConfiguration) bool {
	return m != nil && (m.gone || m.uid != mc.UID)
}
