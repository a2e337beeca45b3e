package scope

import (
	"errors"
	"fmt"
)

// ErrOutOfScope is returned for a request, or a Node, that is for another object than the
// MachineConfigNode of this node. No request was made. Test for it with errors.Is.
var ErrOutOfScope = errors.New("out of scope: a node may access only its own MachineConfigNode")

// outOfScope names the object that was asked for, and the field that names it.
func outOfScope(nodeName, what, asked string) error {
	return fmt.Errorf("%w: %s is %q, the node is %q", ErrOutOfScope, what, asked, nodeName)
}
