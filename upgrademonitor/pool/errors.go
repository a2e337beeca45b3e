package pool

import (
	"fmt"
	"strings"
)

// ConflictError means that pools select a node of which only one may: custom pools and Arbiter.
type ConflictError struct {
	NodeName string
	Pools    []string // sorted
}

// Error names the pools and the remedy.
func (e *ConflictError) Error() string {
	return fmt.Sprintf("node %s is selected by conflicting pools (%s): change its labels or their nodeSelectors, so that only one of them selects it", e.NodeName, strings.Join(e.Pools, ", "))
}

// SelectorError means that the nodeSelector of a pool is invalid.
type SelectorError struct {
	Pool string
	Err  error
}

// Error names the pool and the cause.
func (e *SelectorError) Error() string {
	return fmt.Sprintf("MachineConfigPool %s: invalid nodeSelector: %v", e.Pool, e.Err)
}

// Unwrap returns the cause.
func (e *SelectorError) Unwrap() error { return e.Err }
