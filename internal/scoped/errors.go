package scoped

import (
	"errors"
	"fmt"
)

// ErrOutOfScope is scope.ErrOutOfScope.
var ErrOutOfScope = errors.New("out of scope: a node may access only its own MachineConfigNode")

// outOfScope names the object that was asked for, and the field that names it.
func outOfScope(nodeName, what, asked string) error {
	return fmt.Errorf("%w: %s is %q, the node is %q", ErrOutOfScope, what, asked, nodeName)
}
