package pool

import (
	"fmt"
	"strings"
)

// ConflictError says that more than one custom pool wants a node.
type ConflictError struct {
	NodeName string
	Pools    []string // sorted
}

// Error names the pools and says what to do.
func (e *ConflictError) Error() string {
	return fmt.Sprintf("node %s is wanted by the custom pools %s: change its labels or their nodeSelectors, so that only one of them wants it", e.NodeName, strings.Join(e.Pools, ", "))
}

// SelectorError says that the nodeSelector of a pool cannot be read.
type SelectorError struct {
	Pool string
	Err  error
}

// Error names the pool and the cause.
func (e *SelectorError) Error() string {
	return fmt.Sprintf("MachineConfigPool %s: mend its nodeSelector: %v", e.Pool, e.Err)
}

// Unwrap returns the cause.
func (e *SelectorError) Unwrap() error { return e.Err }

// ConfigError says which field of a Config cannot be used.
type ConfigError struct {
	Field   string
	Problem string
}

// Error names the field and says what it takes.
func (e *ConfigError) Error() string {
	return fmt.Sprintf("pool: Config.%s %s", e.Field, e.Problem)
}
