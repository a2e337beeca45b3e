package e2e

import (
	"context"
	"encoding/json"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/openshift/upgrademonitor/phases"
)

// theirs returns a reporter that writes like a daemon or a controller without this library. Each report reads the object, and
// applies the whole status by force, without checking the transition. If between is not nil, it is called between the read
// and the write. The reporter knows only standard mode.
func (w *testNode) theirs(between func()) reporter {
	return func(ctx context.Context, c call) error {
		desired := w.node.Annotations[annotationPrefix+"desiredConfig"]
		if c.phase == phases.Updated && c.status == no {
			spec := map[string]any{"node": map[string]any{"name": w.name}, "pool": map[string]any{"name": "worker"}, "configVersion": map[string]any{"desired": desired}}
			if err := w.applyByForce(ctx, map[string]any{"spec": spec}); err != nil {
				return err
			}
		}
		object, err := nodesOf(w.t, w.config).Get(ctx, w.name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if between != nil {
			between()
		}
		if c.phase == phases.UpdatePrepared && c.status != done {
			desired = "not-yet-set"
		}
		version := map[string]any{"desired": desired, "current": w.node.Annotations[annotationPrefix+"currentConfig"]}
		status := map[string]any{"observedGeneration": object.Generation + 1, "configVersion": version, "conditions": theirConditions(object.Status.Conditions, c, object.Spec.ConfigVersion.Desired)}
		return w.applyByForce(ctx, map[string]any{"status": status}, "status")
	}
}

// theirConditions returns the conditions after a report of such a process: a report of Updated resets all other conditions,
// and a report of a child also sets its parent. The argument update is the name of the update.
func theirConditions(list []metav1.Condition, c call, update string) []metav1.Condition {
	set := func(p phases.Phase, status metav1.ConditionStatus, message string) {
		meta.SetStatusCondition(&list, metav1.Condition{Type: string(p), Status: status, Reason: string(c.phase), Message: message})
	}
	for _, p := range phases.All(false) {
		before := meta.FindStatusCondition(list, string(p))
		switch {
		case before == nil:
			meta.SetStatusCondition(&list, metav1.Condition{Type: string(p), Status: no, Reason: "NotYetOccurred"})
		case c.phase == phases.Updated && before.Status != no:
			before.Status, before.LastTransitionTime = no, metav1.Now()
			before.Message = "Action during update to " + update + ": " + before.Message
		}
	}
	set(c.phase, c.status, "about "+c.String())
	if parent, ok := phases.ParentOf(c.phase); ok {
		set(parent, map[bool]metav1.ConditionStatus{true: done, false: running}[len(c.opts) > 0], "about "+c.String())
	}
	return list
}

func (w *testNode) applyByForce(ctx context.Context, object map[string]any, subresources ...string) error {
	object["apiVersion"], object["kind"] = "machineconfiguration.openshift.io/v1", "MachineConfigNode"
	body, err := json.Marshal(object)
	if err != nil {
		return err
	}
	options := metav1.PatchOptions{FieldManager: "machine-config-operator", Force: ptr.To(true)}
	_, err = nodesOf(w.t, w.config).Patch(ctx, w.name, types.ApplyYAMLPatchType, body, options, subresources...)
	return err
}
