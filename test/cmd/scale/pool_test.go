package main

import (
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
)

func TestIsUpdated(t *testing.T) {
	updated := func(change func(*mcfgv1.MachineConfigPool)) *mcfgv1.MachineConfigPool {
		p := &mcfgv1.MachineConfigPool{}
		p.Generation, p.Status.ObservedGeneration = 2, 2
		p.Status.MachineCount, p.Status.UpdatedMachineCount = 3, 3
		p.Status.Conditions = []mcfgv1.MachineConfigPoolCondition{{Type: mcfgv1.MachineConfigPoolUpdated, Status: corev1.ConditionTrue}}
		change(p)
		return p
	}
	assert.True(t, isUpdated(updated(func(*mcfgv1.MachineConfigPool) {}), 3))
	for name, change := range map[string]func(*mcfgv1.MachineConfigPool){
		"previous generation":     func(p *mcfgv1.MachineConfigPool) { p.Generation = 3 },
		"one node left":           func(p *mcfgv1.MachineConfigPool) { p.Status.UpdatedMachineCount = 2 },
		"a missing node":          func(p *mcfgv1.MachineConfigPool) { p.Status.MachineCount, p.Status.UpdatedMachineCount = 2, 2 },
		"the condition is behind": func(p *mcfgv1.MachineConfigPool) { p.Status.Conditions[0].Status = corev1.ConditionFalse },
		"no conditions yet":       func(p *mcfgv1.MachineConfigPool) { p.Status.Conditions = nil },
	} {
		assert.False(t, isUpdated(updated(change), 3), name)
	}
}
