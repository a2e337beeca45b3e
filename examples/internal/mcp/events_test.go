package mcp_test

import (
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/record"

	"github.com/openshift/upgrademonitor/examples/internal/mcp"
)

// poolIn returns a pool with the statuses of Updated and Updating, "" for no condition.
func poolIn(config string, updated, updating corev1.ConditionStatus) *mcfgv1.MachineConfigPool {
	p := &mcfgv1.MachineConfigPool{ObjectMeta: metav1.ObjectMeta{Name: "worker", UID: "1"}}
	p.Spec.Configuration.Name, p.Status.Configuration.Name = "new", config
	for condition, status := range map[mcfgv1.MachineConfigPoolConditionType]corev1.ConditionStatus{
		mcfgv1.MachineConfigPoolUpdated: updated, mcfgv1.MachineConfigPoolUpdating: updating,
	} {
		if status != "" {
			p.Status.Conditions = append(p.Status.Conditions, mcfgv1.MachineConfigPoolCondition{Type: condition, Status: status})
		}
	}
	return p
}

func TestPoolEvents(t *testing.T) {
	const yes, no = corev1.ConditionTrue, corev1.ConditionFalse
	anotherUID := poolIn("new", yes, no)
	anotherUID.UID = "2"
	for name, tc := range map[string]struct {
		from, to *mcfgv1.MachineConfigPool
		want     string
	}{
		"start":         {poolIn("old", yes, no), poolIn("old", no, yes), "Normal Updating Pool worker is updating to new"},
		"no change":     {poolIn("old", no, yes), poolIn("old", no, yes), ""},
		"end":           {poolIn("old", no, yes), poolIn("new", yes, no), "Normal Completed Pool worker has completed its update to new"},
		"first status":  {poolIn("", "", ""), poolIn("new", yes, no), ""},
		"recreated":     {poolIn("old", no, yes), anotherUID, ""},
		"first nodes":   {poolIn("", no, no), poolIn("new", yes, no), ""},
		"new nodes":     {poolIn("new", no, no), poolIn("new", yes, no), ""},
		"from degraded": {poolIn("old", no, no), poolIn("new", yes, no), "Normal Completed Pool worker has completed its update to new"},
		"a pause":       {poolIn("old", no, yes), poolIn("old", no, no), ""},
		"after a pause": {poolIn("old", no, no), poolIn("old", no, yes), "Normal Updating Pool worker is updating to new"},
	} {
		t.Run(name, func(t *testing.T) {
			recorder := record.NewFakeRecorder(10)
			mcp.Events{Recorder: recorder}.OnUpdate(tc.from, tc.to)
			close(recorder.Events)
			assert.Equal(t, tc.want, <-recorder.Events)
			assert.Empty(t, recorder.Events)
		})
	}
}
