package scope

import (
	"errors"
	"fmt"
)

// ErrOutOfScope says that a request, or a Node, is for another object than that of this
// node. No request was made. Test for it with errors.Is.
var ErrOutOfScope = errors.New("out of scope: a node may touch its own MachineConfigNode only")

// outOfScope says which object was asked for, and where.
func outOfScope(nodeName, what, asked string) error {
	return fmt.Errorf("%w: %s is %q, the node is %q", ErrOutOfScope, what, asked, nodeName)
}
