package main

import (
	"strings"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
)

func TestTable(t *testing.T) {
	now := time.Date(2025, 5, 22, 12, 0, 0, 0, time.UTC)
	var out strings.Builder
	table := newTable(&out, clocktesting.NewFakePassiveClock(now), func(err error) { assert.NoError(t, err) })
	row := func(name, config string, updated corev1.ConditionStatus, ready int32) *mcfgv1.MachineConfigPool {
		p := &mcfgv1.MachineConfigPool{ObjectMeta: metav1.ObjectMeta{Name: name}}
		p.Spec.Configuration.Name = "rendered-" + name + "-ceedbbb3b533372a501c2410fa554c89"
		p.CreationTimestamp = metav1.NewTime(now.Add(-26 * time.Hour))
		p.Status.Configuration.Name = config
		p.Status.Conditions = []mcfgv1.MachineConfigPoolCondition{{Type: mcfgv1.MachineConfigPoolUpdated, Status: updated}}
		p.Status.MachineCount, p.Status.ReadyMachineCount = 3, ready
		return p
	}
	table.OnAdd(row("worker", "rendered-worker-1", corev1.ConditionTrue, 3), true)
	table.OnAdd(row("master", "", corev1.ConditionFalse, 0), true)
	table.Begin()
	table.OnUpdate(nil, row("worker", "rendered-worker-1", corev1.ConditionTrue, 3)) // the same
	table.OnUpdate(nil, row("worker", "rendered-worker-1", corev1.ConditionFalse, 1))
	table.OnDelete(row("worker", "", corev1.ConditionFalse, 0))
	table.OnAdd(row("worker", "rendered-worker-1", corev1.ConditionFalse, 1), false)
	table.OnAdd(row("a-longer-name", "rendered-worker-1", corev1.ConditionFalse, 1), false)
	table.OnUpdate(nil, row("worker", "rendered-worker-1", corev1.ConditionFalse, 1)) // in a wider column
	assert.Equal(t, `
NAME     CONFIG                                             UPDATED   UPDATING   DEGRADED   MACHINECOUNT   READYMACHINECOUNT   UPDATEDMACHINECOUNT   DEGRADEDMACHINECOUNT   AGE
master                                                      False                           3              0                   0                     0                      26h
worker   rendered-worker-1                                  True                            3              3                   0                     0                      26h
worker   rendered-worker-1                                  False                           3              1                   0                     0                      26h
worker   rendered-worker-1                                  False                           3              1                   0                     0                      26h
a-longer-name   rendered-worker-1                                         False                           3              1                   0                     0                      26h
`, "\n"+out.String())
}
