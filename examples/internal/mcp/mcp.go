// Package mcp reads the conditions of MachineConfigPools, and records Events when they change.
package mcp

import (
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
)

// Condition returns a condition of a pool, the zero value where it is missing.
func Condition(p *mcfgv1.MachineConfigPool, name mcfgv1.MachineConfigPoolConditionType) mcfgv1.MachineConfigPoolCondition {
	for _, c := range p.Status.Conditions {
		if c.Type == name {
			return c
		}
	}
	return mcfgv1.MachineConfigPoolCondition{}
}

// IsTrue reports whether a condition of a pool is True.
func IsTrue(p *mcfgv1.MachineConfigPool, name mcfgv1.MachineConfigPoolConditionType) bool {
	return Condition(p, name).Status == corev1.ConditionTrue
}
