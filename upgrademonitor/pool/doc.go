// Package pool says how far the machines of a MachineConfigPool are.
package pool
