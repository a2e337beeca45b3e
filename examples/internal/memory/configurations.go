package memory

import (
	"encoding/json"
	"fmt"
	"slices"

	operatorv1 "github.com/openshift/api/operator/v1"
	operatorfake "github.com/openshift/client-go/operator/clientset/versioned/fake"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clienttesting "k8s.io/client-go/testing"
)

// Configurations returns a clientset that holds MachineConfigurations. An apply of a status replaces
// the conditions that it has, by type, and keeps all others, whoever owns them.
func Configurations(options ...Option) *operatorfake.Clientset {
	clientset := operatorfake.NewClientset()
	objects := serve(&clientset.Fake, clientset.Tracker(), options)
	clientset.PrependReactor("patch", "machineconfigurations", func(action clienttesting.Action) (bool, runtime.Object, error) {
		patch, ok := action.(clienttesting.PatchActionImpl)
		if !ok || patch.GetPatchType() != types.ApplyPatchType || patch.GetSubresource() != "status" {
			return false, nil, nil
		}
		object, err := applyConditions(objects, patch)
		return true, object, err
	})
	return clientset
}

// applyConditions merges the conditions of a patch into the object.
func applyConditions(objects *store, patch clienttesting.PatchActionImpl) (runtime.Object, error) {
	var applied operatorv1.MachineConfiguration
	if err := json.Unmarshal(patch.GetPatch(), &applied); err != nil {
		return nil, err
	}
	live, err := objects.Get(patch.GetResource(), "", patch.GetName())
	if err != nil {
		return nil, err
	}
	before, ok := live.(*operatorv1.MachineConfiguration)
	if !ok {
		return nil, fmt.Errorf("a %T is no MachineConfiguration", live)
	}
	object := before.DeepCopy()
	for _, condition := range applied.Status.Conditions {
		list := object.Status.Conditions
		at := slices.IndexFunc(list, func(c metav1.Condition) bool { return c.Type == condition.Type })
		if at < 0 {
			object.Status.Conditions = append(list, condition)
		} else {
			list[at] = condition
		}
	}
	if equality.Semantic.DeepEqual(before, object) {
		return before, nil
	}
	return object, objects.Update(patch.GetResource(), object, "")
}
