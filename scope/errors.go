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

// GuardError says which name of a Guard cannot be used.
type GuardError struct {
	Field   string
	Value   string
	Problem string
}

// Error quotes the name, shortened, and says what a name looks like.
func (e *GuardError) Error() string {
	return fmt.Sprintf("scope: Guard.%s %.64q cannot be used: %s", e.Field, e.Value, e.Problem)
}

// OperatorError says which name of an Operator cannot be used.
type OperatorError struct {
	Field   string
	Value   string
	Problem string
}

// Error quotes the name, shortened, and says what a name looks like.
func (e *OperatorError) Error() string {
	return fmt.Sprintf("scope: Operator.%s %.64q cannot be used: %s", e.Field, e.Value, e.Problem)
}
